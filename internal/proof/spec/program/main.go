// Package program validates the messages of a program that third-party clients start, in the
// program itself: a proxy in front of it would take part in the timing. A test builds the program
// with [Main] in place of mcpcmd.Main.
package program

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

// Dir is the value of MCP_SPEC_DIR, which clients do not pass on. The linker sets it.
var Dir string

// inside is set in the environment of the process that serves over standard input and output.
const inside = "MCPGEN_SPEC_INSIDE"

// Main is mcpcmd.Main for a program with the flags of mcpcmd.WithFlags. It writes violations in the
// server's messages to standard error.
func Main(s *mcp.Server, options ...mcpcmd.Option) {
	if err := os.Setenv("MCP_SPEC_DIR", Dir); err != nil {
		os.Exit(fail(err))
	}
	tap := spec.NewTap(reporter{}).OfServers()
	overHTTP := false
	flag.Visit(func(f *flag.Flag) { overHTTP = overHTTP || f.Name == "http" })
	if overHTTP {
		mcpcmd.Main(s, append(options, mcpcmd.WithHandler(tap.Handler))...)
		return
	}
	if os.Getenv(inside) != "" {
		mcpcmd.Main(s, options...)
		return
	}
	os.Exit(around(tap.Conversation()))
}

// around runs the program again, between the client and this process, and returns its exit code.
func around(c *spec.Conversation) int {
	exe, err := os.Executable()
	if err != nil {
		return fail(err)
	}
	cmd := exec.Command(exe, os.Args[1:]...)
	cmd.Env = append(os.Environ(), inside+"=1")
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&spec.Lines{Take: c.Server}, os.Stdout), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return fail(err)
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if err := cmd.Start(); err != nil {
		return fail(err)
	}
	go func() {
		for s := range signals {
			_ = cmd.Process.Signal(s)
		}
	}()
	go func() {
		_, _ = io.Copy(io.MultiWriter(&spec.Lines{Take: c.Client}, in), os.Stdin)
		_ = in.Close()
	}()
	err = cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode()
	} else if err != nil {
		return fail(err)
	}
	return 0
}

func fail(err error) int {
	fmt.Fprintln(os.Stderr, "validate messages:", err)
	return 1
}

// reporter is a test that fails by a line on standard error.
type reporter struct{}

func (reporter) Helper()        {}
func (reporter) Cleanup(func()) {}
func (reporter) Errorf(format string, args ...any) {
	fmt.Fprintln(os.Stderr, "invalid message:", strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " "))
}

func (r reporter) Fatal(args ...any) {
	fmt.Fprintln(os.Stderr, args...)
	os.Exit(1)
}
