package zoo

import (
	"context"

	"github.com/mcpgen/mcpgen/internal/proof/zoo/identity"
)

// Sort is an order of results.
type Sort string

const (
	// SortRelevance is the best match first.
	SortRelevance Sort = "relevance"
	SortTitle     Sort = "title"
	SortYear      Sort = "year"
)

// Level is how loud something is.
type Level int

const (
	LevelLow Level = iota - 1
	LevelMid
	LevelHigh
)

// Color is an enumeration of small unsigned numbers.
type Color uint8

const (
	Red Color = iota + 1
	Green
	Blue
)

// Odd has values that need escapes.
type Odd string

const (
	OddEmpty   Odd = ""
	OddQuote   Odd = "a\"b"
	OddTick    Odd = "a`b"
	OddUnicode Odd = "größe"
	OddHTML    Odd = "<b>&"
	OddLine    Odd = "a\nb"
)

// Huge has values beyond float64.
type Huge uint64

const (
	HugeA Huge = 18446744073709551615
	HugeB Huge = 9007199254740993
	HugeC Huge = 9007199254740992
)

// Size is made of units, which are not an enumeration.
type Size int64

const (
	KB Size = 1 << (10 * (iota + 1))
	MB
	GB
)

// Perm is made of flags, which are not an enumeration.
type Perm uint

const (
	PermRead Perm = 1 << iota
	PermWrite
	PermExec
)

// Only has a single constant, which is not an enumeration.
type Only string

const Single Only = "single"

type mode string

const (
	modeA mode = "a"
	modeB mode = "b"
)

//mcp:tool
func EchoSort(ctx context.Context, in Box[Sort]) Box[Sort] { return identity.Object(ctx, in) }

//mcp:tool
func EchoLevel(ctx context.Context, in Box[Level]) Box[Level] { return identity.Object(ctx, in) }

// Colors has an enumeration of bytes, but no slice of it, which would be base64.
type Colors struct {
	Value Color            `json:"value"`
	Ptr   *Color           `json:"ptr"`
	Refs  []*Color         `json:"refs"`
	Pair  [2]Color         `json:"pair"`
	Map   map[string]Color `json:"map"`
	Keys  map[Color]int    `json:"keys,omitempty"`
	Opt   Color            `json:"opt,omitempty"`
}

//mcp:tool
func EchoColors(ctx context.Context, in Colors) Colors { return identity.Object(ctx, in) }

//mcp:tool
func EchoOdd(ctx context.Context, in Box[Odd]) Box[Odd] { return identity.Object(ctx, in) }

//mcp:tool
func EchoHuge(ctx context.Context, in Box[Huge]) Box[Huge] { return identity.Object(ctx, in) }

//mcp:tool
func EchoSize(ctx context.Context, in Box[Size]) Box[Size] { return identity.Object(ctx, in) }

//mcp:tool
func EchoPerm(ctx context.Context, in Box[Perm]) Box[Perm] { return identity.Object(ctx, in) }

//mcp:tool
func EchoOnly(ctx context.Context, in Box[Only]) Box[Only] { return identity.Object(ctx, in) }

//mcp:tool
func EchoMode(ctx context.Context, in Box[mode]) Box[mode] { return identity.Object(ctx, in) }

//mcp:tool
func EchoSortKeys(ctx context.Context, in Box[map[Sort]int]) Box[map[Sort]int] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoSortPairs(ctx context.Context, in Box[map[Sort]Sort]) Box[map[Sort]Sort] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoLevelKeys(ctx context.Context, in Box[map[Level]Sort]) Box[map[Level]Sort] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoSorts(ctx context.Context, value []Sort) []Sort { return identity.Value(ctx, value) }

//mcp:tool
func EchoSortRoot(ctx context.Context, value Sort) Sort { return identity.Value(ctx, value) }

// Narrowed allows some of the values.
type Narrowed struct {
	Sort   Sort    `json:"sort" jsonschema:"enum=title,enum=year,default=year"`
	Level  Level   `json:"level" jsonschema:"default=1"`
	Color  *Color  `json:"color" jsonschema:"enum=1,enum=3"`
	List   []Sort  `json:"list" jsonschema:"enum=title,enum=relevance,minItems=1"`
	Word   string  `json:"word" jsonschema:"enum=a,enum=b c,enum="`
	Num    int     `json:"num" jsonschema:"enum=5,enum=-7"`
	Real   float64 `json:"real" jsonschema:"enum=0.5,enum=1e3"`
	Single float32 `json:"single" jsonschema:"enum=0.1,enum=2"`
}

//mcp:tool
func EchoNarrowed(ctx context.Context, in Narrowed) Narrowed { return identity.Object(ctx, in) }
