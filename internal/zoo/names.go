package zoo

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/internal/zoo/identity"
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

//mcp:tool
func EchoQuoted(ctx context.Context, in Quoted) Quoted { return identity.Object(ctx, in) }
