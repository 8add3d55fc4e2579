package httpflags_test

import (
	"errors"
	"flag"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/httpflags"
)

const (
	issuer = "-auth https://id.example.com"
	keys   = "-keys keys.json"
	public = "-url https://mcp.example.com/mcp"
)

// parse parses flags. A line without -http, -loopback and -ca contains only flags of the package.
func parse(t *testing.T, line string) (*httpflags.Auth, httpflags.Serving, error) {
	t.Helper()
	var f httpflags.Auth
	var s httpflags.Serving
	set := flag.NewFlagSet("", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	f.Define(set)
	new(httpflags.TLS).Define(set)
	set.BoolVar(&s.HTTP, "http", false, "")
	set.BoolVar(&s.Loopback, "loopback", false, "")
	set.BoolVar(&s.ClientCA, "ca", false, "")
	err := set.Parse(strings.Fields(line))
	return &f, s, err
}

// orders calls f with a line of flags in every order.
func orders(line string, f func(string)) {
	var each func(done, rest []string)
	each = func(done, rest []string) {
		if len(rest) == 0 {
			f(strings.Join(done, " "))
		}
		for i := range rest {
			each(append(slices.Clip(done), rest[i]), slices.Concat(rest[:i], rest[i+1:]))
		}
	}
	var all []string
	for _, word := range strings.Fields(line) {
		if strings.HasPrefix(word, "-") {
			all = append(all, word)
		} else {
			all[len(all)-1] += " " + word
		}
	}
	each(nil, all)
}

func TestCheck(t *testing.T) {
	const local = "-http -loopback "
	for _, test := range []struct{ line, problem, hint string }{
		{"", "", ""},
		{"-http", "", ""},
		{local + issuer, "", ""},
		{local + issuer + " " + public + " -audience shop -roles roles.json " + keys, "", ""},
		{local + keys + " -roles roles.json", "", ""},
		{local + "-ca -roles roles.json", "", ""},
		{"-http -ca " + public, "", ""},
		{"-http " + public + " " + keys, "", ""},
		{"-http -auth http://localhost:9000 -url http://localhost:8080/mcp", "", ""},
		{issuer, "flag -auth has no meaning without -http", "add -http ADDR"},
		{keys, "flag -keys has no meaning without -http", "add -http ADDR"},
		{public, "flag -url has no meaning without -http", "add -http ADDR"},
		{"-audience shop", "flag -audience has no meaning without -http", "add -http ADDR"},
		{"-roles roles.json", "flag -roles has no meaning without -http", "add -http ADDR"},
		{local + "-audience shop", "flag -audience has no meaning without -auth", "add -auth ISSUER"},
		{local + keys + " -audience shop", "flag -audience has no meaning without -auth", "add -auth ISSUER"},
		{local + "-roles roles.json", "flag -roles has no meaning where", "add -auth ISSUER, -keys FILE or -client-ca FILE"},
		{local + public, "flag -url has no meaning where", "add -auth ISSUER, -keys FILE or -client-ca FILE"},
		{"-http " + issuer, "flag -url is missing", "add -url"},
		{"-http " + keys, "flag -url is missing", "-url https://mcp.example.com/mcp"},
		{"-http -ca", "flag -url is missing", "listen at 127.0.0.1"},
		{local + "-auth http://id.example.com/shop", "flag -auth: the URL of the issuer must begin with https://, since it is not of this machine", "write https://id.example.com/shop"},
		{local + "-auth id.example.com", "flag -auth: the URL of the issuer must begin with https://", "write https://id.example.com"},
		{local + "-auth keycloak", "must begin with https://", "claim iss"},
		{local + "-auth https://id.example.com?tenant=1", "must not have a query", "claim iss"},
		{local + "-auth https://id.example.com#a", "must not have a user or a fragment", "claim iss"},
		{local + "-auth https://ada:secret@id.example.com", "must not have a user", "claim iss"},
		{local + issuer + " -url http://mcp.example.com/mcp", "flag -url: the URL of the endpoint must begin with https://", "write https://mcp.example.com/mcp"},
		{local + issuer + " -url /mcp", "must begin with https://", "as clients do"},
		{local + issuer + " -url https://MCP.example.com/mcp", "host in lower case", "as clients do"},
		{local + issuer + " -url https://mcp.example.com/mcp?", "must not have a query", "as clients do"},
		{local + issuer + " -url https://mcp.example.com/mcp?key=secret", "must not have a query", "as clients do"},
		{local + issuer + " -url https://ada:secret@mcp.example.com/mcp", "must not have a user", "as clients do"},
	} {
		orders(test.line, func(line string) {
			f, s, err := parse(t, line)
			if err != nil {
				t.Fatal(err)
			}
			err = f.Check(s)
			wrong, ok := errors.AsType[*httpflags.Error](err)
			switch {
			case test.problem == "":
				if err != nil {
					t.Errorf("%s: %v", line, err)
				}
			case !ok || !strings.Contains(wrong.Problem, test.problem) || !strings.Contains(wrong.Hint, test.hint) ||
				strings.Contains(err.Error(), "secret"):
				t.Errorf("%s: %v, want %s: %s", line, err, test.problem, test.hint)
			}
		})
	}
}

// An empty value is not the same as an unset flag, and a second value is refused.
func TestEmpty(t *testing.T) {
	for _, name := range httpflags.Names() {
		if _, _, err := parse(t, "-"+name+"="); err == nil || !strings.Contains(err.Error(), "it needs") {
			t.Errorf("-%s=: %v", name, err)
		}
		if _, _, err := parse(t, "-"+name+" a -"+name+" b"); err == nil || !strings.Contains(err.Error(), "given twice") {
			t.Errorf("-%s twice: %v", name, err)
		}
	}
}

func TestArgs(t *testing.T) {
	f, _, err := parse(t, "-roles r -keys k -audience a -url u -auth j")
	if err != nil {
		t.Fatal(err)
	}
	want := "-auth j -url u -audience a -keys k -roles r"
	if got := strings.Join(f.Args(), " "); got != want || !f.Given() {
		t.Errorf("%s, want %s", got, want)
	}
	if none := new(httpflags.Auth); none.Given() || none.Args() != nil {
		t.Error("flags that are not given are")
	}
}
