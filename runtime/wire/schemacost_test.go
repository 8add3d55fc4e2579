//go:build cost

package wire_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestSchemaCost checks that the work grows linearly with the value, also for values that fail late
// in many alternatives.
func TestSchemaCost(t *testing.T) {
	deep := `{"type":"string","maxLength":1}`
	for range 20 {
		deep = `{"anyOf":[{"type":"object","properties":{"a":` + deep + `},"required":["b"]},{"type":"object","properties":{"a":` + `{"type":"string"}` + `}},` +
			`{"type":"array","items":` + deep + `,"maxItems":0}]}`
		if len(deep) > 60_000 {
			break
		}
	}
	for name, c := range map[string]struct {
		schema string
		value  func(n int) string
	}{
		"members": {`{"type":"object","additionalProperties":{"type":"integer"},"maxProperties":3}`, func(n int) string {
			var b strings.Builder
			for i := range n {
				b.WriteString(`,"k` + strconv.Itoa(i) + `":""`)
			}
			return "{" + b.String()[1:] + "}"
		}},
		"alternatives": {`{"items":` + deep + `}`, func(n int) string {
			return "[" + strings.Repeat(`{"a":{"a":{"a":{"a":5}}}},`, n) + "0]"
		}},
		"unique": {`{"items":{"type":"number"},"uniqueItems":true}`, func(n int) string {
			numbers := make([]string, n)
			for i := range numbers {
				numbers[i] = strconv.Itoa(i)
			}
			return "[" + strings.Join(numbers, ",") + ",0]"
		}},
	} {
		cost := func(n int) time.Duration {
			text := c.value(n)
			var times []time.Duration
			for range 3 {
				start := time.Now()
				if _, err := bySchema(text, c.schema, wire.Options{Help: wire.Advice()}); err == nil {
					t.Fatalf("%s: accepted", name)
				}
				times = append(times, time.Since(start))
			}
			return slices.Min(times)
		}
		small, large := cost(2_000), cost(20_000)
		if large > 60*small+50*time.Millisecond {
			t.Errorf("%s: ten times the value takes %v, after %v", name, large, small)
		}
	}
}
