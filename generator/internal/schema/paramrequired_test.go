package schema

import (
	"go/types"
	"testing"
)

// TestPointerParameters covers pointer parameters: a pointer to a struct is required, whatever its
// JSON form.
func TestPointerParameters(t *testing.T) {
	s := checkSource(t, map[string]string{
		"a.go": `package main

import (
	"database/sql"
	"log/slog"
	"math/big"
	"net/netip"
	"net/url"
	"regexp"
	"time"

	"example.com/dep"
)

type plain struct{ A int }
type JSON struct{ a int }
func (*JSON) UnmarshalJSON([]byte) error { return nil }
type Text struct{ a int }
func (*Text) UnmarshalText([]byte) error { return nil }
func (Text) MarshalText() ([]byte, error) { return nil, nil }
type Promoted struct{ *JSON }
type Number int
func (*Number) UnmarshalJSON([]byte) error { return nil }
type List []int
func (*List) UnmarshalText([]byte) error { return nil }
type Generic[T any] struct{ v T }
func (*Generic[T]) UnmarshalJSON([]byte) error { return nil }
type Named *Text
type Alias = Text
type Described struct{ a int }

func X(
	required1 *plain, required2 *JSON, required3 *Text, required4 *Promoted, required5 *Generic[int], required6 Named, required7 *Alias,
	required8 *url.URL, required9 *big.Int, required10 *regexp.Regexp, required11 *struct{ A int }, required12 *dep.Handle, required13 *Described,
	required14 *big.Rat,
	optional1 *Number, optional2 *List, optional3 *time.Time, optional4 *netip.Addr, optional5 **JSON, optional6 *sql.NullString, optional7 *int,
	optional8 *dep.Value, optional9 *slog.Level, optional10 ...*JSON,
) {}
`,
		"dep/dep.go": "package dep\ntype Handle struct{ a int }\nfunc (*Handle) UnmarshalText([]byte) error { return nil }\n" +
			"func (*Handle) MarshalText() ([]byte, error) { return nil, nil }\ntype Value struct{ a int }\n" +
			"func (*Value) UnmarshalJSON([]byte) error { return nil }\nfunc (Value) MarshalJSON() ([]byte, error) { return nil, nil }\n",
	})
	s.modules = []string{"example.com/main"}
	s.SetForm(s.pkg.Types.Scope().Lookup("Described").(*types.TypeName), &Form{Schema: &SchemaForm{JSON: `{"type":"object"}`}})
	sig := s.typeOf(t, "X").(*types.Signature)
	for i := range sig.Params().Len() {
		v := sig.Params().At(i)
		f := s.Param(v.Name(), v.Type(), i == sig.Params().Len()-1, s.place("X"))
		if f == nil {
			t.Fatalf("%s: %s", v.Name(), s.printed())
		}
		if want := v.Name()[:8] == "required"; f.Required != want {
			t.Errorf("%s %s: required %v", v.Name(), v.Type(), f.Required)
		}
	}
}
