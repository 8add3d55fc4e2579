package hardening_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// A limit of the largest int means no limit, on every transport and also if int has 32 bits:
// arithmetic with limits does not overflow. One message is small, another one and a result are
// larger than the initial buffers of connections.
func TestLargestLimits(t *testing.T) {
	var limits mcp.Limits
	for _, field := range reflect.ValueOf(&limits).Elem().Fields() {
		if field.Kind() == reflect.Int {
			field.SetInt(math.MaxInt)
		}
	}
	for _, transport := range transports {
		for _, era := range transport.eras {
			v := target{transport: transport, era: era}
			t.Run(transport.name+"/"+string(era), func(t *testing.T) {
				v.visit(t, setup{limits: limits}, func(t *testing.T, s *site) {
					c := s.open()
					for _, size := range []int{1, 600_000} {
						want := strings.Repeat("s", size)
						if got := c.ask("tools/call", call("echo", `{"s":"`+want+`"}`)); got.failed() || !strings.Contains(got.raw, want) {
							t.Errorf("%d bytes: %.200v", size, got)
						}
					}
					for _, method := range []string{"tools/list", "resources/list", "prompts/list"} {
						if got := c.ask(method, ""); got.failed() {
							t.Errorf("%s: %.200v", method, got)
						}
					}
					c.alive("the largest limits")
				})
			})
		}
	}
}
