// Replicas is a shop that several processes serve together: on this machine with one command, on
// three machines without other software, or on Kubernetes with NATS (see docs/serve/deployment.md).
// It is a separate module, since it depends on NATS.
//
//	go run -C ./replicas . -replicas 3            # three replicas of this machine, at the ports 8080 to 8082
//	go run -C ./replicas . -dir DIR -http 8080    # one alone, with its stock in DIR
//
//mcp:server name=shop title="Shop"
//mcp:defaults errors=declared closedworld timeout=30s
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

//go:generate go tool mcpgen

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run runs the program, and returns its exit code: 0 after a graceful shutdown, 1 after an error, 2
// for an invalid command line.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	set := flag.NewFlagSet("shop", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	c := newConfig(set)
	switch err := c.parse(args); {
	case errors.Is(err, flag.ErrHelp):
		printHelp(stdout, set)
		return 0
	case err != nil:
		return fail(stderr, err)
	}
	ctx, stop := interruptible(context.Background(), c.untilEOF, stdin)
	defer stop()
	serve := serveReplica
	switch {
	case c.version():
		serve = printVersion
	case c.replicas > 0:
		serve = serveAll
	}
	return fail(stderr, serve(ctx, c, stdout, stderr))
}

// printVersion prints the version that the server reports in the protocol.
func printVersion(ctx context.Context, c *config, _, _ io.Writer) error {
	return mcpcmd.Run(ctx, NewMCPServer(nil), nil, c.serving)
}

// fail prints an error, and returns the exit code.
func fail(stderr io.Writer, err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, "shop:", err)
	if _, ok := errors.AsType[*mcpcmd.UsageError](err); ok || errors.Is(err, errUsage) {
		return 2
	}
	return 1
}
