package zoo

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/proof/zoo/identity"
)

// Ring goes by way of a named pointer.
type Ring struct {
	Next RingPointer `json:"next,omitempty"`
	N    int8        `json:"n"`
}

// RingPointer is a named pointer.
type RingPointer *Ring

//mcp:tool
func EchoRing(ctx context.Context, in Ring) Ring { return identity.Object(ctx, in) }

//mcp:tool
func EchoColor(ctx context.Context, in Box[Color]) Box[Color] { return identity.Object(ctx, in) }

// Binding is an enumeration of integers with texts of its own.
//
//mcp:enum closed Paperback=paperback Hardback=hardback
type Binding int

const (
	Paperback Binding = iota
	Hardback
)

var bindings = [...]string{"paperback", "hardback"}

// MarshalText writes the name.
func (b Binding) MarshalText() ([]byte, error) {
	if b < 0 || int(b) >= len(bindings) {
		return nil, fmt.Errorf("binding %d", int(b))
	}
	return []byte(bindings[b]), nil
}

// UnmarshalText reads the name.
func (b *Binding) UnmarshalText(text []byte) error {
	for i, name := range bindings {
		if name == string(text) {
			*b = Binding(i)
			return nil
		}
	}
	return fmt.Errorf("no binding %q", text)
}

//mcp:tool
func EchoBinding(ctx context.Context, in Box[Binding]) Box[Binding] { return identity.Object(ctx, in) }

//mcp:tool
func EchoBindingKeys(ctx context.Context, in Box[map[Binding]int]) Box[map[Binding]int] {
	return identity.Object(ctx, in)
}

// Shade may have other values than its constants.
//
//mcp:enum open
type Shade string

const (
	ShadeDark  Shade = "dark"
	ShadeLight Shade = "light"
)

// Unlisted has constants that are not published.
//
//mcp:enum off
type Unlisted string

const (
	UnlistedA Unlisted = "a"
	UnlistedB Unlisted = "b"
)

// Unit is an enumeration although its values look like units.
//
//mcp:enum closed
type Unit int

const (
	Gram Unit = 1
	Kilo Unit = 1000
)

// Lone is an enumeration of one.
//
//mcp:enum closed
type Lone string

const LoneValue Lone = "lone"

//mcp:tool
func EchoShade(ctx context.Context, in Box[Shade]) Box[Shade] { return identity.Object(ctx, in) }

//mcp:tool
func EchoUnlisted(ctx context.Context, in Box[Unlisted]) Box[Unlisted] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoUnit(ctx context.Context, in Box[Unit]) Box[Unit] { return identity.Object(ctx, in) }

//mcp:tool
func EchoLone(ctx context.Context, in Box[Lone]) Box[Lone] { return identity.Object(ctx, in) }

// Weight has a text form that its schema describes.
//
//mcp:schema {"type":"string","pattern":"^[0-9]{1,6}kg$"}
type Weight uint

// MarshalJSON writes the number with its unit.
func (w Weight) MarshalJSON() ([]byte, error) {
	return json.Marshal(strconv.FormatUint(uint64(w)%1000000, 10) + "kg")
}

// UnmarshalJSON reads it.
func (w *Weight) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	n, err := strconv.ParseUint(strings.TrimSuffix(s, "kg"), 10, 20)
	*w = Weight(n)
	return err
}

//mcp:tool
func EchoWeight(ctx context.Context, in Box[Weight]) Box[Weight] { return identity.Object(ctx, in) }

// OutOnly has a method for one direction: it is read by its fields.
type OutOnly struct {
	A int      `json:"a"`
	B []string `json:"b,omitempty"`
}

// MarshalJSON writes a list.
func (o OutOnly) MarshalJSON() ([]byte, error) { return json.Marshal([]any{o.A, o.B}) }

// OutOnlyText is a string that is written in another way than it is read.
type OutOnlyText string

// MarshalText writes it in brackets.
func (o OutOnlyText) MarshalText() ([]byte, error) { return []byte("<" + string(o) + ">"), nil }

// InOnly has a method for the other direction: it is written by its fields.
type InOnly struct {
	A int      `json:"a"`
	B []string `json:"b,omitempty"`
}

// UnmarshalJSON reads a number.
func (i *InOnly) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &i.A) }

//mcp:tool
func EchoOutOnly(ctx context.Context, in Box[OutOnly]) Box[OutOnly] { return identity.Object(ctx, in) }

//mcp:tool
func EchoOutOnlyText(ctx context.Context, in Box[OutOnlyText]) Box[OutOnlyText] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoInOnly(ctx context.Context, in Box[InOnly]) Box[InOnly] { return identity.Object(ctx, in) }
