package mcp_test

import (
	"context"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// parcel is the argument and the result of a nested call: a list of objects, a map, an enumeration,
// limits, and an optional field.
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
	fieldsParcel = wire.Fields{{Must: "customer"}, {Name: "status"}, {Must: "items"}, {Name: "labels"}, {Name: "gift"}}
	fieldsItem   = wire.Fields{{Must: "book"}, {Must: "copies"}, {Name: "price"}, {Name: "tags"}}
	fieldsGift   = wire.Fields{{Must: "paper"}}
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

func BenchmarkNested(b *testing.B) {
	benchmark(b, call(1, "parcel", nestedArguments), 64)
}

func BenchmarkNestedOne(b *testing.B) {
	benchmark(b, call(1, "parcel", nestedArguments), 1)
}
