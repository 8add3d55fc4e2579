package prove

import (
	"database/sql"
	"math"
	"math/big"
	"reflect"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

type converted struct{}

// The refusal of a valid integer is attributed to the range of the Go type only if the type cannot
// hold it on this platform; a value beyond that range is never accepted.
func TestRanges(t *testing.T) {
	f := forms(func(t reflect.Type, _ *Node) reflect.Type {
		if t == reflect.TypeFor[converted]() {
			return reflect.TypeFor[*int]()
		}
		return nil
	})
	s, err := ParseSchema(`{"type":"object","properties":{"value":{"type":"integer"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		t     reflect.Type
		last  uint64 // the largest number that the type holds
		known bool   // whether the type is known
	}{
		{reflect.TypeFor[int32](), math.MaxInt32, true},
		{reflect.TypeFor[int64](), math.MaxInt64, true},
		{reflect.TypeFor[uint64](), math.MaxUint64, true},
		{reflect.TypeFor[int](), math.MaxInt, true},
		{reflect.TypeFor[uint](), math.MaxUint, true},
		{reflect.TypeFor[**int](), math.MaxInt, true},
		{reflect.TypeFor[sql.NullInt32](), math.MaxInt32, true},
		{reflect.TypeFor[sql.NullInt64](), math.MaxInt64, true},
		{reflect.TypeFor[sql.Null[int]](), math.MaxInt, true},
		{reflect.TypeFor[sql.Null[sql.Null[*int]]](), math.MaxInt, true},
		{reflect.TypeFor[converted](), math.MaxInt, true},
		{reflect.TypeFor[sql.Null[converted]](), math.MaxInt, true},
		{reflect.TypeFor[struct{}](), math.MaxInt64, false},
	} {
		last := new(big.Int).SetUint64(tt.last)
		for text, over := range map[string]bool{last.String(): false, last.Add(last, big.NewInt(1)).String(): true} {
			n := object(Member{Name: "value", Value: numeral(text)})
			holder := holderOf(tt.t, false)
			out := &Outcome{Problems: []wire.Violation{{Path: "value", Rule: wire.RuleMaximum}}}
			e, ok := f.refusal(n, s, holder, out, func(*Node) bool { return true })
			if ok != over || ok && e != Ranges {
				t.Errorf("%s: the refusal of %s is due to %d: %t", tt.t, text, e, ok)
			}
			if path, ok := beyond(f.places(n, s, holder)); ok != (over && tt.known) {
				t.Errorf("%s: %s is beyond the range at %q: %t", tt.t, text, path, ok)
			}
		}
	}
}
