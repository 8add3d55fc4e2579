package mcpimpl

import (
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Fixed returns a new value decoded from JSON for each call, since its caller may change it. what
// names the value for people, such as "tool find: the default of argument host". It panics if the
// type refuses the JSON; RegisterMCP calls it for each value, so that a program does not serve with
// another value than its source contains.
func Fixed[T any](what, text string, read func(*wire.Decoder, *T)) (v T) {
	d := wire.NewDecoder([]byte(text), wire.Options{AnyChoice: true, Help: wire.Advice()})
	read(d, &v)
	if err := d.Finish(); err != nil {
		panic(fmt.Sprintf("mcpgen: %s is %s, which type %T refuses: %v", what, text, v, err))
	}
	return v
}
