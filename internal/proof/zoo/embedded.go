package zoo

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/zoo/identity"
)

// Base is embedded in many ways.
type Base struct {
	ID   string `json:"id"`
	Name string
	At   time.Time `json:"at,omitzero"`
}

type base struct {
	Shown int
}

// Embedding embeds exported and unexported structs.
type Embedding struct {
	Base
	base
	Own int
}

// Shadowing hides fields of what it embeds.
type Shadowing struct {
	Base
	ID    int    `json:"id"`
	Label string `json:"Name"`
}

// Renamed gives the embedded struct a name.
type Renamed struct {
	Base `json:"base"`
	Own  int
}

// Inline has an option that encoding/json ignores.
type Inline struct {
	Part Point `json:",inline"`
	Base `json:",inline"`
}

// Left and Right have names in common.
type (
	Left struct {
		X, Y, Z int
		L       int
	}
	Right struct {
		X   int
		Y   int `json:"Y"`
		Zed int `json:"Z"`
		R   int
	}
)

// Conflict drops X; for Y and Z the tagged fields are used.
type Conflict struct {
	Left
	Right
}

// Tagged has two tags for the same name at the same depth, which drop each other.
type Tagged struct {
	TaggedA
	*TaggedB
	Own int
}

type TaggedA struct {
	A     int `json:"same"`
	OnlyA int
}
type TaggedB struct {
	B     int `json:"same"`
	OnlyB int
}

// Deep reaches fields at several depths.
type Deep struct {
	Middle
	Top int `json:"top"`
}

type Middle struct {
	Bottom
	Top int `json:"top"`
	Mid int `json:"mid"`
}

type Bottom struct {
	Top int `json:"top"`
	Mid int `json:"mid"`
	Low int `json:"low"`
}

// Diamond reaches the same struct twice.
type Diamond struct {
	DiamondA
	DiamondB
	Own int
}

type DiamondA struct {
	Bottom
	A int
}
type DiamondB struct {
	*Bottom
	B int
}

// Resolved is a conflict below that a field above decides.
type Resolved struct {
	Left
	Right
	X string
}

// ByPointer embeds pointers.
type ByPointer struct {
	*Base
	Own int
}

// ByPointers embeds pointers to structs that embed pointers.
type ByPointers struct {
	*Outer
	Own int `json:"own,omitempty"`
}

type Outer struct {
	*Inner
	O []int `json:"o"`
}

type Inner struct {
	I *int           `json:"i"`
	J map[string]int `json:"j"`
	K string         `json:"k,omitempty"`
}

// PointerConflict has a name both by pointer and by value.
type PointerConflict struct {
	*Left
	Right
}

// Itself embeds a pointer to itself.
type Itself struct {
	*Itself
	N int
}

// Scalar embeds types other than structs.
type Scalar struct {
	Label
	Count `json:"count"`
	time.Month
	*Flag
}

// WithAlias embeds an alias.
type WithAlias struct {
	AliasOfPoint
	Z int
}

type AliasOfPoint = Point

// WithGeneric embeds an instantiated struct.
type WithGeneric struct {
	Pair[int, string]
	Own bool
}

// Hiding drops an embedded struct and a field.
type Hiding struct {
	Base `json:"-"`
	Own  int
	Gone int `json:"-"`
}

// Options has options without names on embedded structs.
type Options struct {
	Base  `json:",omitempty"`
	Point `json:",omitzero"`
}

//mcp:tool
func EchoEmbedding(ctx context.Context, in Embedding) Embedding { return identity.Object(ctx, in) }

//mcp:tool
func EchoShadowing(ctx context.Context, in Shadowing) Shadowing { return identity.Object(ctx, in) }

//mcp:tool
func EchoRenamed(ctx context.Context, in Renamed) Renamed { return identity.Object(ctx, in) }

//mcp:tool
func EchoInline(ctx context.Context, in Inline) Inline { return identity.Object(ctx, in) }

//mcp:tool
func EchoConflict(ctx context.Context, in Conflict) Conflict { return identity.Object(ctx, in) }

//mcp:tool
func EchoTagged(ctx context.Context, in Tagged) Tagged { return identity.Object(ctx, in) }

//mcp:tool
func EchoDeep(ctx context.Context, in Deep) Deep { return identity.Object(ctx, in) }

//mcp:tool
func EchoDiamond(ctx context.Context, in Diamond) Diamond { return identity.Object(ctx, in) }

//mcp:tool
func EchoResolved(ctx context.Context, in Resolved) Resolved { return identity.Object(ctx, in) }

//mcp:tool
func EchoByPointer(ctx context.Context, in ByPointer) ByPointer { return identity.Object(ctx, in) }

//mcp:tool
func EchoByPointers(ctx context.Context, in ByPointers) ByPointers { return identity.Object(ctx, in) }

//mcp:tool
func EchoPointerConflict(ctx context.Context, in PointerConflict) PointerConflict {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoItself(ctx context.Context, in Itself) Itself { return identity.Object(ctx, in) }

//mcp:tool
func EchoScalar(ctx context.Context, in Scalar) Scalar { return identity.Object(ctx, in) }

//mcp:tool
func EchoWithAlias(ctx context.Context, in WithAlias) WithAlias { return identity.Object(ctx, in) }

//mcp:tool
func EchoWithGeneric(ctx context.Context, in WithGeneric) WithGeneric {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoHiding(ctx context.Context, in Hiding) Hiding { return identity.Object(ctx, in) }

//mcp:tool
func EchoOptions(ctx context.Context, in Options) Options { return identity.Object(ctx, in) }

//mcp:tool
func EchoBoxOfEmbedding(ctx context.Context, in Box[Embedding]) Box[Embedding] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoBoxOfByPointer(ctx context.Context, in Box[ByPointer]) Box[ByPointer] {
	return identity.Object(ctx, in)
}
