package mcptest_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

// run replaces the testing package, which is unavailable in examples.
func run(test func(t testing.TB)) {
	if said := mcptest.Failure(test); said != "" {
		fmt.Println(said)
	}
}

func ExampleNew() {
	run(func(t testing.TB) {
		c := mcptest.New(t, newLibrary(nil), mcptest.Options{Revision: "2025-06-18"})
		fmt.Println(c.Server().Name, c.Revision())
		fmt.Println(c.Read("library://rules").Text())
		fmt.Println(c.Prompt("review", map[string]string{"title": "Emma"}).Text())
	})
	// Output:
	// library 2025-06-18
	// # Silence, please
	// user: Review Emma
	// assistant: Gladly.
}

func ExampleCall() {
	run(func(t testing.TB) {
		c := mcptest.New(t, newLibrary(nil), mcptest.Options{})
		got := mcptest.Call[found](c, "search", map[string]any{"query": "E"})
		fmt.Println(got.Total, got.Titles)
		fmt.Println(c.CallError("fail", nil))
	})
	// Output:
	// 2 [Emma Evelina]
	// the library is closed
}

// The same test passes in every revision, whether the server sends a request or a result that
// requires input.
func ExampleOptions_elicit() {
	run(func(t testing.TB) {
		for _, revision := range []string{"2025-06-18", "2026-07-28"} {
			c := mcptest.New(t, newLibrary(nil), mcptest.Options{
				Revision: revision,
				Elicit: func(_ context.Context, e *mcpclient.Elicitation) mcpclient.ElicitAnswer {
					fmt.Println(e.Message)
					return mcpclient.Accept(map[string]bool{"yes": false})
				},
			})
			fmt.Println(c.Call("burn", nil).Text())
		}
	})
	// Output:
	// Burn the books?
	// false
	// Burn the books?
	// false
}

func ExampleOptions_sample() {
	run(func(t testing.TB) {
		c := mcptest.New(t, newLibrary(nil), mcptest.Options{
			Sample: func(_ context.Context, r *mcp.SampleRequest) (*mcp.SampleResult, error) {
				fmt.Println(r.Text())
				return mcpclient.TextAnswer("Emma means well."), nil
			},
		})
		fmt.Println(c.Call("summarize", nil).Text())
	})
	// Output:
	// Summarize Emma.
	// Emma means well.
}

func ExampleWithProgress() {
	run(func(t testing.TB) {
		c := mcptest.New(t, newLibrary(nil), mcptest.Options{LogLevel: "info"})
		c.Call("import", nil, mcptest.WithProgress(func(p mcpclient.Progress) { fmt.Println(p.Done, "of", p.Total) }))
		fmt.Println(c.Logs()[0])
	})
	// Output:
	// 1 of 3
	// 2 of 3
	// 3 of 3
	// info import: {"message":"shelf imported","number":1}
}

func ExampleRunning_Cancel() {
	run(func(t testing.TB) {
		blocked := make(chan string, 2)
		c := mcptest.New(t, newLibrary(blocked), mcptest.Options{})
		r := c.Start("block", nil)
		fmt.Println(<-blocked)
		r.Cancel("too slow")
		_, err := r.Result()
		fmt.Println(err)
		fmt.Println(<-blocked)
	})
	// Output:
	// block
	// cancelled by the test
	// request cancelled by the client: too slow
}

func ExampleClient_Watch() {
	run(func(t testing.TB) {
		s := newLibrary(nil)
		w := mcptest.New(t, s, mcptest.Options{}).Watch(mcpclient.Filter{Tools: true, URIs: []string{"library://rules"}})
		s.ResourceUpdated("library://rules")
		fmt.Println(w.Next())
		s.Unregister(mcp.KindTool, "fail")
		fmt.Println(w.Next())
	})
	// Output:
	// {notifications/resources/updated library://rules}
	// {notifications/tools/list_changed }
}

// Set MCPTEST_UPDATE=1 to write the file.
func ExampleContract() {
	run(func(t testing.TB) {
		mcptest.Contract(t, newLibrary(nil), "testdata/contract.json")
	})
	// Output:
}
