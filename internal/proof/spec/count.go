package spec

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"
)

var (
	countMu sync.Mutex
	counts  = map[string]*[2]int{}
)

func count(revision string, from side) {
	countMu.Lock()
	defer countMu.Unlock()
	if counts[revision] == nil {
		counts[revision] = new([2]int)
	}
	counts[revision][from]++
}

// Main runs the tests of a package, and fails if they validate fewer than Least messages of
// servers. It checks that only if all tests run and MCP_SPEC_DIR is set.
type Main struct {
	*testing.M
	Least int
}

// Run is for goleak.VerifyTestMain and os.Exit. It prints the number of validated messages for each
// revision.
func (m Main) Run() int {
	code := m.M.Run()
	if os.Getenv("MCP_SPEC_DIR") == "" {
		return code
	}
	countMu.Lock()
	defer countMu.Unlock()
	sum := 0
	for _, revision := range revisions {
		if n := counts[revision]; n != nil {
			fmt.Printf("schema of %s: %d messages of clients, %d of servers\n", revision, n[client], n[server])
			sum += n[server]
		}
	}
	if code == 0 && sum < m.Least && everything() {
		fmt.Printf("only %d messages of servers were validated, want %d\n", sum, m.Least)
		return 1
	}
	return code
}

// everything reports whether all tests run.
func everything() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			return false
		}
	}
	short := flag.Lookup("test.short")
	return short == nil || short.Value.String() != "true"
}
