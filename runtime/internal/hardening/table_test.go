package hardening_test

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// row is a failure of servers.
type row struct {
	name string            // name of its tests
	what string            // a short description
	here string            // its outcome
	not  map[string]string // reason why it does not concern a transport
	run  func(t *testing.T, v target)

	// common means that the same code handles it on every transport, so that before a merge some
	// transports are enough.
	common bool
}

// commonTransports are the transports that run rows with the field common: a stream, and HTTP of
// both kinds.
var commonTransports = []string{memory, httpLegacy, httpModern}

// except returns the reason why a row does not concern transports.
func except(reason string, names ...string) map[string]string {
	not := map[string]string{}
	for _, name := range names {
		not[name] = reason
	}
	return not
}

// only returns the reason why a row concerns only these transports.
func only(reason string, names ...string) map[string]string {
	not := map[string]string{}
	for _, w := range transports {
		if !slices.Contains(names, w.name) {
			not[w.name] = reason
		}
	}
	return not
}

// and joins reasons.
func and(all ...map[string]string) map[string]string {
	not := map[string]string{}
	for _, some := range all {
		maps.Copy(not, some)
	}
	return not
}

func TestHardening(t *testing.T) {
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			for _, w := range transports {
				if r.common && !*allTransports && !slices.Contains(commonTransports, w.name) {
					continue
				}
				t.Run(w.name, func(t *testing.T) {
					if reason := r.not[w.name]; reason != "" {
						t.Logf("does not apply: %s", reason)
						return
					}
					if len(w.eras) == 1 {
						r.run(t, target{transport: w, era: w.eras[0]})
						return
					}
					for _, e := range w.eras {
						t.Run(string(e), func(t *testing.T) { r.run(t, target{transport: w, era: e}) })
					}
				})
			}
		})
	}
}

var printTable = flag.Bool("table", false, "print the table of what is tested over which transport, in Markdown")

// TestTable checks that every row covers every transport, and no unknown one.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rows {
		if seen[r.name] || r.what == "" || r.here == "" || r.run == nil {
			t.Errorf("row %q is twice there, or not complete", r.name)
		}
		seen[r.name] = true
		if len(r.not) == len(transports) {
			t.Errorf("row %q concerns no transport", r.name)
		}
		for name, reason := range r.not {
			if !slices.ContainsFunc(transports, func(w *transport) bool { return w.name == name }) || reason == "" {
				t.Errorf("row %q: transport %q, reason %q", r.name, name, reason)
			}
		}
	}
	if *printTable {
		fmt.Print(table())
	}
}

// table returns the table, with the reasons below it.
func table() string {
	var b strings.Builder
	b.WriteString("| what happens | what comes of it |")
	for _, w := range transports {
		b.WriteString(" " + w.name + " |")
	}
	b.WriteString("\n|---|---|" + strings.Repeat(":-:|", len(transports)) + "\n")
	var reasons []string
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s |", cell(r.what), cell(r.here))
		for _, w := range transports {
			reason := r.not[w.name]
			if reason == "" {
				b.WriteString(" ✓ |")
				continue
			}
			i := slices.Index(reasons, reason)
			if i < 0 {
				i = len(reasons)
				reasons = append(reasons, reason)
			}
			fmt.Fprintf(&b, " %d |", i+1)
		}
		b.WriteString("\n")
	}
	b.WriteString("\nDoes not apply:\n\n")
	for i, reason := range reasons {
		fmt.Fprintf(&b, "%d. %s\n", i+1, reason)
	}
	return b.String()
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
