//go:build cost

package clients

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A file that others have written cannot occupy the processor for long.
func TestManyEntries(t *testing.T) {
	measure := func(f format, container, text string, many int) time.Duration {
		start := time.Now()
		list, err := f.entries([]byte(text), container)
		if err != nil || len(list) != many {
			t.Errorf("%T: %d entries, %v", f, len(list), err)
		}
		changed, err := f.set([]byte(text), container, "n", changed)
		if err == nil {
			_, err = f.remove(changed, container, "n", Before{})
		}
		if err != nil {
			t.Errorf("%T: %v", f, err)
		}
		return time.Since(start)
	}
	text := func(many int) (object, tables string) {
		var o, t strings.Builder
		o.WriteString(`{"mcpServers":{`)
		for i := range many {
			fmt.Fprintf(&o, `"e%d":{},`, i)
			fmt.Fprintf(&t, "[mcp_servers.e%d]\n", i)
		}
		o.WriteString("}}")
		return o.String(), t.String()
	}
	const some, factor = 10_000, 8
	object, tables := text(some)
	manyObject, manyTables := text(factor * some)
	for _, c := range []struct {
		format
		container, few, many string
	}{{jsonFormat{}, "mcpServers", object, manyObject}, {tomlFormat{}, "mcp_servers", tables, manyTables}} {
		// Quadratic time would be factor² as long. One of three attempts must succeed: other
		// programs may use the processor in the meantime.
		var few, many time.Duration
		for range 3 {
			few = measure(c.format, c.container, c.few, some)
			many = measure(c.format, c.container, c.many, factor*some)
			if many < factor*factor/2*few {
				break
			}
		}
		if many >= factor*factor/2*few {
			t.Errorf("%T: %v for %d entries, and %v for %d", c.format, few, some, many, factor*some)
		}
	}
}
