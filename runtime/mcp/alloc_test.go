package mcp_test

import (
	"context"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// parcel is what a nested call takes and returns: a list of objects, a map, an
// enumeration, bounds, and something optional.
type parcel struct {
	Customer string
	Status   string
	Items    []item
	Labels   map[string]string
	Gift     *gift
}

type item struct {
	Book   int64
	Copies int
	Price  float64
	Tags   []string
}

type gift struct {
	Paper string
}

var infoParcel = mcp.ToolInfo{
	Name: "parcel", Description: "Sends a parcel.", Symbol: "Parcel",
	InputSchema: `{"type":"object"}`, OutputSchema: `{"type":"object"}`,
}

var (
	fieldsParcel = wire.Fields{{Name: "customer", Required: true}, {Name: "status"}, {Name: "items", Required: true}, {Name: "labels"}, {Name: "gift"}}
	fieldsItem   = wire.Fields{{Name: "book", Required: true}, {Name: "copies", Required: true}, {Name: "price"}, {Name: "tags"}}
	fieldsGift   = wire.Fields{{Name: "paper", Required: true}}
	enumStatus   = []string{"draft", "paid"}
)

func decodeParcel(d *wire.Decoder, v *parcel) {
	for o := d.Object(fieldsParcel); o.Next(); {
		switch o.Name() {
		case "customer":
			wire.String(d, &v.Customer)
			wire.MinLength(d, v.Customer, 1)
		case "status":
			wire.StringEnum(d, &v.Status, enumStatus)
		case "items":
			wire.Slice(d, &v.Items, decodeItem)
			wire.MaxItems(d, len(v.Items), 100)
		case "labels":
			wire.Map(d, &v.Labels, wire.String[string])
		case "gift":
			wire.Ptr(d, &v.Gift, decodeGift)
		}
	}
}

func decodeItem(d *wire.Decoder, v *item) {
	for o := d.Object(fieldsItem); o.Next(); {
		switch o.Name() {
		case "book":
			wire.Int(d, &v.Book)
		case "copies":
			wire.Int(d, &v.Copies)
			wire.Minimum(d, v.Copies, 1)
		case "price":
			wire.Float(d, &v.Price)
		case "tags":
			wire.Slice(d, &v.Tags, wire.String[string])
		}
	}
}

func decodeGift(d *wire.Decoder, v *gift) {
	for o := d.Object(fieldsGift); o.Next(); {
		if o.Name() == "paper" {
			wire.String(d, &v.Paper)
		}
	}
}

func encodeParcel(e *wire.Encoder, v *parcel) {
	e.Begin()
	e.Name("customer")
	wire.PutString(e, &v.Customer)
	e.Name("status")
	wire.PutString(e, &v.Status)
	e.Name("items")
	wire.PutSlice(e, v.Items, encodeItem)
	e.Name("labels")
	wire.PutMap(e, v.Labels, wire.PutString)
	e.End()
}

func encodeItem(e *wire.Encoder, v *item) {
	e.Begin()
	e.Name("book")
	wire.PutInt(e, &v.Book)
	e.Name("copies")
	wire.PutInt(e, &v.Copies)
	e.Name("price")
	wire.PutFloat(e, &v.Price)
	e.Name("tags")
	wire.PutSlice(e, v.Tags, wire.PutString)
	e.End()
}

// callParcel has the shape of generated code.
func callParcel(_ context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
	var args parcel
	d := mcpimpl.Decoder(req)
	decodeParcel(d, &args)
	if err := d.Finish(); err != nil {
		return nil, err
	}
	e := mcpimpl.Encoder(req)
	encodeParcel(e, &args)
	return mcpimpl.Structured(req, e)
}

const nestedArguments = `{"customer":"Ada Example","status":"paid","items":[` +
	`{"book":9007199254740993,"copies":2,"price":12.5,"tags":["signed","first edition"]},` +
	`{"book":17,"copies":1,"price":8.25,"tags":["paperback"]},{"book":4711,"copies":12,"price":0.5,"tags":[]}],` +
	`"labels":{"channel":"shop","source":"assistant","priority":"high"},"gift":{"paper":"blue"}}`

// allocations counts those of a request over a connection without goroutines of its
// own.
func allocations(t *testing.T, message string) float64 {
	s := mcp.NewServer(fixtureInfo(), quiet)
	register(mcp.Select(s, func(f mcp.FeatureInfo) bool { return f.Name == "hello" }))
	s.Register(mcpimpl.FuncTool(&infoAdd, callAdd))
	s.Register(mcpimpl.FuncTool(&infoParcel, callParcel))
	conn := &script{message: []byte(initialize("2025-11-25")), next: make(chan bool), answers: make(chan int)}
	done := make(chan error)
	go func() { done <- s.Serve(t.Context(), conn) }()
	ask := func() {
		conn.next <- true
		<-conn.answers
	}
	ask()
	conn.message = []byte(message)
	n := testing.AllocsPerRun(500, ask)
	conn.next <- false
	<-done
	return n
}

// TestAllocations bounds what a request allocates. The bounds have room, since a release
// of Go may move the figures a little: they find what grows with the message or the
// server, not one allocation more. Beside each is what go1.26 needs, which the benchmarks
// report: the exchange with its context, the goroutine, the result, and what the tool
// itself makes; of a nested call also what its arguments consist of.
func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	const (
		atOnce = 5  // 0
		small  = 12 // 4
		nested = 25 // 11
		wrong  = 80 // 43
	)
	add := call(1, "add", `{"a":1,"b":2}`)
	for _, test := range []struct {
		name, message string
		most          float64
	}{
		{"ping", request(1, "ping", "{}"), atOnce},
		{"tools/list", request(1, "tools/list", "{}"), atOnce},
		{"small", add, small},
		{"small with a string for an id", strings.Replace(add, `"id":1`, `"id":"one"`, 1), small},
		{"small in 2026-07-28", modernCall(1, "add", `{"a":1,"b":2}`), small},
		{"nested", call(1, "parcel", nestedArguments), nested},
		{"nested in 2026-07-28", modernCall(1, "parcel", nestedArguments), nested},
		{"wrong arguments", call(1, "parcel", strings.Replace(nestedArguments, `"copies":1,`, `"copies":0,`, 1)), wrong},
	} {
		if got := allocations(t, test.message); got > test.most {
			t.Errorf("%s: %v allocations, at most %v", test.name, got, test.most)
		}
	}
}

func BenchmarkNested(b *testing.B) {
	benchmark(b, call(1, "parcel", nestedArguments), 64)
}

func BenchmarkNestedOne(b *testing.B) {
	benchmark(b, call(1, "parcel", nestedArguments), 1)
}
