package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// exception is a module without valid types on some systems.
type exception struct {
	module  string
	systems []string
	why     string
}

var withoutLibc = []string{"illumos/amd64", "wasip1/wasm", "js/wasm", "linux/mipsle", "dragonfly/amd64", "solaris/amd64", "aix/ppc64"}

// exceptions contains every module among the arguments of .ci/run that has no valid types on a
// system.
var exceptions = []exception{
	{
		"github.com/mcpgen/mcpgen/runtime/mcpsqlite", withoutLibc, "modernc.org/libc has no files for it",
	},
	{
		"github.com/mcpgen/mcpgen/examples", withoutLibc, "some import a module of SQLite: modernc.org/libc has no files for it",
	},
	{"github.com/mcpgen/mcpgen/runtime/mcpnats", []string{"aix/ppc64"}, "nats-server has no files for it"},
}

var moduleLine = regexp.MustCompile(`(?m)^module (\S+)$`)

// exceptionOf returns the reason why a system does not support the module in dir, or "" if it does.
func exceptionOf(dir string, s system) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return "", err
	}
	module := moduleLine.FindSubmatch(text)
	for _, e := range exceptions {
		if module != nil && e.module == string(module[1]) && slices.Contains(e.systems, s.String()) {
			return e.why, nil
		}
	}
	return "", nil
}
