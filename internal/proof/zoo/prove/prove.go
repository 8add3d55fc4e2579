// Package prove compares generated tools with their published schemas and with encoding/json. It is
// for tests of any package whose tools return their arguments by package identity.
//
// The property is: a value is accepted exactly when it is valid, is decoded like by encoding/json,
// and the result is valid against the output schema and equal to it. Any deviation is an
// [Exception].
package prove

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Config configures a run.
type Config struct {
	Server func(...mcp.Option) *mcp.Server
	// Values is the total number of values to try; the environment variable MCPGEN_LONG replaces
	// it.
	Values int
	Seed   uint64
	// OddNames are property names of the Go source that clients may refuse.
	OddNames []string
	// AnyNames allows every property name.
	AnyNames bool
	// Lenient contains tools that accept more than valid values.
	Lenient []string
	// Directives contains tools with //mcp:arg, which the Go types do not reflect.
	Directives []string
	// Own reports whether a type of the tool has a JSON form that encoding/json does not support:
	// unions, types of the built-in table, converted types. Such tools are checked by round trip.
	// It may be nil.
	Own func(tool string) bool
	// Form returns the type whose JSON form a value uses, for unions and converted types, and nil
	// for others. It may be nil. A number in a type without a known form may have any 64-bit value.
	Form func(t reflect.Type, n *Node) reflect.Type
	// Skip contains omitted tools, with the reason.
	Skip map[string]string
}

func (c Config) odd(name string) bool { return c.AnyNames || slices.Contains(c.OddNames, name) }

// Report is the result of a run.
type Report struct {
	Tools, Values, Accepted, Refused, Results int
	Exceptions                                map[Exception]int
	Failures                                  []Failure
}

// Failure is a value on which two sides disagree.
type Failure struct {
	Tool, Value, What string
}

func (r *Report) add(other *Report) {
	r.Tools += other.Tools
	r.Values += other.Values
	r.Accepted += other.Accepted
	r.Refused += other.Refused
	r.Results += other.Results
	for e, n := range other.Exceptions {
		r.Exceptions[e] += n
	}
	r.Failures = append(r.Failures, other.Failures...)
}

// String returns a summary on one line.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d tools, %d values: %d accepted, %d refused; %d results; %d disagreements; exceptions", r.Tools, r.Values, r.Accepted, r.Refused, r.Results, len(r.Failures))
	for _, e := range slices.Sorted(maps.Keys(r.Exceptions)) {
		fmt.Fprintf(&b, " %d: %d", e, r.Exceptions[e])
	}
	return b.String()
}

// Run checks all tools of a server.
func Run(t *testing.T, cfg Config) *Report {
	t.Helper()
	if long, err := strconv.Atoi(os.Getenv("MCPGEN_LONG")); err == nil {
		cfg.Values = long
	}
	session := Connect(t, cfg.Server, Modern)
	tools, err := session.Tools()
	if err != nil {
		t.Fatal(err)
	}
	tools = slices.DeleteFunc(tools, func(tool Tool) bool { return cfg.Skip[tool.Name] != "" })
	total := &Report{Exceptions: map[Exception]int{}}
	var mu sync.Mutex
	var workers sync.WaitGroup
	next := make(chan Tool)
	for range runtime.GOMAXPROCS(0) {
		session := Connect(t, cfg.Server, Modern)
		workers.Go(func() {
			for tool := range next {
				r := proveTool(session, tool, cfg, cfg.Values/len(tools))
				mu.Lock()
				total.add(r)
				mu.Unlock()
			}
		})
	}
	for _, tool := range tools {
		next <- tool
	}
	close(next)
	workers.Wait()
	slices.SortFunc(total.Failures, func(a, b Failure) int { return strings.Compare(a.Tool+a.What, b.Tool+b.What) })
	for _, f := range total.Failures {
		t.Errorf("%s\n\tvalue: %s\n\t%s", f.Tool, f.Value, f.What)
	}
	t.Log(total)
	return total
}
