// Client is the program under test in the client scenarios of the official conformance suite. The
// suite starts it with the URL of a server as last argument, and names the scenario in the
// environment. Beyond the actions of a scenario, it uses mcpclient unchanged, which also negotiates
// the revision.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// runTime is shorter than the timeout of the suite for a client.
const runTime = 25 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ctx, cancel := context.WithTimeout(ctx, runTime)
	err := run(ctx, os.Args[1:], os.Getenv("MCP_CONFORMANCE_SCENARIO"), os.Getenv("MCP_CONFORMANCE_CONTEXT"))
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

// run connects to a server, with every capability, and executes the scenario.
func run(ctx context.Context, args []string, name, data string) (err error) {
	if len(args) == 0 {
		return errors.New("the URL of the server is missing")
	}
	act := scenarios[name]
	if strings.HasPrefix(name, "auth/") {
		act = authorized
	}
	if act == nil {
		return fmt.Errorf("unknown scenario %q", name)
	}
	s := session{}
	if data != "" {
		if err := json.Unmarshal([]byte(data), &s.given); err != nil {
			return fmt.Errorf("read the context of the scenario: %w", err)
		}
	}
	server := args[len(args)-1]
	login, err := newLogin(ctx, name, server, &s.given.credentials)
	if err != nil {
		return err
	}
	to, extensions := endpoint(server, login)
	s.Client, err = mcpclient.Connect(ctx, to, mcpclient.Options{
		Extensions: extensions,
		Info:       mcp.ClientInfo{Name: "mcpgen-conformance", Version: "1.0.0"},
		Elicit: func(ctx context.Context, _ *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
			if s.between != nil {
				if err := s.between(ctx); err != nil {
					return mcpclient.ElicitAnswer{}, err
				}
			}
			// The client fills in the defaults of the form.
			return mcpclient.Accept(map[string]any{}), nil
		},
		Sample: func(context.Context, *mcp.SampleRequest) (*mcp.SampleResult, error) {
			return mcpclient.TextAnswer("an answer"), nil
		},
		Roots: func(context.Context) ([]mcp.Root, error) { return nil, nil },
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return act(ctx, &s)
}
