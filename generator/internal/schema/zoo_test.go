package schema

//lint:file-ignore SA5008 Odd tags are what some of the types are about.
//lint:file-ignore U1000 Fields that encoding/json does not see are, too.

import (
	"encoding/json"
	"net/netip"
	"time"
)

// The types of this file are compiled into the test, and read by it as source: the plan is compared
// with the results of encoding/json and invopop's Reflector for the same type. The file imports
// nothing but the standard library.

type ZooScalars struct {
	B   bool    `json:"b"`
	I   int     `json:"i"`
	I8  int8    `json:"i8"`
	I64 int64   `json:"i64"`
	U   uint    `json:"u"`
	U16 uint16  `json:"u16"`
	F32 float32 `json:"f32"`
	F64 float64 `json:"f64"`
	S   string  `json:"s"`
	R   rune
	Y   byte
}

type ZooTags struct {
	Name    string   `json:"name" jsonschema:"title=T,description=D\\, E,minLength=1,maxLength=9,pattern=^x,example=x,example=xy"`
	Email   string   `json:"email,omitempty" jsonschema:"required,format=email"`
	Count   int      `json:"count" jsonschema:"minimum=1,maximum=20,multipleOf=1,example=6"`
	Rate    float64  `json:"rate" jsonschema:"exclusiveMinimum=0,exclusiveMaximum=2"`
	Word    string   `json:"word" jsonschema:"enum=x,enum=y"`
	Number  int      `json:"number" jsonschema:"enum=1,enum=2"`
	List    []string `json:"list" jsonschema:"minItems=1,maxItems=5,uniqueItems=true,minLength=1,enum=x,enum=y"`
	Formats []string `json:"formats,omitempty" jsonschema:"pattern=^x"`
	Only    string   `json:"only" jsonschema:"readOnly=true"`
	Write   string   `json:"write" jsonschema:"writeOnly=true"`
	Desc    string   `json:"desc" jsonschema_description:"From the other tag."`
	Extra   string   `json:"extra" jsonschema_extras:"x-a=1,x-b=true,x-c=p,x-c=q"`
}

type ZooContainers struct {
	Strings []string               `json:"strings"`
	Matrix  [][]float64            `json:"matrix"`
	Fixed   [3]int                 `json:"fixed"`
	Bytes   []byte                 `json:"bytes"`
	Sum     [2]string              `json:"sum"`
	Counts  map[string]int         `json:"counts"`
	Deep    map[string][]ZooNested `json:"deep"`
	Nested  ZooNested              `json:"nested"`
	Opt     []ZooNested            `json:"opt,omitempty"`
	When    time.Time              `json:"when"`
	Blank   struct {
		X int `json:"x"`
	} `json:"blank"`
}

type ZooNested struct {
	X int    `json:"x"`
	Y string `json:"y,omitempty"`
}

type ZooOmit struct {
	B   bool           `json:",omitempty"`
	I   int            `json:",omitempty"`
	S   string         `json:",omitempty"`
	P   *int           `json:",omitempty"`
	L   []int          `json:",omitempty"`
	M   map[string]int `json:",omitempty"`
	A0  [0]int         `json:",omitempty"`
	A2  [2]int         `json:",omitempty"`
	St  ZooNested      `json:",omitempty"`
	T   time.Time      `json:",omitempty"`
	TZ  time.Time      `json:",omitzero"`
	SZ  ZooNested      `json:",omitzero"`
	Any any            `json:",omitempty"`
	Num json.Number    `json:",omitempty"`
	IP  netip.Addr     `json:",omitempty"`
}

type ZooPointers struct {
	UP  uintptr
	P   *string
	PP  **int
	St  *ZooNested
	L   []*int
	M   map[string]*ZooNested
	IP  *netip.Addr
	Raw *json.RawMessage
}

type ZooSpecial struct {
	Any  any
	Raw  json.RawMessage
	Num  json.Number
	D    time.Duration
	IP   netip.Addr
	Kind ZooKind
	N    ZooNum
	ByI  map[int]string
	ByU  map[uint8]bool
	ByIP map[netip.Addr]int
	Data ZooData
	Sum  [4]byte
}

type ZooKind string

const (
	ZooKindX ZooKind = "x"
	ZooKindY ZooKind = "y"
)

type ZooNum int

const (
	ZooNumZero ZooNum = iota
	ZooNumOne
	ZooNumTwo
)

type ZooData []byte

type ZooQuoted struct {
	B  bool     `json:",string"`
	I  int      `json:"i,string"`
	U  *uint8   `json:"u,string"`
	F  float64  `json:"f,string,omitempty"`
	S  string   `json:"s,string"`
	L  []int    `json:"l,string"`
	PP **int    `json:"pp,string"`
	D  ZooNum   `json:"d,string"`
	St struct{} `json:"st,string"`
}

type ZooNames struct {
	Plain   int
	Dash    int       `json:"-,"`
	Skipped int       `json:"-"`
	Empty   int       `json:""`
	Comma   int       `json:",omitempty"`
	Odd     int       `json:"a b!#$%&()*+-./:;<=>?@[]^_{|}~"`
	Umlaut  int       `json:"größe"`
	Inline  ZooNested `json:",inline"`
	_       int
}

type ZooBase struct {
	ID   int `json:"id"`
	Name string
	Tag  int `json:"Tagged"`
}

type zooInner struct {
	Shown int
	_     int
}

type zooString string
type ZooString string

type ZooEmbedded struct {
	ZooBase
	zooInner
	zooString
	ZooString
	Name int
}

type ZooEmbeddedPointer struct {
	*ZooBase
	Own int
}

type ZooEmbeddedNamed struct {
	ZooBase    `json:"base"`
	*ZooNested `json:"nested"`
}

type zooA struct {
	X int
	Y int
	Z int
}
type zooB struct {
	X int
	Y int `json:"Y"`
	Z int `json:"Z"`
}
type zooC struct {
	Z int
	V int
}

type ZooConflict struct {
	zooA
	zooB
	zooC
	X2 int
}

type zooF struct{ A, B int }
type zooD struct{ zooF }
type zooE struct{ zooF }

// The same struct twice at one depth: its fields exclude each other.
type ZooDiamond struct {
	zooD
	zooE
	Own int
}

type ZooDeep struct {
	zooD
	A     string `json:"A"`
	Other ZooAlias
}

type ZooAlias = ZooNested

type ZooAliasEmbedded struct {
	ZooAlias
	Y int `json:"y"`
}

type ZooTree struct {
	Value int
	Kids  []ZooTree          `json:",omitempty"`
	Named map[string]ZooTree `json:",omitempty"`
	Next  *ZooTree           `json:",omitempty"`
}

type ZooSelfEmbedded struct {
	*ZooSelfEmbedded
	X int
}

type ZooPage[T any] struct {
	Items []T `json:"items"`
	Total int `json:"total"`
}

type ZooGeneric struct {
	Strings ZooPage[string]
	Nested  *ZooPage[ZooNested]
	ZooPage[int]
}

type ZooTimeNamed time.Time

type ZooOther struct {
	T ZooTimeNamed
	E struct{}
	R ZooRaw
}

// ZooRaw has no methods, so it is bytes.
type ZooRaw json.RawMessage

// zooPlain contains values for whose types invopop's Reflector makes the same schema.
var zooPlain = []any{ZooScalars{}, ZooTags{}, ZooContainers{}, ZooNested{}}

var zoo = append([]any{
	ZooOmit{}, ZooPointers{}, ZooSpecial{}, ZooQuoted{}, ZooNames{}, ZooEmbedded{}, ZooEmbeddedPointer{},
	ZooEmbeddedNamed{}, ZooConflict{}, ZooDiamond{}, ZooDeep{}, ZooAliasEmbedded{}, ZooTree{}, ZooSelfEmbedded{},
	ZooGeneric{}, ZooOther{},
}, zooPlain...)
