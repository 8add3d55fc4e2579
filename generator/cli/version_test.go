package cli

import (
	"bytes"
	"errors"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestRecordedVersion(t *testing.T) {
	const other = "example.com/own"
	module := func(path, version string, replace *debug.Module) *debug.Module {
		return &debug.Module{Path: path, Version: version, Replace: replace}
	}
	for _, test := range []struct {
		name string
		main *debug.Module
		deps []*debug.Module
		want string
	}{
		{"installed", module(modulePath, "v1.2.3", nil), nil, "v1.2.3"},
		{"built in a work tree", module(modulePath, "v1.2.4-0.20261124021500-0123456789ab+dirty", nil), nil, "v1.2.4-0.20261124021500-0123456789ab+dirty"},
		{"built without a version", module(modulePath, "", nil), nil, "(devel)"},
		{"a program of its own", module(other, "v9.9.9", nil), []*debug.Module{module("example.com/dep", "v8.8.8", nil), module(modulePath, "v1.2.3", nil)}, "v1.2.3"},
		{"replaced by a version", module(other, "(devel)", nil), []*debug.Module{module(modulePath, "v1.2.3", module("example.com/fork", "v1.3.0", nil))}, "v1.3.0"},
		{"replaced by a directory", module(other, "v9.9.9", nil), []*debug.Module{module(modulePath, "v1.2.3", module("../mcpgen", "", nil))}, "(devel)"},
		{"not recorded", module(other, "v9.9.9", nil), nil, "(devel)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := recordedVersion(&debug.BuildInfo{Main: *test.main, Deps: test.deps}); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestShowVersion(t *testing.T) {
	line := regexp.MustCompile(`^mcpgen \S+ ` + regexp.QuoteMeta(runtime.Version()+" "+runtime.GOOS+"/"+runtime.GOARCH) + "\n$")
	for _, test := range []struct {
		name string
		args []string
		out  *regexp.Regexp
		err  string
		code int
	}{
		{"alone", nil, line, "", exitDone},
		{"help", []string{"-help"}, regexp.MustCompile(`^usage: mcpgen version\n`), "", exitDone},
		{"argument", []string{"."}, regexp.MustCompile(`^$`), "mcpgen version: version takes no argument\n\thint: mcpgen help version\n", exitUsage},
		{"unknown flag", []string{"-nosuch"}, regexp.MustCompile(`^$`), "mcpgen version: unknown flag -nosuch\n\thint: mcpgen help version\n", exitUsage},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out, err bytes.Buffer
			c := &command{ctx: t.Context(), invoked: "mcpgen", out: &out, err: &err, progress: newProgress(&err, false)}
			code := c.run(append([]string{"version"}, test.args...))
			if code != test.code || !test.out.Match(out.Bytes()) || err.String() != test.err {
				t.Errorf("got %d, %q, %q\nwant %d, %s, %q", code, &out, &err, test.code, test.out, test.err)
			}
		})
	}
}

// fullDisk is a writer that always fails.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestShowVersionUnwritten(t *testing.T) {
	var err bytes.Buffer
	c := &command{ctx: t.Context(), invoked: "mcpgen", out: fullDisk{}, err: &err, progress: newProgress(&err, false)}
	if code := c.run([]string{"version"}); code != exitFound || err.String() != "mcpgen: print the version: no space left on device\n" {
		t.Errorf("got %d, %q", code, &err)
	}
}

// TestVersionFlag uses the flag that other programs use.
func TestVersionFlag(t *testing.T) {
	for _, flag := range []string{"-version", "--version"} {
		var out, err bytes.Buffer
		c := &command{ctx: t.Context(), invoked: "mcpgen", out: &out, err: &err, progress: newProgress(&err, false)}
		if code := c.run([]string{flag}); code != exitDone || !strings.HasPrefix(out.String(), "mcpgen ") || err.Len() > 0 {
			t.Errorf("%s: got %d, %q, %q", flag, code, &out, &err)
		}
	}
}
