package mcp_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestReadingEnds has the time of a call run out while its arguments are read.
func TestReadingEnds(t *testing.T) {
	const own, byDefault, most = 5 * time.Second, 7 * time.Second, 9 * time.Second
	arguments := `{"list":[` + strings.Repeat("1,", 1<<19) + `1]}`
	for name, c := range map[string]struct {
		own, byDefault time.Duration
		cancel         bool
		cause          error
		want           string
	}{
		"own":       {own, byDefault, false, mcp.ErrTimeout, "timed out after 5s"},
		"default":   {0, byDefault, false, mcp.ErrTimeout, "timed out after 7s"},
		"limit":     {0, 0, false, mcp.ErrTimeout, "timed out after 9s"},
		"cancelled": {own, byDefault, true, mcp.ErrCancelled, ""},
		"in time":   {0, 0, false, nil, "read 524289"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithTimeout(c.byDefault),
					mcp.WithLimits(mcp.Limits{CallTime: most, GraceTime: time.Hour}))
				read, failure := 0, error(nil)
				asleep := time.Second + most // beyond the first clock that runs out
				for _, after := range []time.Duration{c.byDefault, c.own} {
					if after > 0 {
						asleep = time.Second + after
					}
				}
				info := &mcp.ToolInfo{Name: "slow", InputSchema: `{"type":"object"}`, Timeout: c.own}
				s.Register(mcpimpl.FuncTool(info, func(_ context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
					d := mcpimpl.Decoder(req)
					var list []int
					for o := d.Object(wire.Fields{{Name: "list"}}); o.Next(); {
						wire.Slice(d, &list, func(d *wire.Decoder, v *int) {
							if wire.Int(d, v); read == 1000 && c.cause != nil {
								time.Sleep(asleep)
							}
							read++
						})
					}
					if failure = d.Finish(); failure != nil {
						return nil, failure
					}
					return mcp.TextResult("read 524289"), nil
				}))
				p := ready(t, s)
				p.send(lines(call(7, "slow", arguments)))
				synctest.Wait()
				if c.cancel {
					p.send(lines(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`))
				}
				time.Sleep(2 * most)
				synctest.Wait()
				got := p.received()
				if c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)) || c.want == "" && len(got) > 0 {
					t.Errorf("received %.200q, want %s", got, c.want)
				}
				if !errors.Is(failure, c.cause) {
					t.Errorf("the decoder says %v, want %v", failure, c.cause)
				}
				if c.cause != nil && read > 1000+64<<10 || c.cause == nil && read != 524289 {
					t.Errorf("%d elements were read", read)
				}
			})
		})
	}
}
