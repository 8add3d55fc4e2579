package mcpimpl

import (
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Fixed returns a function that returns the value of a JSON text, made anew for each call,
// since its caller may change it. It panics if the type refuses the text, so that a
// program does not start with another value than the one that is written in its source.
func Fixed[T any](text string, read func(*wire.Decoder, *T)) func() T {
	value := func() (v T) {
		d := wire.NewDecoder([]byte(text), wire.Options{})
		read(d, &v)
		if err := d.Finish(); err != nil {
			panic(fmt.Sprintf("mcpgen: the fixed value %s of type %T cannot be read: %v", text, v, err))
		}
		return v
	}
	value()
	return value
}
