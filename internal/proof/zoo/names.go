package zoo

import (
	"context"
	"math/big"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/zoo/identity"
)

//lint:file-ignore SA5008 the odd tags are what is tested here

// Names has names that need care somewhere.
type Names struct {
	Dash       string `json:"-,"`
	Quote      int    `json:"a'b"`
	Bad        int    `json:"a\"b"`
	Slash      int    `json:"a/b"`
	Backslash  int    `json:"a\\b"`
	HTML       int    `json:"<a>&b"`
	Space      int    `json:"a b"`
	Dollar     int    `json:"$ref"`
	Percent    int    `json:"%s"`
	Unicode    int    `json:"größe"`
	Chinese    int    `json:"大小"`
	Öl         int
	Dot        int `json:"a.b"`
	Type       int `json:"type"`
	Case       int `json:"case"`
	CASE       int `json:"CASE"`
	Case2      int `json:"Case"`
	Proto      int `json:"__proto__"`
	Required   int `json:"required"`
	Properties int `json:"properties"`
	Empty      int `json:""`
	Comma      int `json:","`
	Digit      int `json:"1"`
	Long       int `json:"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggg"`
	hidden     int
	Skip       chan int `json:"-"`
	Func       func()   `json:"-"`
}

//mcp:tool
func EchoNames(ctx context.Context, in Names) Names { return identity.Object(ctx, in) }

// Quoted has the option string.
type Quoted struct {
	I       int     `json:"i,string"`
	I8      int8    `json:"i8,string"`
	I64     int64   `json:"i64,string"`
	U       uint    `json:"u,string"`
	U8      uint8   `json:"u8,string"`
	F       float64 `json:"f,string"`
	F32     float32 `json:"f32,string"`
	B       bool    `json:"b,string"`
	S       string  `json:"s,string"`
	Label   Label   `json:"label,string"`
	Count   Count   `json:"count,string"`
	Ptr     *int    `json:"ptr,string"`
	PtrBool *bool   `json:"ptrBool,string"`
	Opt     int     `json:"opt,string,omitempty"`
	OptPtr  *string `json:"optPtr,string,omitempty"`
	OptZero float64 `json:"optZero,string,omitzero"`
	// Not affected.
	List   []int          `json:"list,string"`
	Map    map[string]int `json:"map,string"`
	Time   time.Time      `json:"time,string"`
	Struct Point          `json:"struct,string"`
	Nanos  time.Duration  `json:"nanos,string"`
}

// QuotedEnums has enumerations with the option string.
type QuotedEnums struct {
	Sort   Sort         `json:"sort,string"`
	Level  Level        `json:"level,string"`
	Color  Color        `json:"color,string"`
	Huge   Huge         `json:"huge,string"`
	Odd    Odd          `json:"odd,string"`
	Shade  Shade        `json:"shade,string"`
	Free   Unlisted     `json:"free,string"`
	Size   Size         `json:"size,string"`
	Ptr    *Color       `json:"ptr,string"`
	Opt    Sort         `json:"opt,string,omitempty"`
	Side   big.Accuracy `json:"side,string"`
	Nested []Level      `json:"nested,string"`
}

//mcp:tool
func EchoQuotedEnums(ctx context.Context, in QuotedEnums) QuotedEnums {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoQuoted(ctx context.Context, in Quoted) Quoted { return identity.Object(ctx, in) }
