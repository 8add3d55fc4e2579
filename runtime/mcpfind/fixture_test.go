package mcpfind_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpfind"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var quiet = mcp.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))

var readOnly = mcp.ToolHints{ReadOnly: true}

// newShop returns a server of a shop: sixty read-only tools in two groups, and some more.
func newShop(options ...mcp.Option) *mcp.Server {
	s := mcp.NewServer(mcp.ServerInfo{Name: "shop", Version: "1", Instructions: "This is a shop."}, append([]mcp.Option{quiet}, options...)...)
	register(s)
	return s
}

func register(s *mcp.Server) {
	text := func(name, group, description string, hints mcp.ToolHints) {
		s.Register(mcp.NewTool(mcp.ToolInfo{Name: name, Description: description, Groups: []string{group}, Hints: hints},
			func(_ context.Context, arguments json.RawMessage) (*mcp.ToolResult, error) {
				return mcp.TextResult(name + " " + string(arguments)), nil
			}))
	}
	for i := range 30 {
		text(fmt.Sprintf("orders_report_%d", i), "orders", fmt.Sprintf("Returns the report of month %d. It has all orders.", i), readOnly)
		text(fmt.Sprintf("stock_level_%d", i), "stock", fmt.Sprintf("Returns how many copies warehouse %d has.", i), readOnly)
	}
	text("orders_cancel", "orders", "Cancels an order before it is sent.", mcp.ToolHints{Destructive: true})
	text("admin_purge", "admin", "Deletes all orders of a secret customer.", mcp.ToolHints{Destructive: true})
	s.Register(mcpimpl.FuncTool(&infoRefund, callRefund))
	s.Register(mcp.NewTool(mcp.ToolInfo{Name: "orders_sign", Groups: []string{"orders"}, Description: "Signs an order.", Requires: []mcp.Capability{mcp.CapabilityElicitation}},
		func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
			answer, err := mcp.ElicitFields(ctx, "Sign?", &mcp.FormInfo{Fields: []mcp.FormField{{Name: "yes", Kind: mcp.BooleanField, Required: true}}})
			if err != nil {
				return nil, err
			}
			return mcp.TextResult(fmt.Sprint("signed ", answer.Action, " by ", mcp.CallFrom(ctx).Feature())), nil
		}))
}

var infoRefund = mcp.ToolInfo{
	Name: "orders_refund", Groups: []string{"orders"}, Title: "Refund", Description: "Gives money back to a buyer.",
	InputSchema:  `{"type":"object","properties":{"amount":{"type":"integer","description":"In cents.","x-mcp-header":"Amount"}},"required":["amount"],"additionalProperties":false}`,
	OutputSchema: `{"type":"object","properties":{"amount":{"type":"integer"}},"required":["amount"]}`,
}

func callRefund(_ context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
	var amount int
	d := mcpimpl.Decoder(req)
	for o := d.Object(wire.Fields{{Must: "amount"}}); o.Next(); {
		wire.Int(d, &amount)
	}
	if err := d.Finish(); err != nil {
		return nil, err
	}
	e := mcpimpl.Encoder(req)
	e.Begin()
	e.Name("amount")
	wire.PutInt(e, &amount)
	e.End()
	return mcpimpl.Structured(req, e)
}

// everywhere runs a test in every revision.
func everywhere(t *testing.T, test func(t *testing.T, revision string)) {
	for _, revision := range mcptest.Revisions() {
		t.Run(revision, func(t *testing.T) { test(t, revision) })
	}
}

func names(c *mcptest.Client) (all []string) {
	for _, t := range c.Tools() {
		all = append(all, t.Name)
	}
	return all
}

// use returns the arguments of use_tool.
func use(name string, arguments any) map[string]any {
	return map[string]any{"name": name, "arguments": arguments}
}

var three = []string{mcpfind.SearchTools, mcpfind.UseReadOnlyTool, mcpfind.UseTool}
