package schema

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// TestNumbering checks the meaning of a type's constants, in the package itself and in another one:
// the rule is the same. A question mark means a warning.
func TestNumbering(t *testing.T) {
	for _, tt := range []struct {
		consts, want string
	}{
		// Choices.
		{"A T = iota; B", "enum"},
		{"A T = iota; B; C", "enum"},
		{"A T = iota + 1; B", "enum"},
		{"A T = iota + 1; B; C", "enum"},
		{"A T = iota + 1; B; C; D", "enum"},
		{"A T = 1; B T = 2", "enum"},
		{"A T = iota - 1; B; C", "enum"},
		{"A T = -8; B T = -4; C T = 0; D T = 4", "enum"},
		{"A T = iota * 10; B; C", "enum"},
		{"A T = iota << 4; B; C; D", "enum"},
		{"A T = 16; B T = 32", "enum"},
		{"A T = 200; B T = 201; C T = 301; D T = 404; E T = 500", "enum"},
		{"A T = 100; B T = 200; C T = 300; D T = 400; E T = 500", "enum"},
		{"A T = 1000; B T = 1001; C T = 2000; D T = 2001", "enum"},
		{"A T = 22; B T = 80; C T = 443", "enum"},
		{"A T = 1; B T = 404", "enum"},
		{"A T = 0; B T = 404", "enum"},
		{"A T = 25; B T = 50; C T = 75; D T = 100", "enum"},
		{"A T = 1; B T = 2; C T = 3; D T = 4; E T = 6", "enum"},                    // 5 was taken out
		{"A T = 1; B T = 2; C T = 3; D T = 4; E T = 5; F T = 8; G T = 16", "enum"}, // 5 in a run is not a combination
		{"A T = 0; B T = 1; C T = 2; D T = 5; E T = 10", "enum"},
		{"A T = 10; B T = 1<<8 | 10; C T = 2<<8 | 10; D T = 3<<8 | 10", "enum"}, // codes in two parts
		{"A T = 'a'; B T = 'b'; C T = 'x'", "enum"},
		{"A T = 0x0401; B T = 0x0501; C T = 0x0807", "enum"},
		// Flags.
		{"A T = 1 << iota; B", ""},
		{"A T = 1 << iota; B; C", ""},
		{"_ T = 1 << iota; A; B; C", ""},
		{"A T = 1 << iota; B; AB = A | B", ""},
		{"A T = 1 << iota; B; C; All = A | B | C", ""},
		{"N T = 0; A T = 1 << 0; B T = 1 << 1", ""},
		{"A T = 0x1; B T = 0x2; C T = 0x4; D T = 0x7", ""},
		{"A T = 1; B T = 2; C T = 4; D T = 8; E T = 16", ""},
		{"A T = 1; B T = 2; C T = 4; All T = -1", "?"},
		{"A T = 1; B T = 2; C T = 4", "?"},
		{"A T = 1; B T = 2; C T = 4; D T = 7", "?"},
		{"A T = 8; B T = 16; C T = 32; D T = 64", "?"}, // perhaps sizes of words
		{"A T = 1 << (32 - 1 - iota); B; C; Type = A | B | C; Perm T = 0777", ""},
		{"A T = 0x1; B T = 0x2; C T = 0x4; M T = 0xff0000", ""},
		// Units.
		{"A T = 1; B T = 1000; C T = 1024", ""},
		{"A T = 1; B T = 60; C T = 3600", ""},
		{"A T = 1; B T = 1000; C T = 1000000; D T = 60000000; E T = 3600000000", ""},
		{"A T = 1; B = 60 * A; C = 60 * B", ""},
		{"A T = 1 << (10 * (iota + 1)); B", ""},
		{"A T = 1024; B T = 1048576", ""},
		{"A T = 1; B T = 8; C T = 1000; D T = 8000", ""},
		{"A T = 1; B T = 1000; C T = 1000000; Max T = 1<<63 - 1", ""},
		{"A T = 1; B = 100 * A", ""},
		{"A T = 254; B = 12 * A; C = 3 * B", "?"},
		{"A T = 1; B T = 100", "?"},
		{"A T = 1; B T = 1000", "?"},
		{"A T = 1; B T = 10; C T = 100", "?"},
		{"A T = 1; B T = 60", "?"},
		{"A T = 1000; B T = 1024; C T = 1000000; D T = 1048576", ""},
		{"A T = 1; B T = 8; C T = 60", "?"},
	} {
		for _, foreign := range []bool{false, true} {
			got := numberedAs(t, tt.consts, foreign)
			if got != tt.want {
				t.Errorf("%s (of another package: %v): %q, want %q", tt.consts, foreign, got, tt.want)
			}
		}
	}
}

// numberedAs returns "enum", with a question mark if there is a warning.
func numberedAs(t *testing.T, consts string, foreign bool) string {
	t.Helper()
	decl := "type T int64\n\nconst (\n\t" + strings.ReplaceAll(consts, "; ", "\n\t") + "\n)\n"
	files := map[string]string{"a.go": "package main\n\n" + decl + "\ntype X = T\n"}
	if foreign {
		files = map[string]string{"a.go": "package main\n\nimport \"example.com/dep\"\n\ntype X = dep.T\n", "dep/dep.go": "package dep\n\n" + decl}
	}
	s := checkSource(t, files)
	plan := s.Type(s.typeOf(t, "X"), Argument, s.place("X"))
	got := ""
	if plan.Enum.Closed() != nil {
		got = "enum"
	}
	if s.diags.Len() > 0 {
		got += "?"
		if said := s.printed(); !strings.Contains(said, "//mcp:enum") || foreign && !strings.Contains(said, "//mcp:enum example.com/dep.T ") {
			t.Errorf("%s: no way out in %s", consts, said)
		}
	}
	if notes := s.diags.WithNotes().Len(); got == "" && notes == 0 {
		t.Errorf("%s: nothing is said", consts)
	}
	return got
}

// TestSourceUnread checks, without the source, sets of constants that only their source proves to
// be choices.
func TestSourceUnread(t *testing.T) {
	unread := func() evidence { return evidence{} }
	for values, want := range map[string]numbering{
		"1 2": {choices, false}, "0 1 2": {choices, false}, "1 2 3": {choices, true}, "0 1": {choices, true},
		"200 400": {choices, true}, "1 2 4": {flags, false}, "1 60 3600": {units, true},
	} {
		if got := judge(numbersOf(values), unread); got != want {
			t.Errorf("%s: %v, want %v", values, got, want)
		}
	}
}

func numbersOf(text string) (values []*big.Int) {
	for _, word := range strings.Fields(text) {
		n, _ := new(big.Int).SetString(word, 10)
		values = append(values, n)
	}
	return values
}

// TestNumberingOfMany checks random sets of each kind by their values alone, in any order and with
// duplicates: choices stay an enumeration, flags and units do not.
func TestNumberingOfMany(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	plain := func() evidence { return evidence{known: true} }
	some := func(all []int64) []int64 { // at least three
		rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		return all[:3+rnd.IntN(len(all)-2)]
	}
	for range 20_000 {
		check := func(kind meaning, name string, values []int64) {
			t.Helper()
			values = append(values, values[rnd.IntN(len(values))]) // another name for one of them
			rnd.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
			var numbers []*big.Int
			for _, v := range values {
				numbers = append(numbers, big.NewInt(v))
			}
			got := judge(numbers, plain).meaning
			if (got == choices) != (kind == choices) {
				slices.Sort(values)
				t.Fatalf("%s %v are taken for %v", name, values, got)
			}
		}
		first, n := int64(rnd.IntN(6)-2), 2+rnd.IntN(40)
		var run, steps, codes, bits, scale []int64
		for i := range int64(n) {
			run, steps = append(run, first+i), append(steps, (i+1)*int64(1+n))
		}
		check(choices, "consecutive numbers", run)
		check(choices, "numbers in steps", steps)
		for range 4 + n {
			codes = append(codes, 100+int64(rnd.IntN(500)))
		}
		check(choices, "codes", codes)
		shift := rnd.IntN(30)
		for i := range 3 + rnd.IntN(20) {
			bits = append(bits, 1<<(shift+i))
		}
		bits = some(bits)
		if len(bits) == 3 || rnd.IntN(2) == 0 {
			check(flags, "bits", slices.Clone(bits))
		} else {
			check(flags, "bits and a combination", append(slices.Clone(bits), bits[0]|bits[1]|bits[2], 0))
		}
		base := []int64{1000, 1024}[rnd.IntN(2)]
		for i, unit := 0, int64(1+rnd.IntN(5)); i < 5; i, unit = i+1, unit*base {
			scale = append(scale, unit)
		}
		check(units, "units", some(scale))
		check(units, "times", some([]int64{1, 1000, 1e6, 1e9, 60e9, 3600e9, 86400e9}))
		check(units, "both kinds of bytes", some([]int64{1, 1000, 1024, 1e6, 1 << 20, 1e9, 1 << 30}))
	}
}

// TestFlagsOfLibrary checks types of the standard library, without their source.
func TestFlagsOfLibrary(t *testing.T) {
	s := check(t, `
import (
	"crypto/tls"
	"go/ast"
	"go/doc"
	"go/parser"
	"net"
	"os"
	"reflect"
	"regexp/syntax"
	"time"
)
type (
	FileMode  = os.FileMode
	NetFlags  = net.Flags
	DocMode   = doc.Mode
	ParseMode = parser.Mode
	Syntax    = syntax.Flags
	Duration  = time.Duration
	Month     = time.Month
	Weekday   = time.Weekday
	Kind      = reflect.Kind
	Scheme    = tls.CurveID
	Dir       = ast.ObjKind
)
`)
	for name, want := range map[string]bool{
		"FileMode": false, "NetFlags": false, "DocMode": false, "ParseMode": false, "Syntax": false, "Duration": false,
		"Month": true, "Weekday": true, "Kind": true, "Dir": true,
	} {
		plan := s.Type(s.typeOf(t, name), Result, diag.Place{Subject: name})
		if plan == nil {
			t.Fatal(s.printed())
		}
		if plan.Kind != model.Int && plan.Kind != model.Uint {
			continue // it has its own text
		}
		if got := plan.Enum.Closed() != nil; got != want {
			t.Errorf("%s is an enumeration: %v", name, got)
		}
	}
}
