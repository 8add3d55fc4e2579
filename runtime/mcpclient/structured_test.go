package mcpclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

type book struct {
	Title string
	Pages int
}

type outcome struct {
	Result int `json:"result"`
}

// decoded returns the decoded value of a result, or the error.
func decoded[T any](t *testing.T, r *mcp.ToolResult, schema, version string) string {
	t.Helper()
	var v T
	output := unknownOutput
	if schema != "" {
		output = outputOf([]byte(schema))
	}
	if err := decodeStructured(r, output, revisionOf(version), &v); err != nil {
		return "error: " + err.Error()
	}
	return fmt.Sprintf("%+v", v)
}

func structured(text string) *mcp.ToolResult {
	return &mcp.ToolResult{Content: []mcp.Content{mcp.Text{Text: "not JSON"}}, Structured: json.RawMessage(text)}
}

func onlyText(text ...string) *mcp.ToolResult {
	r := &mcp.ToolResult{}
	for _, s := range text {
		r.Content = append(r.Content, mcp.Text{Text: s})
	}
	return r
}

const (
	wrappedSchema = `{"type":"object","properties":{"result":{"type":"integer"}},"required":["result"]}`
	mapSchema     = `{"type":"object","additionalProperties":{"type":"integer"}}`
	objectSchema  = `{"type":"object","properties":{"result":{"type":"integer"},"other":{}},"required":["result"]}`
)

func TestDecodeStructured(t *testing.T) {
	const old, middle, newest = "2025-03-26", "2025-11-25", "2026-07-28"
	none := "error: " + ErrNoStructured.Error()
	for name, c := range map[string][2]string{
		"object":                     {decoded[book](t, structured(`{"Title":"Emma","Pages":474}`), "", middle), "{Title:Emma Pages:474}"},
		"array, newest":              {decoded[[]int](t, structured(`[1,2]`), "", newest), "[1 2]"},
		"array, wrapped":             {decoded[[]int](t, structured(`{"result":[1,2]}`), "", middle), "[1 2]"},
		"array, wrapped, newest":     {decoded[[]int](t, structured(`{"result":[1,2]}`), "", newest), "error: the structured content does not fit: must be []int, got object"},
		"number, wrapped":            {decoded[int](t, structured(`{ "result" : 7 }`), wrappedSchema, middle), "7"},
		"pointer, wrapped":           {decoded[book](t, structured(`{"result":{"Title":"Emma"}}`), "", middle), "{Title:Emma Pages:0}"},
		"null, wrapped":              {decoded[*int](t, structured(`{"result":null}`), "", middle), "<nil>"},
		"null, newest":               {decoded[*int](t, structured(`null`), "", newest), "<nil>"},
		"struct with result":         {decoded[outcome](t, structured(`{"result":7}`), "", middle), "{Result:7}"},
		"struct with result, schema": {decoded[outcome](t, structured(`{"result":7}`), wrappedSchema, middle), "{Result:7}"},
		"map":                        {decoded[map[string]int](t, structured(`{"result":7}`), "", middle), "map[result:7]"},
		"map, schema":                {decoded[map[string]int](t, structured(`{"result":7}`), mapSchema, middle), "map[result:7]"},
		"map, wrapped":               {decoded[map[string]int](t, structured(`{"result":{"a":7}}`), `{"required":["result"],"properties":{"result":{}},"type":"object"}`, middle), "map[a:7]"},
		"any, wrapped":               {decoded[any](t, structured(`{"result":7}`), wrappedSchema, middle), "7"},
		"any, object":                {decoded[any](t, structured(`{"result":7}`), objectSchema, middle), "map[result:7]"},
		"any, struct":                {decoded[any](t, structured(`{"result":7}`), strings.TrimSuffix(wrappedSchema, "}")+`,"additionalProperties":false}`, middle), "map[result:7]"},
		"any, map":                   {decoded[any](t, structured(`{"result":7}`), mapSchema, middle), "map[result:7]"},
		"any, no schema":             {decoded[any](t, structured(`{"result":7}`), "", middle), "7"},
		"raw, wrapped":               {decoded[json.RawMessage](t, structured(`{"result":9007199254740993}`), wrappedSchema, middle), fmt.Sprint([]byte("9007199254740993"))},
		"time, wrapped":              {decoded[time.Time](t, structured(`{"result":"2025-01-02T03:04:05Z"}`), "", middle), "2025-01-02 03:04:05 +0000 UTC"},
		"two members":                {decoded[map[string]int](t, structured(`{"result":7,"a":1}`), "", middle), "map[a:1 result:7]"},
		"text, old":                  {decoded[[]int](t, onlyText(`[1,2]`, "more"), "", old), "[1 2]"},
		"text, not JSON":             {decoded[[]int](t, onlyText(`1,2`), "", old), none},
		"no content":                 {decoded[int](t, &mcp.ToolResult{}, "", newest), none},
		"image":                      {decoded[int](t, &mcp.ToolResult{Content: []mcp.Content{mcp.Image{}}}, "", newest), none},
		"string, text":               {decoded[string](t, onlyText("so be it", "and so"), "", newest), "so be it\nand so"},
		"string, JSON":               {decoded[string](t, onlyText(`"so be it"`), "", old), "so be it"},
		"string, number":             {decoded[string](t, onlyText(`7`), "", old), "7"},
		"string, structured":         {decoded[string](t, structured(`{"result":"a"}`), "", middle), "a"},
		"string, empty":              {decoded[string](t, &mcp.ToolResult{}, "", middle), ""},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: %s, want %s", name, c[0], c[1])
		}
	}
}

type catalog struct {
	Books  []book
	Owner  *struct{ Name string }
	ByYear map[string][]int `json:"by_year"`
	When   time.Time
}

// Content that does not fit is an error that lists all places.
func TestContradictions(t *testing.T) {
	for text, want := range map[string]string{
		`{"Books":[{"Title":"a","Pages":1},{"Title":2,"Pages":"many"}],"Owner":{"Name":{}},"by_year":{"1815":[1,"x"],"1816":{}}}`: "" +
			"Books[1].Title: must be string, got number; Books[1].Pages: must be int, got string; Owner.Name: must be string, got object; " +
			"by_year.1815[1]: must be int, got string; by_year.1816: must be []int, got object",
		`{"Books":{}}`:              "Books: must be []mcpclient.book, got object",
		`{"Books":[[]]}`:            "Books[0]: must be mcpclient.book, got array",
		`{"Books":[{"Pages":1.5}]}`: "Books[0].Pages: must be int, got number 1.5",
		`{"When":"yesterday"}`:      `When: parsing time "yesterday"`,
		`[]`:                        "must be mcpclient.catalog, got array",
		`"catalog"`:                 "must be mcpclient.catalog, got string",
	} {
		var v catalog
		err := decodeStructured(structured(text), unknownOutput, revisionOf("2026-07-28"), &v)
		if err == nil || !strings.HasPrefix(err.Error(), "the structured content does not fit: "+want) {
			t.Errorf("%s:\n%v\nwant %s", text, err, want)
		}
		var wrong *json.UnmarshalTypeError
		if !strings.Contains(text, "When") && !errors.As(err, &wrong) {
			t.Errorf("%s: %#v", text, err)
		}
	}
}

// The search for places is limited, however large and deep the content is.
func TestContradictionsBounded(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 5000) + `1` + strings.Repeat(`}`, 5000)
	wide := `[` + strings.Repeat(`"x",`, 50_000) + `1]`
	type node struct {
		A *node `json:"a"`
	}
	for text, as := range map[string]reflect.Type{deep: reflect.TypeFor[node](), wide: reflect.TypeFor[[]int]()} {
		n := narrowing{as: as, work: 16*len(text) + 64<<10}
		n.visit(nil, []byte(text), nil, "")
		if len(n.problems) == 0 || len(n.problems) > maxContradictions || n.work < -2*len(text) {
			t.Errorf("%.20s: %d problems, %d bytes left", text, len(n.problems), n.work)
		}
	}
}
