package zoo

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/zoo/identity"
)

// Query has the arguments of [EchoQuery].
type Query struct {
	Text  string   `json:"text"`
	Limit int      `json:"limit"`
	Sort  *Sort    `json:"sort"`
	Tags  []string `json:"tags,omitempty"`
}

// EchoQuery takes plain parameters, one of them variadic.
//
//mcp:tool
//mcp:arg text minLength=1 maxLength=20
//mcp:arg limit default=20 minimum=1 maximum=100
func EchoQuery(ctx context.Context, text string, limit int, sort *Sort, tags ...string) Query {
	return identity.Object(ctx, Query{text, limit, sort, tags})
}

// Mixed has the arguments of [EchoMixed].
type Mixed struct {
	Point Point          `json:"point"`
	At    time.Time      `json:"at"`
	Wait  time.Duration  `json:"wait" jsonschema:"format=duration"`
	Data  []byte         `json:"data"`
	Any   any            `json:"any"`
	ByID  map[int]*Point `json:"byID"`
	Opt   *Point         `json:"opt"`
	List  [][]Sort       `json:"list"`
}

// EchoMixed takes plain parameters of many types.
//
//mcp:tool
//mcp:arg list maxItems=3
func EchoMixed(ctx context.Context, point Point, at time.Time, wait time.Duration, data []byte, any any, byID map[int]*Point, opt *Point, list [][]Sort) Mixed {
	return identity.Object(ctx, Mixed{point, at, wait, data, any, byID, opt, list})
}

// EchoTightened takes a struct whose fields are narrowed for this tool alone.
//
//mcp:tool
//mcp:arg x minimum=1 maximum=3
//mcp:arg y default=2 "how far"
func EchoTightened(ctx context.Context, in Point) Point { return identity.Object(ctx, in) }

// EchoLenient takes numbers and booleans in quotes as well.
//
//mcp:tool lenient
func EchoLenient(ctx context.Context, in Scalars) Scalars { return identity.Object(ctx, in) }

// EchoLenientBox takes JSON texts in the place of objects and lists.
//
//mcp:tool lenient
func EchoLenientBox(ctx context.Context, in Box[Point]) Box[Point] { return identity.Object(ctx, in) }

// EchoLenientDefaults is lenient about defaults.
//
//mcp:tool lenient
func EchoLenientDefaults(ctx context.Context, in Defaults) Defaults { return identity.Object(ctx, in) }

// Allowed has the arguments of [EchoAllowed].
type Allowed struct {
	Scalar  any            `json:"scalar"`
	Choice  any            `json:"choice"`
	Filter  any            `json:"filter,omitempty"`
	Either  any            `json:"either,omitempty"`
	List    []any          `json:"list,omitempty"`
	ByName  map[string]any `json:"byName,omitempty"`
	Default any            `json:"default"`
}

// EchoAllowed takes values of any kind, whose schemas are in directives.
//
//mcp:tool
//mcp:arg scalar schema={"type":["string","integer","null"],"minLength":2,"maxLength":5,"minimum":-3,"maximum":100,"description":"A word or a number."}
//mcp:arg choice schema={"enum":["one",2,true,null,[1,2],{"k":0.5}]}
//mcp:arg filter schema={"type":"object","properties":{"field":{"type":"string","pattern":"^[a-z]+$"},"op":{"type":"string","const":"eq"},"values":{"type":"array","items":{"type":["string","number"]},"minItems":1,"maxItems":3,"uniqueItems":true}},"required":["field"],"additionalProperties":{"type":"boolean"},"maxProperties":4}
//mcp:arg either schema={"oneOf":[{"type":"integer","multipleOf":3},{"type":"integer","multipleOf":2},{"type":"array","items":{"type":"boolean"}}]}
//mcp:arg list schema={"anyOf":[{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1},{"type":"string","format":"date"}]}
//mcp:arg byName schema={"type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":false,"minProperties":1}
//mcp:arg default schema={"type":["number","string"],"default":0.5}
func EchoAllowed(ctx context.Context, in Allowed) Allowed { return identity.Object(ctx, in) }
