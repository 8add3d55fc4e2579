package contract

import (
	"math/bits"
	"strings"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

// types is a set of JSON types. Integers and other numbers are distinct.
type types uint8

const (
	nullType types = 1 << iota
	booleanType
	integerType
	fractionType
	stringType
	arrayType
	objectType

	numberType = integerType | fractionType
	allTypes   = nullType | booleanType | numberType | stringType | arrayType | objectType
)

var typeNames = []struct {
	name string
	set  types
}{
	{"string", stringType},
	{"number", numberType},
	{"integer", integerType},
	{"boolean", booleanType},
	{"array", arrayType},
	{"object", objectType},
	{"null", nullType},
}

func typeOf(name string) types {
	for _, t := range typeNames {
		if t.name == name {
			return t.set
		}
	}
	return 0
}

// String returns the names of the types: "string or null".
func (t types) String() string {
	switch t {
	case 0:
		return "nothing"
	case allTypes:
		return "any"
	}
	var names []string
	for _, n := range typeNames {
		if t&n.set == n.set && (n.set != integerType || t&fractionType == 0) {
			names = append(names, n.name)
		}
	}
	if t&numberType == fractionType {
		names = append(names, "fraction")
	}
	return strings.Join(names, " or ")
}

// one reports whether the set contains a single type; number counts as one.
func (t types) one() bool { return bits.OnesCount8(uint8(t)) == 1 || t == numberType }

// typesOf returns the type of a value; 1.0 is an integer, too.
func typesOf(v *jsontree.Value) types {
	switch v.Kind {
	case jsontree.Null:
		return nullType
	case jsontree.Boolean:
		return booleanType
	case jsontree.Text:
		return stringType
	case jsontree.Array:
		return arrayType
	case jsontree.Object:
		return objectType
	}
	if r := jsontree.Rational(v); r == nil {
		return numberType
	} else if r.IsInt() {
		return integerType
	}
	return fractionType
}
