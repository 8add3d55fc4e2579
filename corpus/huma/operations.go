// Package huma has operations with every tag of huma, and tests that the tools that are generated
// from them have the arguments of huma's own OpenAPI.
//
//mcp:defaults readonly output=text
//mcp:ignore unread-tag dependentRequired is among the tags
package huma

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// None is a response.
type None struct{}

// Paging is embedded.
type Paging struct {
	Page    int `query:"page" default:"1" minimum:"1" doc:"Which page."`
	PerPage int `query:"per_page" default:"50" minimum:"1" maximum:"1000"`
}

// Filter is embedded through a pointer.
type Filter struct {
	Query string `query:"q" maxLength:"80" example:"sea stories"`
}

// PathIn has path parameters.
type PathIn struct {
	ID   int64  `path:"id" minimum:"1" doc:"Which one."`
	Name string `path:"name" pattern:"^[a-z]+$" maxLength:"9" required:"true"`
}

//mcp:tool
func Path(context.Context, *PathIn) (*None, error) { return nil, nil }

// EmbeddedIn embeds parameters.
type EmbeddedIn struct {
	Paging
	Filter
	Sort string `query:"sort" enum:"id,title" default:"id"`
}

//mcp:tool
func Embedded(context.Context, *EmbeddedIn) (*None, error) { return nil, nil }

// ListsIn has lists in the query.
type ListsIn struct {
	Tags    []string  `query:"tags,explode" minLength:"2" maxLength:"5" pattern:"^[a-z]*$" minItems:"1" maxItems:"3" uniqueItems:"true"`
	Levels  []int     `query:"levels" enum:"1,2,3" example:"[1,2]"`
	Shares  []float64 `query:"shares" exclusiveMinimum:"0" exclusiveMaximum:"1" default:"[0.5]"`
	Words   []string  `query:"words" enum:"a,b c,d" default:"a,b c" example:"a, d"`
	Emails  []string  `query:"emails" format:"email"`
	Present []bool    `query:"present" required:"true"`
}

//mcp:tool
func Lists(context.Context, *ListsIn) (*None, error) { return nil, nil }

// NumbersIn has bounds of numbers.
type NumbersIn struct {
	Int      int     `query:"int" minimum:"-5" maximum:"5" multipleOf:"5"`
	Uint     uint    `query:"uint" maximum:"9"`
	Raised   uint64  `query:"raised" minimum:"3"`
	Float    float64 `query:"float" exclusiveMinimum:"0.25" exclusiveMaximum:"1e3"`
	Multiple float64 `query:"multiple" multipleOf:"0.5" default:"1.5" example:"2.5"`
	Required int64   `query:"required" required:"true"`
}

//mcp:tool
func Numbers(context.Context, *NumbersIn) (*None, error) { return nil, nil }

// FormatsIn has formats.
type FormatsIn struct {
	When     string    `query:"when" format:"date-time"`
	Date     string    `query:"date" format:"date"`
	Email    string    `query:"email" format:"email"`
	URI      string    `query:"uri" format:"uri"`
	UUID     string    `query:"uuid" format:"uuid"`
	IPv4     string    `query:"ipv4" format:"ipv4"`
	IPv6     string    `query:"ipv6" format:"ipv6"`
	Host     string    `query:"host" format:"hostname"`
	Password string    `query:"password" format:"password"`
	Since    time.Time `query:"since"`
	Day      time.Time `query:"day" timeFormat:"2006-01-02"`
	Clock    string    `query:"clock" timeFormat:"15:04:05"`
}

//mcp:tool
func Formats(context.Context, *FormatsIn) (*None, error) { return nil, nil }

// HeadersIn has header fields and cookies.
type HeadersIn struct {
	Trace   string `header:"X-Trace" doc:"The trace."`
	Tenant  string `header:"X-Tenant" minLength:"1" required:"true"`
	Session string `cookie:"session" required:"true"`
	Plain   string `query:"plain"`
}

//mcp:tool
//mcp:arg X-Tenant optional=false
func Headers(context.Context, *HeadersIn) (*None, error) { return nil, nil }

// OrderIn has fields with several places.
type OrderIn struct {
	A string `path:"a" query:"not" header:"not" cookie:"not"`
	B string `query:"b" header:"not" cookie:"not"`
	C bool   `query:"c" deprecated:"true"`
}

//mcp:tool
func Order(context.Context, *OrderIn) (*None, error) { return nil, nil }

// HiddenIn has what is hidden.
type HiddenIn struct {
	Debug bool   `query:"debug" hidden:"true" default:"true"`
	Level string `query:"level" hidden:"false"`
}

//mcp:tool
func Hidden(context.Context, *HiddenIn) (*None, error) { return nil, nil }

// Tag is a part of a body.
type Tag struct {
	Name  string `json:"name" minLength:"1" doc:"The name."`
	Color string `json:"color,omitempty" enum:"red,green" default:"red"`
}

// Item is a body.
type Item struct {
	ID       int64             `json:"id" readOnly:"true"`
	Title    string            `json:"title" maxLength:"80" doc:"The title." example:"Moby-Dick"`
	Note     string            `json:"note,omitempty" patternDescription:"words" pattern:"^[a-z ]*$"`
	Count    int               `json:"count,omitzero" minimum:"0"`
	Price    float64           `json:"price" required:"false"`
	Kept     string            `json:"kept,omitempty" required:"true"`
	Main     Tag               `json:"main"`
	Tags     []Tag             `json:"tags" minItems:"1" maxItems:"9"`
	Labels   map[string]string `json:"labels,omitempty" minProperties:"1" maxProperties:"5"`
	Password string            `json:"password" writeOnly:"true"`
	Old      bool              `json:"old,omitempty" deprecated:"true"`
	Data     []byte            `json:"data,omitempty"`
	Encoded  string            `json:"encoded,omitempty" encoding:"base64"`
	Created  time.Time         `json:"created" readOnly:"true"`
	Due      time.Time         `json:"due,omitempty"`
	Kind     string            `json:"kind" default:"plain" enum:"plain,fancy"`
	Secret   string            `json:"secret" hidden:"true"`
	Left     string            `json:"-"`
	Plain    string
}

// BodyIn has a body.
type BodyIn struct {
	ID   int64 `path:"id"`
	Body Item
}

//mcp:tool
func Body(context.Context, *BodyIn) (*None, error) { return nil, nil }

// OptionalIn has a body that may be missing.
type OptionalIn struct {
	Body *Tag
}

//mcp:tool
func Optional(context.Context, *OptionalIn) (*None, error) { return nil, nil }

// RequiredIn has a pointer to a body that is required.
type RequiredIn struct {
	Body *Tag `required:"true"`
}

//mcp:tool
func Required(context.Context, *RequiredIn) (*None, error) { return nil, nil }

// UnnamedIn has a body of a struct without a name.
type UnnamedIn struct {
	RawBody []byte
	Body    struct {
		Text string `json:"text" minLength:"1"`
		Deep struct {
			N int `json:"n" maximum:"3"`
		} `json:"deep"`
	}
}

//mcp:tool
func Unnamed(context.Context, *UnnamedIn) (*None, error) { return nil, nil }

// Pointers has pointers.
type Pointers struct {
	Text     *string  `json:"text" minLength:"1"`
	Number   *int64   `json:"number,omitempty" minimum:"1"`
	Flag     *bool    `json:"flag" nullable:"false"`
	Float    *float64 `json:"float,omitempty" nullable:"true"`
	Tag      *Tag     `json:"tag"`
	Maybe    *Tag     `json:"maybe,omitempty"`
	Nullable string   `json:"nullable" nullable:"true" maxLength:"3"`
	Optional *int     `json:"optional" required:"false"`
}

// PointersIn has them in its body.
type PointersIn struct{ Body Pointers }

//mcp:tool
func WithPointers(context.Context, *PointersIn) (*None, error) { return nil, nil }

// Node contains itself.
type Node struct {
	Name     string          `json:"name" maxLength:"9"`
	Children []Node          `json:"children,omitempty"`
	Parent   *Node           `json:"parent,omitempty"`
	ByName   map[string]Node `json:"byName,omitempty" maxProperties:"2"`
}

// NodeIn has one in its body.
type NodeIn struct{ Body Node }

//mcp:tool
func Recursive(context.Context, *NodeIn) (*None, error) { return nil, nil }

// Page is generic.
type Page[T any] struct {
	Items []T `json:"items" maxItems:"2"`
	Total int `json:"total" readOnly:"true"`
	Next  T   `json:"next"`
}

// GenericIn has one in its body.
type GenericIn struct{ Body Page[Tag] }

//mcp:tool
func Generic(context.Context, *GenericIn) (*None, error) { return nil, nil }

// Base is embedded in a body.
type Base struct {
	ID   string `json:"id" format:"uuid"`
	Note string `json:"note" doc:"Hidden by the one outside."`
}

// Derived embeds it.
type Derived struct {
	Base
	Note string `json:"note,omitempty" doc:"The note."`
}

// DerivedIn has one in its body.
type DerivedIn struct{ Body Derived }

//mcp:tool
func EmbeddedBody(context.Context, *DerivedIn) (*None, error) { return nil, nil }

// ListBodyIn has a list as its body.
type ListBodyIn struct {
	Body []Tag `minItems:"1" maxItems:"3"`
}

//mcp:tool
func ListBody(context.Context, *ListBodyIn) (*None, error) { return nil, nil }

// MapBodyIn has a map as its body.
type MapBodyIn struct {
	Body map[string]Tag `maxProperties:"3" doc:"By name."`
}

//mcp:tool
func MapBody(context.Context, *MapBodyIn) (*None, error) { return nil, nil }

// DefaultsIn has defaults of every kind in its body.
type DefaultsIn struct {
	Body struct {
		Text   string   `json:"text" default:"a,b"`
		Number float64  `json:"number" default:"1.5"`
		Flag   bool     `json:"flag,omitempty" default:"true"`
		Texts  []string `json:"texts,omitempty" default:"a, b"`
		JSON   []string `json:"json,omitempty" default:"[\"a, b\"]"`
		Ints   []int    `json:"ints,omitempty" default:"[1,2]"`
		Ptr    *int     `json:"ptr,omitempty" default:"3"`
	}
}

//mcp:tool
func Defaults(context.Context, *DefaultsIn) (*None, error) { return nil, nil }

// DependsIn has what depends on others.
type DependsIn struct {
	Body struct {
		_      struct{} `additionalProperties:"false"`
		Value  string   `json:"value,omitempty" dependentRequired:"unit"`
		Unit   string   `json:"unit,omitempty"`
		Nested [][]int  `json:"nested,omitempty" maxItems:"2"`
		Any    any      `json:"any,omitempty"`
	}
}

//mcp:tool
func Depends(context.Context, *DependsIn) (*None, error) { return nil, nil }

// register registers the operations with huma.
func register(api huma.API) {
	put(api, "path", "/path/{id}/{name}", Path)
	put(api, "embedded", "/embedded", Embedded)
	put(api, "lists", "/lists", Lists)
	put(api, "numbers", "/numbers", Numbers)
	put(api, "formats", "/formats", Formats)
	put(api, "headers", "/headers", Headers)
	put(api, "order", "/order/{a}", Order)
	put(api, "hidden", "/hidden", Hidden)
	put(api, "body", "/body/{id}", Body)
	put(api, "optional", "/optional", Optional)
	put(api, "required", "/required", Required)
	put(api, "unnamed", "/unnamed", Unnamed)
	put(api, "with_pointers", "/pointers", WithPointers)
	put(api, "recursive", "/recursive", Recursive)
	put(api, "generic", "/generic", Generic)
	put(api, "embedded_body", "/embeddedbody", EmbeddedBody)
	put(api, "list_body", "/listbody", ListBody)
	put(api, "map_body", "/mapbody", MapBody)
	put(api, "defaults", "/defaults", Defaults)
	put(api, "depends", "/depends", Depends)
}

func put[I, O any](api huma.API, name, path string, handler func(context.Context, *I) (*O, error)) {
	huma.Register(api, huma.Operation{OperationID: name, Method: "PUT", Path: path}, handler)
}
