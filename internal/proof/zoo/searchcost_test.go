//go:build cost

package zoo_test

import (
	"os"
	"strconv"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/zoo/prove"
)

// TestCostly checks that the worst messages that a search finds take at most ten times the CPU time
// of json.Unmarshal. The environment variable MCPGEN_COSTLY sets the number of attempts for each
// tool; messages then have 4 MiB.
func TestCostly(t *testing.T) {
	search := prove.Search{Tries: 6, Small: 48 << 10, Large: 1 << 20, Worst: 12, Most: 10, Beyond: 1.5}
	if long, err := strconv.Atoi(os.Getenv("MCPGEN_COSTLY")); err == nil {
		search = prove.Search{Tries: long, Small: 64 << 10, Large: 4<<20 - 4096, Worst: 300, Most: 10, Beyond: 1.5}
	}
	prove.Costly(t, config, search)
}
