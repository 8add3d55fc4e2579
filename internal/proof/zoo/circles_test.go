package zoo

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// deepest is the maximum nesting of a type in a result.
const deepest = 1000

// circular are the encoders of types that contain themselves.
var circular = []circularEncoder{
	encoderOf(mcpEncodeBranch), encoderOf(mcpEncodeBranches), encoderOf(mcpEncodeChicken), encoderOf(mcpEncodeCircleA), encoderOf(mcpEncodeExpr),
	encoderOf(mcpEncodeFamily), encoderOf(mcpEncodeFolder), encoderOf(mcpEncodeGrid), encoderOf(mcpEncodeHusk),
	encoderOf(mcpEncodeLadder), encoderOf(mcpEncodeLimited), encoderOf(mcpEncodeLink), encoderOf(mcpEncodeNested),
	encoderOf(mcpEncodeNode), encoderOf(mcpEncodeOnion), encoderOf(mcpEncodePageInt), encoderOf(mcpEncodePagePageString),
	encoderOf(mcpEncodePagePoint), encoderOf(mcpEncodePagePointPtr), encoderOf(mcpEncodePageString), encoderOf(mcpEncodeWrapping),
	encoderOf(mcpEncodeRing), encoderOf(mcpEncodeStoreysMap), encoderOf(mcpEncodeTreeInt), encoderOf(mcpEncodeTreePairStringIntPtr), encoderOf(mcpEncodeTreeString),
	encoderOf(mcpEncodeTreeTreeInt), encoderOf(mcpEncodeVessel),
}

type circularEncoder struct {
	name string
	t    reflect.Type
	put  func(e *wire.Encoder, v any) // v is a pointer
}

func encoderOf[T any](f func(*wire.Encoder, *T)) circularEncoder {
	name := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	return circularEncoder{
		name: name[strings.LastIndexByte(name, '.')+1:],
		t:    reflect.TypeFor[T](),
		put:  func(e *wire.Encoder, v any) { f(e, v.(*T)) },
	}
}

// TestCircularEncoders checks that the list above is complete, and that no other encoder counts
// levels.
func TestCircularEncoders(t *testing.T) {
	source, err := os.ReadFile("mcp_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	var counting, listed []string
	for _, m := range regexp.MustCompile(`(?m)^func (\w+)\(e \*wire\.Encoder, .*\n\tif !e\.Enter\(\)`).FindAllSubmatch(source, -1) {
		counting = append(counting, string(m[1]))
	}
	for _, c := range circular {
		listed = append(listed, c.name)
	}
	slices.Sort(counting)
	slices.Sort(listed)
	if !slices.Equal(counting, listed) {
		t.Errorf("encoders that count:\n%s\nlisted:\n%s", strings.Join(counting, " "), strings.Join(listed, " "))
	}
	if entries, exits := bytes.Count(source, []byte("e.Enter()")), bytes.Count(source, []byte("e.Leave()")); entries != len(counting) || exits != entries {
		t.Errorf("%d encoders count, with %d entries and %d exits", len(counting), entries, exits)
	}
}

// TestDepthOfResults encodes values with the maximum nesting, with one level more, and circular
// ones, for all ways in which a type contains itself.
func TestDepthOfResults(t *testing.T) {
	for _, c := range circular {
		ways := waysBack(c.t)
		if len(ways) == 0 {
			t.Errorf("%s: no way back to %s", c.name, c.t)
		}
		for _, way := range ways {
			e := new(wire.Encoder)
			deep := nest(c.t, way, deepest-2) // with itself, and with the possible values of its parts
			c.put(e, deep.Interface())
			if e.Err() != nil || wire.Valid(e.Bytes(), 10*deepest) != nil {
				t.Errorf("%s, %v: %d levels: %.300v", c.name, way, deepest, e.Err())
			}
			if c.name == "mcpEncodeLink" { // the others have nil slices and maps, or are in own.go
				var want bytes.Buffer
				j := json.NewEncoder(&want)
				j.SetEscapeHTML(false)
				if err := j.Encode(deep.Interface()); err != nil || want.String() != string(e.Bytes())+"\n" {
					t.Errorf("%s, %v: %d levels are not written as encoding/json does: %v", c.name, way, deepest, err)
				}
			}
			e.Reset()
			c.put(e, nest(c.t, way, deepest+1).Interface())
			wantTooDeep(t, c.name, way, e)
			e.Reset()
			c.put(e, circle(c.t, way).Interface())
			wantTooDeep(t, c.name, way, e)
		}
	}
}

func wantTooDeep(t *testing.T, name string, way []step, e *wire.Encoder) {
	t.Helper()
	if err := e.Err(); err == nil || !strings.Contains(err.Error(), "nested deeper than 1000 levels, perhaps in a circle") || len(err.Error()) > 1000 {
		t.Errorf("%s, %v: %.300v", name, way, err)
	}
}

// step is one step from a value to a part of it.
type step struct {
	field int // of a struct
	impl  reflect.Type
}

// exprs are the possible types of an Expr.
var exprs = []reflect.Type{reflect.TypeFor[Sum](), reflect.TypeFor[*Not]()}

// waysBack returns the shortest ways from a type to itself, one for each field at their beginning.
func waysBack(t reflect.Type) [][]step {
	var ways [][]step
	for _, first := range stepsFrom(t) {
		if way := find(next(t, first), t, map[reflect.Type]bool{}); way != nil {
			ways = append(ways, append([]step{first}, way...))
		}
	}
	return ways
}

func find(from, to reflect.Type, seen map[reflect.Type]bool) []step {
	if from == to {
		return []step{}
	}
	if seen[from] {
		return nil
	}
	seen[from] = true
	for _, s := range stepsFrom(from) {
		if way := find(next(from, s), to, seen); way != nil {
			return append([]step{s}, way...)
		}
	}
	return nil
}

func stepsFrom(t reflect.Type) []step {
	var steps []step
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		if t.Kind() != reflect.Array || t.Len() > 0 {
			steps = []step{{}}
		}
	case reflect.Interface:
		for _, impl := range exprs {
			if impl.Implements(t) && t.NumMethod() > 0 {
				steps = append(steps, step{impl: impl})
			}
		}
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() || t == reflect.TypeFor[Parcel]() {
				steps = append(steps, step{field: i})
			}
		}
	}
	return steps
}

func next(t reflect.Type, s step) reflect.Type {
	switch {
	case t.Kind() == reflect.Struct:
		return t.Field(s.field).Type
	case s.impl != nil:
		return s.impl
	}
	return t.Elem()
}

// nest returns a pointer to a value that nests values of its type to a number of levels.
func nest(t reflect.Type, way []step, levels int) reflect.Value {
	v := reflect.New(t)
	for range levels {
		outer := reflect.New(t)
		follow(outer.Elem(), way, func(inner reflect.Value) { inner.Set(v.Elem()) })
		v = outer
	}
	return v
}

// circle returns a pointer to a value that contains itself.
func circle(t reflect.Type, way []step) reflect.Value {
	root := reflect.New(t)
	follow(root.Elem(), way, func(inner reflect.Value) { inner.Set(root.Elem()) })
	return root
}

// follow creates the values on the way, and passes the last one to the function. A container is set
// before that, so that a copy of the beginning contains it.
func follow(v reflect.Value, way []step, end func(reflect.Value)) {
	if len(way) == 0 {
		end(v)
		return
	}
	rest := way[1:]
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		follow(v.Elem(), rest, end)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		follow(v.Index(0), rest, end)
	case reflect.Array:
		follow(v.Index(0), rest, end)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		elem := reflect.New(v.Type().Elem()).Elem()
		follow(elem, rest, end)
		v.SetMapIndex(reflect.ValueOf("a").Convert(v.Type().Key()), elem)
	case reflect.Interface:
		if way[0].impl.Kind() == reflect.Pointer {
			value := reflect.New(way[0].impl.Elem())
			v.Set(value)
			follow(value.Elem(), rest[1:], end)
			return
		}
		// Copies of a struct in an interface share its slice.
		value := reflect.New(way[0].impl).Elem()
		list := value.Field(rest[0].field)
		list.Set(reflect.MakeSlice(list.Type(), 1, 1))
		v.Set(value)
		follow(list.Index(0), rest[2:], end)
	case reflect.Struct:
		if flag := v.FieldByName("Valid"); flag.IsValid() {
			flag.SetBool(true)
		}
		field := v.Field(way[0].field)
		if p, ok := v.Addr().Interface().(*Parcel); ok {
			p.wrapping = new(Wrapping)
			follow(reflect.ValueOf(p.wrapping).Elem(), rest[1:], end)
			return
		}
		follow(field, rest, end)
	}
}
