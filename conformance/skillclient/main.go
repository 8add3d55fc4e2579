// Skillclient is the program under test in the client scenarios of the official conformance suite
// about skills. It is a module of its own, as mcpskillclient is. The suite starts it with the URL
// of a server as last argument, and names the scenario in the environment.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpskillclient"
)

// runTime is shorter than the timeout of the suite for a client.
const runTime = 25 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ctx, cancel := context.WithTimeout(ctx, runTime)
	err := run(ctx, os.Args[1:], os.Getenv("MCP_CONFORMANCE_SCENARIO"))
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "skillclient:", err)
		os.Exit(1)
	}
}

// reasons are the reasons for which each scenario's skill must not be loaded; "" for the scenario
// in which no skill is loaded.
var reasons = map[string]mcpskillclient.Reason{
	"sep-2640-client-no-prefetch":        "",
	"sep-2640-client-verify-digest":      mcpskillclient.WrongDigest,
	"sep-2640-client-verify-size":        mcpskillclient.WrongSize,
	"sep-2640-client-verify-frontmatter": mcpskillclient.Frontmatter,
}

// run lists the skills of a server, and loads them unless the scenario is about listing alone.
func run(ctx context.Context, args []string, scenario string) (err error) {
	if len(args) == 0 {
		return errors.New("the URL of the server is missing")
	}
	want, known := reasons[scenario]
	if !known {
		return fmt.Errorf("unknown scenario %q", scenario)
	}
	client, err := mcpclient.Connect(ctx, mcphttpclient.Endpoint{URL: args[len(args)-1]}, mcpclient.Options{
		Info: mcp.ClientInfo{Name: "mcpgen-conformance", Version: "1.0.0"},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	skills, err := mcpskillclient.New(client, "suite", mcpskillclient.Options{})
	if err != nil {
		return err
	}
	list, err := skills.List(ctx)
	if err != nil {
		return err
	}
	if len(list.Skills) == 0 || len(list.Refused) > 0 {
		return fmt.Errorf("%d skills, and refused %v", len(list.Skills), list.Refused)
	}
	if want == "" {
		return nil
	}
	for _, e := range list.Skills {
		if err := use(ctx, skills, e, want); err != nil {
			return err
		}
	}
	return nil
}

// use loads a skill and reads all of its files, as a host that follows its text would. The load
// must fail for a reason.
func use(ctx context.Context, skills *mcpskillclient.Client, e *mcpskillclient.Entry, want mcpskillclient.Reason) error {
	skill, err := skills.Load(ctx, e)
	if failed, ok := errors.AsType[*mcpskillclient.VerificationError](err); ok {
		if failed.Reason != want {
			return fmt.Errorf("the reason must be %s: %w", want, failed)
		}
		return nil
	}
	if err != nil {
		return err
	}
	for _, f := range e.Files {
		if _, err := skill.Read(ctx, f.Path); err != nil {
			return err
		}
	}
	return fmt.Errorf("the skill %s was loaded, and must be refused: %s", e.ID, want)
}
