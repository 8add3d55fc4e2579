//go:build cost

package wire_test

import (
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Many strings are looked up among many choices in little time: here 10^9 comparisons would take
// seconds.
func TestManyChoicesTime(t *testing.T) {
	values := manyChoices()
	choices := wire.NewChoices(values)
	took := func(value string) time.Duration {
		least := time.Hour
		for range 3 {
			began := time.Now()
			if all, err := readChoices(choices, value); err != nil || len(all) != 50_000 {
				t.Fatal(len(all), err)
			}
			least = min(least, time.Since(began))
		}
		return least
	}
	if slow, quick := took(values[len(values)-1]), took(values[0]); slow > 20*quick {
		t.Errorf("the last of %d choices takes %v, the first one %v", len(values), slow, quick)
	}
}
