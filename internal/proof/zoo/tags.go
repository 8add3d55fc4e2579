package zoo

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/zoo/identity"
)

// Bounds has bounds of every kind.
type Bounds struct {
	Min      int           `json:"min" jsonschema:"minimum=1"`
	Max      int           `json:"max" jsonschema:"maximum=10"`
	Both     int8          `json:"both" jsonschema:"minimum=-5,maximum=5"`
	Above    uint          `json:"above" jsonschema:"exclusiveMinimum=3"`
	Below    uint16        `json:"below" jsonschema:"exclusiveMaximum=100"`
	Real     float64       `json:"real" jsonschema:"minimum=0.1,maximum=0.9"`
	Open     float64       `json:"open" jsonschema:"exclusiveMinimum=0,exclusiveMaximum=1"`
	Single   float32       `json:"single" jsonschema:"minimum=-0.5,maximum=2.5"`
	Tiny     float32       `json:"tiny" jsonschema:"minimum=0.1,maximum=0.7"`
	TinyOpen float32       `json:"tinyOpen" jsonschema:"exclusiveMinimum=0.1,exclusiveMaximum=0.7"`
	Step     int           `json:"step" jsonschema:"multipleOf=3"`
	Tenth    float64       `json:"tenth" jsonschema:"multipleOf=0.1"`
	Half     int           `json:"half" jsonschema:"multipleOf=0.5"`
	Big      int64         `json:"big" jsonschema:"minimum=-9223372036854775808,maximum=9223372036854775807"`
	Odd      int64         `json:"odd" jsonschema:"maximum=9007199254740993"`
	Fraction int           `json:"fraction" jsonschema:"minimum=0.5,maximum=3.5"`
	Ptr      *int          `json:"ptr" jsonschema:"minimum=0,maximum=3"`
	PtrPtr   **float64     `json:"ptrPtr" jsonschema:"minimum=0"`
	Named    Count         `json:"named" jsonschema:"minimum=2"`
	Nanos    time.Duration `json:"nanos" jsonschema:"minimum=0,maximum=1000000000"`
}

// Lengths has limits of lengths.
type Lengths struct {
	Text        string         `json:"text" jsonschema:"minLength=2,maxLength=5"`
	Label       Label          `json:"label" jsonschema:"minLength=1"`
	Ptr         *string        `json:"ptr" jsonschema:"maxLength=3"`
	Bytes       []byte         `json:"bytes" jsonschema:"minLength=4,maxLength=8"`
	List        []int          `json:"list" jsonschema:"minItems=1,maxItems=3"`
	Unique      []string       `json:"unique" jsonschema:"uniqueItems"`
	UniqueInts  []int          `json:"uniqueInts" jsonschema:"uniqueItems,maxItems=5"`
	UniqueReals []float64      `json:"uniqueReals" jsonschema:"uniqueItems"`
	UniqueBools []bool         `json:"uniqueBools" jsonschema:"uniqueItems"`
	UniquePair  [2]int         `json:"uniquePair" jsonschema:"uniqueItems"`
	Map         map[string]int `json:"map" jsonschema:"minProperties=1,maxProperties=2"`
	PtrList     *[]int         `json:"ptrList" jsonschema:"minItems=2"`
	Zero        []int          `json:"zero" jsonschema:"maxItems=0"`
	Exact       string         `json:"exact" jsonschema:"minLength=3,maxLength=3"`
}

// Elements has constraints of elements.
type Elements struct {
	Ints   []int                          `json:"ints" jsonschema:"minimum=0,maximum=9"`
	Texts  []string                       `json:"texts" jsonschema:"minLength=1,maxLength=3,maxItems=4"`
	Matrix [][]int                        `json:"matrix" jsonschema:"multipleOf=2"`
	Map    map[string]float64             `json:"map" jsonschema:"exclusiveMinimum=0"`
	Ptrs   []*int                         `json:"ptrs" jsonschema:"maximum=5"`
	Array  [2]string                      `json:"array" jsonschema:"pattern=^a"`
	Mails  []string                       `json:"mails" jsonschema:"format=email"`
	Deep   map[string][]map[string]string `json:"deep" jsonschema:"enum=x,enum=y"`
	Words  Labels                         `json:"words" jsonschema:"pattern=^[a-z]+$"`
}

// Patterns has patterns.
type Patterns struct {
	Slug  string `json:"slug" jsonschema:"pattern=^[a-z0-9]+(-[a-z0-9]+)*$"`
	Part  string `json:"part" jsonschema:"pattern=b+"`
	Comma string `json:"comma" jsonschema:"pattern=^a{1\\,3}$"`
	Any   string `json:"any" jsonschema:"pattern=^.$"`
	Class string `json:"class" jsonschema:"pattern=^[^x]*$"`
	Digit string `json:"digit" jsonschema:"pattern=^\\d{2}$"`
	Opt   string `json:"opt,omitempty" jsonschema:"pattern=^(yes|no)$"`
	Label *Label `json:"label" jsonschema:"pattern=^é+$,maxLength=2"`
	Tick  string "json:\"tick\" jsonschema:\"pattern=^`*$\""
}

// KeyPatterns has patterns of keys.
type KeyPatterns struct {
	Plain  map[string]int            `json:"plain" jsonschema:"keyPattern=^[a-z]+$"`
	Ptr    *map[string]string        `json:"ptr" jsonschema:"keyPattern=b,maxProperties=3"`
	Named  map[Label]Count           `json:"named" jsonschema:"keyPattern=^é?x$,minimum=1"`
	Nested map[string]map[string]int `json:"nested" jsonschema:"keyPattern=^k"`
	Opt    map[string]bool           `json:"opt,omitempty" jsonschema:"keyPattern=^(yes|no)$,default={\"yes\":true}"`
	Any    map[string]any            `json:"any" jsonschema:"keyPattern=^\\d{2}$,minProperties=1,nullable"`
}

// Branches is a map that can hold itself.
type Branches map[string]Branches

// Storeys is a list that can hold itself, by way of a map.
type Storeys []map[string]Storeys

// Cyclic has constraints of values whose schema is a reference.
type Cyclic struct {
	Keys  Branches   `json:"keys" jsonschema:"keyPattern=^[a-z]$,maxProperties=2"`
	Free  Branches   `json:"free"`
	Items Storeys    `json:"items" jsonschema:"minItems=1,maxItems=2"`
	Opt   *Branches  `json:"opt,omitempty" jsonschema:"minProperties=1"`
	Inner []Branches `json:"inner" validate:"dive,max=1" jsonschema:"maxItems=3"`
}

// Keyed has a pattern of keys by a directive.
type Keyed struct {
	Value map[string]int `json:"value"`
}

// Formats has every format.
type Formats struct {
	DateTime string  `json:"dateTime" jsonschema:"format=date-time"`
	Date     string  `json:"date" jsonschema:"format=date"`
	Time     string  `json:"time" jsonschema:"format=time"`
	UUID     string  `json:"uuid" jsonschema:"format=uuid"`
	Email    string  `json:"email" jsonschema:"format=email"`
	URI      string  `json:"uri" jsonschema:"format=uri"`
	IPv4     string  `json:"ipv4" jsonschema:"format=ipv4"`
	IPv6     string  `json:"ipv6" jsonschema:"format=ipv6"`
	Host     string  `json:"host" jsonschema:"format=hostname"`
	Ptr      *string `json:"ptr" jsonschema:"format=date"`
	List     []Label `json:"list" jsonschema:"format=ipv4"`
	Short    string  `json:"short" jsonschema:"format=email,maxLength=8"`
}

// Durations travel as text where the tag says so.
type Durations struct {
	Text  time.Duration            `json:"text" jsonschema:"format=duration"`
	Ptr   *time.Duration           `json:"ptr" jsonschema:"format=duration"`
	List  []time.Duration          `json:"list" jsonschema:"format=duration"`
	Map   map[string]time.Duration `json:"map" jsonschema:"format=duration"`
	Opt   time.Duration            `json:"opt,omitempty" jsonschema:"format=duration"`
	Def   time.Duration            `json:"def" jsonschema:"format=duration,default=1m30s"`
	Nanos time.Duration            `json:"nanos"`
}

// Defaults has defaults of every kind.
type Defaults struct {
	B         bool           `json:"b" jsonschema:"default=true"`
	I         int            `json:"i" jsonschema:"default=-3,minimum=-5"`
	U8        uint8          `json:"u8" jsonschema:"default=255"`
	Big       uint64         `json:"big" jsonschema:"default=18446744073709551615"`
	F         float64        `json:"f" jsonschema:"default=0.1"`
	F32       float32        `json:"f32" jsonschema:"default=1e-3"`
	S         string         `json:"s" jsonschema:"default=some \"text\""`
	Tick      string         "json:\"tick\" jsonschema:\"default=a`b\""
	Label     Label          `json:"label" jsonschema:"default=l"`
	Ptr       *int           `json:"ptr" jsonschema:"default=7"`
	PtrPtr    **string       `json:"ptrPtr" jsonschema:"default=pp"`
	List      []int          `json:"list" jsonschema:"default=1,default=2"`
	JSONList  []string       `json:"jsonList" jsonschema:"default=[\"a\"\\,\"b\"]"`
	EmptyList []string       `json:"emptyList" jsonschema:"default=[]"`
	Array     [2]int         `json:"array" jsonschema:"default=[3\\,4]"`
	Map       map[string]int `json:"map" jsonschema:"default={\"a\":1}"`
	IntMap    map[int]string `json:"intMap" jsonschema:"default={\"-1\":\"x\"}"`
	Struct    Point          `json:"struct" jsonschema:"default={\"x\":1\\,\"y\":2}"`
	PtrStruct *Point         `json:"ptrStruct" jsonschema:"default={\"x\":3\\,\"y\":4}"`
	Bytes     []byte         `json:"bytes" jsonschema:"default=AAEC"`
	Time      time.Time      `json:"time" jsonschema:"default=2024-02-29T12:00:00+01:00"`
	Nanos     time.Duration  `json:"nanos" jsonschema:"default=1000"`
	Any       any            `json:"any" jsonschema:"default={\"a\":[1\\,null\\,\"x\"]}"`
	Opt       int            `json:"opt,omitempty" jsonschema:"default=5"`
	Req       int            `json:"req" jsonschema:"required,default=6"`
}

// Nullables take null as a value.
type Nullables struct {
	Ptr      *int           `json:"ptr" jsonschema:"nullable"`
	Text     string         `json:"text" jsonschema:"nullable"`
	Required *string        `json:"required" jsonschema:"nullable,required"`
	List     []int          `json:"list" jsonschema:"nullable"`
	Struct   *Point         `json:"struct" jsonschema:"nullable"`
	Enum     *Sort          `json:"enum" jsonschema:"nullable"`
	Bounded  *int           `json:"bounded" jsonschema:"nullable,minimum=1"`
	Opt      *bool          `json:"opt,omitempty" jsonschema:"nullable"`
	Map      map[string]int `json:"map,omitempty" jsonschema:"nullable"`
	Any      any            `json:"any" jsonschema:"nullable"`
	Default  *int           `json:"default" jsonschema:"nullable,default=5"`
}

// Obligations change what is required.
type Obligations struct {
	Ptr    *int   `json:"ptr" jsonschema:"required"`
	Opt    string `json:"opt,omitempty" jsonschema:"required"`
	Zero   int    `json:"zero,omitzero" jsonschema:"required"`
	Free   int    `json:"free" jsonschema:"optional"`
	Any    any    `json:"any"`
	AnyReq any    `json:"anyReq,omitempty" jsonschema:"required"`
	List   []int  `json:"list,omitempty" jsonschema:"required"`
}

// Validated has the tags of a validator.
type Validated struct {
	Name   string            `json:"name,omitempty" validate:"required,min=2,max=10"`
	Opt    string            `json:"opt" validate:"omitempty,len=3"`
	Age    int               `json:"age" validate:"gte=0,lt=150"`
	Rate   float64           `json:"rate" validate:"gt=0,lte=1"`
	Color  string            `json:"color" validate:"oneof=red green 'light blue'"`
	Num    int               `json:"num" validate:"oneof=5 7 9"`
	Email  string            `json:"email" validate:"email"`
	URL    string            `json:"url" validate:"url"`
	ID     string            `json:"id" validate:"uuid4"`
	Emails []string          `json:"emails" validate:"required,min=1,unique,dive,email,max=99"`
	Map    map[string]string `json:"map" validate:"max=3,dive,keys,min=3,endkeys,min=1"`
	Begin  string            `json:"begin" validate:"startswith=a.b"`
	Other  string            `json:"other" validate:"hexcolor|rgb,custom,required_with=Name"`
}

// Described has descriptions only.
type Described struct {
	City string `json:"city" jsonschema:"the city, as in: Paris, France"`
	// Doc has a comment.
	Doc   string
	Tail  string // At the end.
	Extra string `json:"extra" jsonschema_extras:"x-order=1,x-flag=true" jsonschema_description:"From the other tag."`
	Title string `json:"title" jsonschema:"title=A title,example=a,example=b,deprecated"`
}

//mcp:tool
func EchoBounds(ctx context.Context, in Bounds) Bounds { return identity.Object(ctx, in) }

//mcp:tool
func EchoLengths(ctx context.Context, in Lengths) Lengths { return identity.Object(ctx, in) }

//mcp:tool
func EchoElements(ctx context.Context, in Elements) Elements { return identity.Object(ctx, in) }

//mcp:tool
func EchoPatterns(ctx context.Context, in Patterns) Patterns { return identity.Object(ctx, in) }

//mcp:tool
func EchoKeyPatterns(ctx context.Context, in KeyPatterns) KeyPatterns {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoCyclic(ctx context.Context, in Cyclic) Cyclic { return identity.Object(ctx, in) }

// EchoKeyed has a pattern of keys by directive.
//
//mcp:tool
//mcp:arg value keyPattern=^[a-z]{1,3}$ maxProperties=5
func EchoKeyed(ctx context.Context, in Keyed) Keyed { return identity.Object(ctx, in) }

//mcp:tool
func EchoFormats(ctx context.Context, in Formats) Formats { return identity.Object(ctx, in) }

//mcp:tool
func EchoDurations(ctx context.Context, in Durations) Durations { return identity.Object(ctx, in) }

//mcp:tool
func EchoDefaults(ctx context.Context, in Defaults) Defaults { return identity.Object(ctx, in) }

//mcp:tool
func EchoNullables(ctx context.Context, in Nullables) Nullables { return identity.Object(ctx, in) }

//mcp:tool
func EchoObligations(ctx context.Context, in Obligations) Obligations {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoValidated(ctx context.Context, in Validated) Validated { return identity.Object(ctx, in) }

//mcp:tool
func EchoDescribed(ctx context.Context, in Described) Described { return identity.Object(ctx, in) }

//mcp:tool
func EchoBoxOfBounds(ctx context.Context, in Box[Bounds]) Box[Bounds] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoBoxOfDefaults(ctx context.Context, in Box[Defaults]) Box[Defaults] {
	return identity.Object(ctx, in)
}
