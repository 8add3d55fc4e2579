package mcpcmd_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// guarded defines a flag -who, which gives all callers a name.
func guarded(got *[]mcpcmd.HTTPServing) mcpcmd.Option {
	return mcpcmd.WithHTTPFlags(func(set *flag.FlagSet) func(mcpcmd.HTTPServing) (mcpcmd.HTTPSetup, error) {
		who := set.String("who", "", "the `NAME` of everybody who calls, in a description that does not fit into one line of the help")
		return func(s mcpcmd.HTTPServing) (mcpcmd.HTTPSetup, error) {
			*got = append(*got, s)
			switch {
			case *who == "":
				return mcpcmd.HTTPSetup{}, nil
			case s.URL == "":
				return mcpcmd.HTTPSetup{}, fmt.Errorf("flag -who: %w without -http", os.ErrInvalid)
			}
			return mcpcmd.HTTPSetup{
				Options: []mcphttp.Option{mcphttp.WithPrincipal(func(*http.Request) (mcp.Principal, error) {
					return mcp.Principal{ID: *who}, nil
				})},
				Wrap: func(next http.Handler) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						if r.URL.Path != "/who" {
							next.ServeHTTP(w, r)
							return
						}
						_, _ = io.WriteString(w, *who)
					})
				},
				Callers: "the name " + *who,
			}, nil
		}
	})
}

func TestHTTPFlags(t *testing.T) {
	author := mcpcmd.WithHTTPOptions(mcphttp.WithPrincipal(func(*http.Request) (mcp.Principal, error) {
		return mcp.Principal{ID: "of the author"}, nil
	}))
	newSet := func() *flag.FlagSet {
		set := flag.NewFlagSet("program", flag.ContinueOnError)
		set.SetOutput(io.Discard)
		return set
	}
	for name, options := range map[string]func(mcpcmd.Option) []mcpcmd.Option{
		"alone":          func(o mcpcmd.Option) []mcpcmd.Option { return []mcpcmd.Option{o, author} },
		"before flags":   func(o mcpcmd.Option) []mcpcmd.Option { return []mcpcmd.Option{o, mcpcmd.WithFlags(newSet()), author} },
		"after flags":    func(o mcpcmd.Option) []mcpcmd.Option { return []mcpcmd.Option{mcpcmd.WithFlags(newSet()), o, author} },
		"with the flags": func(o mcpcmd.Option) []mcpcmd.Option { return []mcpcmd.Option{mcpcmd.WithFlags(newSet(), author, o)} },
	} {
		t.Run(name, func(t *testing.T) {
			var got []mcpcmd.HTTPServing
			r := serve(t, newServer(never), []string{"-who", "everybody"}, options(guarded(&got))...)
			if len(got) != 1 || got[0] != (mcpcmd.HTTPServing{URL: r.url, Loopback: true}) {
				t.Errorf("got %+v", got)
			}
			if _, body, err := r.call("greet"); err != nil || !strings.Contains(body, "hello everybody") {
				t.Errorf("%v, %s", err, body)
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(r.url, "/mcp")+"/who", nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, body, err := r.answer(req); err != nil || body != "everybody" {
				t.Errorf("%v, %s", err, body)
			}
			if want := "at " + r.url + "\n\tcallers need: the name everybody\n"; !strings.HasSuffix(r.stderr.String(), want) {
				t.Errorf("%q has not %q", r.stderr, want)
			}
		})
	}
	t.Run("not given", func(t *testing.T) {
		var got []mcpcmd.HTTPServing
		r := serve(t, newServer(never), nil, guarded(&got), author)
		if _, body, err := r.call("greet"); err != nil || !strings.Contains(body, "hello of the author") {
			t.Errorf("%v, %s", err, body)
		}
		if strings.Contains(r.stderr.String(), "callers") {
			t.Errorf("%q", r.stderr)
		}
	})
	t.Run("wrong", func(t *testing.T) {
		var got []mcpcmd.HTTPServing
		_, stderr, err := run(t, []string{"-who", "x"}, guarded(&got))
		if _, ok := errors.AsType[*mcpcmd.UsageError](err); !ok || !errors.Is(err, os.ErrInvalid) || stderr != "" || len(got) != 1 {
			t.Errorf("%v, %q, %+v", err, stderr, got)
		}
	})
	t.Run("parsed too early", func(t *testing.T) {
		var got []mcpcmd.HTTPServing
		set := newSet()
		option := mcpcmd.WithFlags(set)
		if err := set.Parse(nil); err != nil {
			t.Fatal(err)
		}
		if _, _, err := run(t, nil, option, guarded(&got)); err == nil || !strings.Contains(err.Error(), "pass the option to WithFlags") {
			t.Error(err)
		}
	})
	t.Run("help", func(t *testing.T) {
		var got []mcpcmd.HTTPServing
		stdout, _, err := run(t, []string{"-help"}, guarded(&got))
		want := "\t-who NAME            the NAME of everybody who calls, in a description\n" +
			"\t                     that does not fit into one line of the help\n\t-version "
		if err != nil || !strings.Contains(stdout, want) || len(got) != 0 {
			t.Errorf("%v\n%s", err, stdout)
		}
	})
	t.Run("ended before it began", func(t *testing.T) {
		var got []mcpcmd.HTTPServing
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := mcpcmd.Run(ctx, newServer(never), []string{"-http", "0"}, guarded(&got), mcpcmd.WithOutput(io.Discard, io.Discard))
		if err != nil {
			t.Error(err)
		}
	})
}
