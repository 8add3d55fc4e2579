// Package show formats any value of a program for logs. Values may contain themselves, have
// endlessly many parts, and have methods that panic. None of this may end the process.
package show

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// JSON returns any value of the program as JSON of at most limit bytes. Values that contain
// themselves, that are too large, or whose methods panic, are errors.
func JSON(v any, limit int) (text []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			text, err = nil, errors.New("panic: "+Panic(p))
		}
	}()
	e := new(wire.Encoder)
	e.SetLimit(limit, nil)
	wire.PutAny(e, &v)
	if err := e.Err(); err != nil {
		return nil, err
	}
	return e.Bytes(), nil
}

// maxPanic limits the logged JSON of a panic value, in bytes.
const maxPanic = 16 << 10

// Panic returns the text to log for a panic value. Unlike fmt it does not follow a cyclic value for
// ever.
func Panic(value any) (text string) {
	defer func() {
		if recover() != nil { // a method of the value has panicked as well
			text = fmt.Sprintf("a value of type %T", value)
		}
	}()
	switch v := value.(type) {
	case error:
		return v.Error()
	case fmt.Stringer:
		return v.String()
	}
	if Flat(value) {
		return fmt.Sprint(value)
	}
	json, err := JSON(value, maxPanic)
	if err != nil {
		return fmt.Sprintf("a value of type %T", value)
	}
	return fmt.Sprintf("%T %s", value, json)
}

// Flat reports whether a value has no parts, so that fmt can always print it.
func Flat(value any) bool { return flatKind(reflect.ValueOf(value).Kind()) }

func flatKind(k reflect.Kind) bool {
	switch k {
	case reflect.Map, reflect.Slice, reflect.Array, reflect.Struct, reflect.Pointer, reflect.Interface:
		return false
	}
	return true
}
