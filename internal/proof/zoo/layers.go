package zoo

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/zoo/identity"
)

// Rank is a number as a value and a word as a key.
type Rank int

// MarshalJSON writes the number.
func (r Rank) MarshalJSON() ([]byte, error) { return strconv.AppendInt(nil, int64(r), 10), nil }

// UnmarshalJSON reads the number.
func (r *Rank) UnmarshalJSON(data []byte) error {
	n, err := strconv.Atoi(string(data))
	*r = Rank(n)
	return err
}

// MarshalText writes a word.
func (r Rank) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "rank %d", int(r)), nil }

// UnmarshalText reads the word.
func (r *Rank) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(strings.TrimPrefix(string(text), "rank "))
	*r = Rank(n)
	return err
}

// Grade is an integer with text methods of its pointer.
type Grade int8

// MarshalText writes a letter.
func (g *Grade) MarshalText() ([]byte, error) { return []byte{'a' + byte(*g)%26}, nil }

// UnmarshalText reads the letter.
func (g *Grade) UnmarshalText(text []byte) error {
	if len(text) != 1 || text[0] < 'a' || text[0] > 'z' {
		return errors.New("no letter")
	}
	*g = Grade(text[0] - 'a')
	return nil
}

// Tag is a generic key that is text in JSON.
type Tag[T any] struct{ Name string }

// MarshalText writes the name.
func (t Tag[T]) MarshalText() ([]byte, error) { return []byte("#" + t.Name), nil }

// UnmarshalText reads the name.
func (t *Tag[T]) UnmarshalText(text []byte) error {
	if len(text) == 0 || text[0] != '#' {
		return errors.New("no tag")
	}
	t.Name = string(text[1:])
	return nil
}

// MarshalJSON writes an object.
func (t Tag[T]) MarshalJSON() ([]byte, error) { return []byte(`{}`), nil }

// UnmarshalJSON reads anything.
func (t *Tag[T]) UnmarshalJSON([]byte) error { return errors.New("not as a value") }

// Stamped has text methods, and JSON methods, that are promoted.
type Stamped struct{ time.Time }

// Instant is another name.
type Instant = time.Time

// OddKeys has maps by types that have more forms than one.
type OddKeys struct {
	Level   map[slog.Level]int   `json:"level,omitempty"`
	Time    map[time.Time]string `json:"time,omitempty"`
	Alias   map[Instant]bool     `json:"alias,omitempty"`
	Stamped map[Stamped]int      `json:"stamped,omitempty"`
	Binding map[Binding]int      `json:"binding,omitempty"`
	Status  map[Color]int        `json:"status,omitempty"`
	Inner   map[slog.Level]Point `json:"inner,omitempty"`
}

//mcp:tool
func EchoOddKeys(ctx context.Context, in OddKeys) OddKeys { return identity.Object(ctx, in) }

//mcp:tool
func EchoLevelKeysRoot(ctx context.Context, value map[slog.Level]slog.Level) map[slog.Level]slog.Level {
	return identity.Value(ctx, value)
}

//mcp:tool
func EchoRankKeys(ctx context.Context, in Box[map[Rank]Rank]) Box[map[Rank]Rank] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoTagKeys(ctx context.Context, in Box[map[Tag[int]]int]) Box[map[Tag[int]]int] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoGradeKeys(ctx context.Context, in Box[map[Grade]Grade]) Box[map[Grade]Grade] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoSecretKeys(ctx context.Context, in Box[map[Secret]int]) Box[map[Secret]int] {
	return identity.Object(ctx, in)
}

// Double writes a name twice where it is zero.
type Double int

// MarshalJSON writes an object.
func (d Double) MarshalJSON() ([]byte, error) {
	if d == 0 {
		return []byte(`{"n":0,"n":0}`), nil
	}
	return fmt.Appendf(nil, `{"n":%d}`, int(d)), nil
}

// UnmarshalJSON reads the object.
func (d *Double) UnmarshalJSON(data []byte) error {
	var in struct{ N int }
	err := json.Unmarshal(data, &in)
	*d = Double(in.N)
	return err
}

//mcp:tool
func EchoDouble(ctx context.Context, in Box[Double]) Box[Double] { return identity.Object(ctx, in) }

// Layers have something that may be nil inside of what may be absent.
type Layers struct {
	Pointers **int                          `json:"pointers"`
	Three    ***Point                       `json:"three"`
	Pointer  *sql.Null[int]                 `json:"pointer"`
	Flags    sql.Null[sql.Null[int]]        `json:"flags"`
	Flagged  sql.Null[*int]                 `json:"flagged"`
	Struct   sql.Null[*Point]               `json:"struct"`
	Slice    sql.Null[[]int]                `json:"slice"`
	Bytes    sql.Null[[]byte]               `json:"bytes"`
	Map      sql.Null[map[string]int]       `json:"map"`
	Any      sql.Null[any]                  `json:"any"`
	Raw      sql.Null[json.RawMessage]      `json:"raw"`
	Time     sql.Null[*time.Time]           `json:"time"`
	Generic  sql.Null[Box[sql.Null[*int]]]  `json:"generic"`
	List     []sql.Null[*int]               `json:"list"`
	Elements []**int                        `json:"elements"`
	Values   map[string]*sql.Null[*int]     `json:"values"`
	Kept     sql.Null[*int]                 `json:"kept" jsonschema:"nullable"`
	Omitted  sql.Null[*int]                 `json:"omitted,omitempty"`
	Zero     sql.Null[sql.Null[int]]        `json:"zero,omitzero"`
	Bounded  sql.Null[*int]                 `json:"bounded" jsonschema:"minimum=1"`
	Array    [2]sql.Null[sql.Null[float64]] `json:"array"`
}

//mcp:tool name=own_layers
func EchoOwnLayers(ctx context.Context, in Layers) Layers { return identity.Object(ctx, in) }

//mcp:tool name=own_flags
func EchoOwnFlags(ctx context.Context, value sql.Null[sql.Null[int]]) sql.Null[sql.Null[int]] {
	return identity.Value(ctx, value)
}

//mcp:tool name=own_flagged_pointer
func EchoOwnFlaggedPointer(ctx context.Context, value sql.Null[*int]) sql.Null[*int] {
	return identity.Value(ctx, value)
}

// Covered has interfaces that may be nil inside of what may be absent.
type Covered struct {
	Error  sql.Null[error] `json:"error"`
	Errors []*error        `json:"errors"`
	Shape  sql.Null[Shape] `json:"shape"`
	Ptr    *error          `json:"ptr"`
	Deep   **Shape         `json:"deep"`
}

//mcp:tool name=own_covered
func EchoOwnCovered(ctx context.Context, in Point) Covered {
	identity.Object(ctx, in)
	return identity.Result(ctx, Covered{})
}

// Layer pointers, as encoding/json writes them too.
type Pointers struct {
	Two   **int              `json:"two"`
	Three ***Point           `json:"three"`
	List  []**int            `json:"list"`
	Map   map[string]**Point `json:"map"`
}

//mcp:tool
func EchoPointers(ctx context.Context, in Pointers) Pointers { return identity.Object(ctx, in) }

// Maybe is a number or none, and a pointer in JSON.
type Maybe struct {
	set bool
	n   int
}

//mcp:decode
func decodeMaybe(n *int) (Maybe, error) {
	if n == nil {
		return Maybe{}, nil
	}
	return Maybe{true, *n}, nil
}

//mcp:encode
func encodeMaybe(m Maybe) *int {
	if !m.set {
		return nil
	}
	return &m.n
}

// Perhaps is a number or none, and a value with a flag in JSON.
type Perhaps struct{ n sql.NullInt64 }

//mcp:decode
func decodePerhaps(n sql.NullInt64) (Perhaps, error) { return Perhaps{n}, nil }

//mcp:encode
func encodePerhaps(p Perhaps) sql.NullInt64 { return p.n }

//mcp:tool name=own_maybe
func EchoOwnMaybe(ctx context.Context, in Box[Maybe]) Box[Maybe] { return identity.Object(ctx, in) }

//mcp:tool name=own_perhaps
func EchoOwnPerhaps(ctx context.Context, in Box[Perhaps]) Box[Perhaps] {
	return identity.Object(ctx, in)
}

//mcp:tool name=own_maybe_root
func EchoOwnMaybeRoot(ctx context.Context, value Maybe) Maybe { return identity.Value(ctx, value) }

//mcp:tool name=own_maybe_flag
func EchoOwnMaybeFlag(ctx context.Context, value sql.Null[Maybe]) sql.Null[Maybe] {
	return identity.Value(ctx, value)
}

//mcp:tool
func EchoDegreesKeysRoot(ctx context.Context, value map[Degrees]bool) map[Degrees]bool {
	return identity.Value(ctx, value)
}
