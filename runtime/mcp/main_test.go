package mcp_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
)

// TestMain is also the program that the tests of ServeStdio start.
func TestMain(m *testing.M) {
	switch os.Getenv("MCP_TEST_PROGRAM") {
	case "printer":
		os.Exit(printer())
	case "cancelled":
		os.Exit(cancelled())
	}
	goleak.VerifyTestMain(spec.Main{M: m, Least: 20000})
}

// printer serves a tool that prints, and that starts a child which prints and reads.
func printer() int {
	// The file must live as long as the process: a collected file closes its descriptor.
	one := os.NewFile(1, "one")
	defer runtime.KeepAlive(one)
	var options []mcp.Option
	if os.Getenv("MCP_TEST_UNSHIELDED") != "" {
		options = append(options, mcp.WithoutStdoutShield())
	}
	s := newFixture(options...)
	s.Register(mcpimpl.FuncTool(empty("print", false), noArguments(func(context.Context, *mcp.Request) (*mcp.ToolResult, error) {
		fmt.Println("printed by Go")
		one.WriteString("printed to descriptor 1\n")
		cmd := exec.Command("/bin/sh", "-c", "echo printed by a child; cat")
		cmd.Stdin, cmd.Stdout = os.Stdin, os.Stdout
		if err := cmd.Run(); err != nil {
			return nil, err
		}
		return mcp.TextResult("done"), nil
	})))
	if err := s.ServeStdio(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("restored")
	return 0
}

// cancelled serves until its context is cancelled, while standard input stays open.
func cancelled() int {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	fmt.Println(newFixture().ServeStdio(ctx))
	return 0
}
