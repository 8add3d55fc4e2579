package zoo

import (
	"context"

	"github.com/mcpgen/mcpgen/internal/proof/zoo/identity"
)

// Point is a small struct.
type Point struct {
	X int `json:"x"`
	Y int `json:"y"`
}

//mcp:tool
func EchoPoint(ctx context.Context, in Box[Point]) Box[Point] { return identity.Object(ctx, in) }

//mcp:tool
func EchoPointerToPoint(ctx context.Context, in Box[*Point]) Box[*Point] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoPoints(ctx context.Context, in Box[[]Point]) Box[[]Point] { return identity.Object(ctx, in) }

//mcp:tool
func EchoPointsByName(ctx context.Context, in Box[map[string]Point]) Box[map[string]Point] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoListOfPoints(ctx context.Context, value []Point) []Point { return identity.Value(ctx, value) }

//mcp:tool
func EchoListOfPointerPoints(ctx context.Context, value []*Point) []*Point {
	return identity.Value(ctx, value)
}

//mcp:tool
func EchoMapOfPoints(ctx context.Context, value map[string]Point) map[string]Point {
	return identity.Value(ctx, value)
}

// Anonymous has structs without a name.
type Anonymous struct {
	Part struct {
		X     int `json:"x"`
		Inner struct {
			Y []struct{ Z string }
		}
	} `json:"part"`
	Ptr  *struct{ A int } `json:"ptr"`
	List []struct{ B bool }
	Map  map[string]struct{ C float64 }
	Same struct{ B bool }
}

//mcp:tool
func EchoAnonymous(ctx context.Context, in Anonymous) Anonymous { return identity.Object(ctx, in) }

// Keywords has fields whose names clash with what generated code uses.
type Keywords struct {
	Func   int `json:"func"`
	D      int `json:"d"`
	O      int `json:"o"`
	E      int `json:"e"`
	V      int `json:"v"`
	Args   int `json:"args"`
	Ctx    int `json:"ctx"`
	Err    int `json:"err"`
	Wire   int `json:"wire"`
	Mcp    int `json:"mcp"`
	String int `json:"string"`
	Nil    int `json:"nil"`
	True   int `json:"true"`
}

//mcp:tool
func EchoKeywords(ctx context.Context, in Keywords) Keywords { return identity.Object(ctx, in) }
