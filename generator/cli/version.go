package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// modulePath is the module of this package.
const modulePath = "github.com/mcpgen/mcpgen"

const helpVersion = `usage: mcpgen version

Prints the versions of mcpgen and of the Go toolchain that built it, and the
system that it was built for. The version is (devel) if the go command recorded
none.
`

// showVersion prints one line, which bug reports should cite.
func (c *command) showVersion(args []string) int {
	f := newFlags("version")
	rest, code, ok := c.parse(f, args)
	switch {
	case !ok:
		return code
	case len(rest) > 0:
		return c.usage("version", "version takes no argument", "")
	}
	if _, err := fmt.Fprintf(c.out, "mcpgen %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH); err != nil {
		return c.fail(fmt.Errorf("print the version: %w", err))
	}
	return exitDone
}

// version returns the version of this command that the go command recorded.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)"
	}
	return recordedVersion(info)
}

// recordedVersion finds the module of this package. It is not the main module if another program
// calls [Main].
func recordedVersion(info *debug.BuildInfo) string {
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Path != modulePath {
			continue
		}
		if m.Replace != nil {
			m = m.Replace // without a version if it is a directory
		}
		if m.Version != "" {
			return m.Version
		}
	}
	return "(devel)"
}
