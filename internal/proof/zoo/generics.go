package zoo

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/zoo/identity"
)

// Pair is two of anything.
type Pair[A, B any] struct {
	First  A `json:"first"`
	Second B `json:"second"`
}

// Page is a part of a list.
type Page[T any] struct {
	Items []T      `json:"items"`
	Next  *Page[T] `json:"next,omitempty"`
	Total int      `json:"total"`
}

// Either nests instances in instances.
type Either[L, R any] struct {
	Left  *L                     `json:"left,omitempty"`
	Right *R                     `json:"right,omitempty"`
	Both  *Pair[L, Pair[R, []L]] `json:"both,omitempty"`
}

// Set is a generic map.
type Set[K ~string] map[K]bool

// Vector is a generic slice.
type Vector[T any] []T

// Tree is a generic tree.
type Tree[T any] struct {
	Value T         `json:"value"`
	Kids  []Tree[T] `json:"kids,omitempty"`
}

//mcp:tool
func EchoPairOfScalars(ctx context.Context, in Pair[int, string]) Pair[int, string] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoPairOfPairs(ctx context.Context, in Pair[Pair[bool, int8], Pair[[]string, map[string]Point]]) Pair[Pair[bool, int8], Pair[[]string, map[string]Point]] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoPageOfInts(ctx context.Context, in Page[int]) Page[int] { return identity.Object(ctx, in) }

//mcp:tool
func EchoPageOfPoints(ctx context.Context, in Page[Point]) Page[Point] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoPageOfPages(ctx context.Context, in Page[Page[string]]) Page[Page[string]] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoPageOfPointers(ctx context.Context, in Page[*Point]) Page[*Point] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoEither(ctx context.Context, in Either[Point, time.Time]) Either[Point, time.Time] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoEitherOfSame(ctx context.Context, in Either[Label, Label]) Either[Label, Label] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoSet(ctx context.Context, in Box[Set[Label]]) Box[Set[Label]] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoSetOfSorts(ctx context.Context, in Box[Set[Sort]]) Box[Set[Sort]] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoVector(ctx context.Context, in Box[Vector[Vector[int]]]) Box[Vector[Vector[int]]] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoTreeOfStrings(ctx context.Context, in Tree[string]) Tree[string] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoTreeOfTrees(ctx context.Context, in Tree[Tree[int]]) Tree[Tree[int]] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoTreeOfPairs(ctx context.Context, in Tree[Pair[string, *int]]) Tree[Pair[string, *int]] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoVectorRoot(ctx context.Context, value Vector[Point]) Vector[Point] {
	return identity.Value(ctx, value)
}
