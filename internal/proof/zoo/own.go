package zoo

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/zoo/identity"
)

// The types in this file have a JSON form that encoding/json lacks. The names of their tools begin
// with own.

// Shape is a sealed interface.
type Shape interface{ shape() }

// Circle and Square are shapes.
type (
	Circle struct {
		Radius float64 `json:"radius" jsonschema:"minimum=0"`
	}
	Square struct {
		Side int      `json:"side"`
		Tags []string `json:"tags,omitempty"`
	}
	// Dot has no fields of its own.
	Dot struct{}
)

func (Circle) shape()  {}
func (*Square) shape() {}
func (Dot) shape()     {}

// Expr is a recursive union with another discriminator.
//
//mcp:union discriminator=op Sum=add Literal=literal Not=not
type Expr interface{ expr() }

// The expressions.
type (
	Sum struct {
		Terms []Expr `json:"terms"`
	}
	Literal struct {
		Value int8 `json:"value"`
	}
	Not struct {
		Inner Expr `json:"inner"`
	}
)

func (Sum) expr()     {}
func (Literal) expr() {}
func (*Not) expr()    {}

//mcp:tool name=own_shape
func EchoOwnShape(ctx context.Context, in Drawing) Drawing { return identity.Object(ctx, in) }

// Drawing has unions in all places.
type Drawing struct {
	Main Shape            `json:"main"`
	Opt  Shape            `json:"opt,omitempty"`
	List []Shape          `json:"list"`
	Map  map[string]Shape `json:"map,omitempty"`
	Ptr  *Shape           `json:"ptr"`
}

//mcp:tool name=own_expr
func EchoOwnExpr(ctx context.Context, in Formula) Formula { return identity.Object(ctx, in) }

// Formula holds an expression.
type Formula struct {
	Expr Expr `json:"expr"`
}

// Row has the types of a database.
type Row struct {
	Name  sql.NullString            `json:"name"`
	Age   sql.NullInt32             `json:"age"`
	Byte  sql.NullByte              `json:"byte"`
	Flag  sql.NullBool              `json:"flag"`
	Rate  sql.NullFloat64           `json:"rate"`
	At    sql.NullTime              `json:"at"`
	Point sql.Null[Point]           `json:"point"`
	List  []sql.NullInt64           `json:"list"`
	Map   map[string]sql.NullString `json:"map"`
	Opt   sql.NullString            `json:"opt,omitzero"`
	Ptr   *sql.NullString           `json:"ptr"`
}

//mcp:tool name=own_row
func EchoOwnRow(ctx context.Context, in Row) Row { return identity.Object(ctx, in) }

// Page of links.
type Links struct {
	Home   url.URL             `json:"home"`
	Next   *url.URL            `json:"next,omitempty"`
	All    []url.URL           `json:"all"`
	ByName map[string]*url.URL `json:"byName"`
}

//mcp:tool name=own_links
func EchoOwnLinks(ctx context.Context, in Links) Links { return identity.Object(ctx, in) }

// weekdays are how days travel.
var weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

//mcp:decode
func decodeWeekday(s string) (time.Weekday, error) {
	for i, name := range weekdays {
		if name == s {
			return time.Weekday(i), nil
		}
	}
	return 0, errors.New("no day of the week")
}

//mcp:encode
func encodeWeekday(d time.Weekday) string { return weekdays[(int(d)%7+7)%7] }

//mcp:tool name=own_weekday
func EchoOwnWeekday(ctx context.Context, in Box[time.Weekday]) Box[time.Weekday] {
	return identity.Object(ctx, in)
}

// Outcome has values that can only be results.
type Outcome struct {
	Err  error                       `json:"err"`
	Errs []error                     `json:"errs"`
	Any  interface{ Error() string } `json:"any"`
	Opt  error                       `json:"opt,omitempty"`
	N    int                         `json:"n"`
}

//mcp:tool name=own_outcome
func EchoOwnOutcome(ctx context.Context, in Point) Outcome {
	identity.Object(ctx, in)
	return identity.Result(ctx, Outcome{N: in.X})
}

// Husk is recursive by way of a value with a flag.
type Husk struct {
	Inner sql.Null[HuskList] `json:"inner"`
	Weak  *int               `json:"weak,omitempty"`
}

// HuskList is a list of husks.
type HuskList []Husk

//mcp:tool name=own_husk
func EchoOwnHusk(ctx context.Context, in Husk) Husk { return identity.Object(ctx, in) }

// Parcel travels as a Wrapping, which may have parcels inside.
type Parcel struct{ wrapping *Wrapping }

// Wrapping is what is around a parcel.
type Wrapping struct {
	Layers  int      `json:"layers"`
	Parcels []Parcel `json:"parcels,omitempty"`
}

//mcp:decode
func decodeParcel(w Wrapping) (Parcel, error) { return Parcel{&w}, nil }

//mcp:encode
func encodeParcel(p Parcel) Wrapping {
	if p.wrapping == nil {
		return Wrapping{}
	}
	return *p.wrapping
}

//mcp:tool name=own_parcel
func EchoOwnParcel(ctx context.Context, in Wrapping) Wrapping { return identity.Object(ctx, in) }
