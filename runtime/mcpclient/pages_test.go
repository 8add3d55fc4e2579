package mcpclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/dial"
)

// tool is a tool of a list.
func tool(name string) string { return `{"name":"` + name + `","inputSchema":{"type":"object"}}` }

// names returns the names of tools.
func names(tools []Tool) string {
	all := []string{}
	for _, t := range tools {
		all = append(all, t.Name)
	}
	return strings.Join(all, " ")
}

func TestPages(t *testing.T) {
	p := toolPages(&defaultLimits, wanted(t))
	if !p.more || p.cursor != nil {
		t.Fatal("the first page has no cursor")
	}
	items, err := p.add([]byte(`{"tools":[` + tool("a") + "," + tool("b") + `],"nextCursor":"two"}`))
	if err != nil || names(items) != "a b" || !p.more || *p.cursor != "two" {
		t.Fatalf("%q, %v", names(items), err)
	}
	// A cursor is opaque: "" is a cursor too.
	items, err = p.add([]byte(`{"tools":[],"nextCursor":""}`))
	if err != nil || len(items) != 0 || !p.more || *p.cursor != "" {
		t.Fatalf("%q, %v", names(items), err)
	}
	items, err = p.add([]byte(`{"tools":[` + tool("c") + `],"nextCursor":null}`))
	if err != nil || names(items) != "c" || p.more {
		t.Fatalf("%q, %v", names(items), err)
	}
}

// Exceeding a limit of a list is an error, and the items of that page are not returned.
func TestPagesLimits(t *testing.T) {
	page := func(i int, items string) []byte {
		return fmt.Appendf(nil, `{"tools":[%s],"nextCursor":"%d"}`, items, i)
	}
	const list = "list of tools"
	for name, set := range map[string]struct {
		limits      Limits
		page        func(i int) []byte
		pages       int // the pages that are read
		limit, what string
	}{
		"pages":        {Limits{ListItems: 5}, func(i int) []byte { return page(i, "") }, 999, "ListItems", "pages of the " + list},
		"more pages":   {Limits{ListItems: 123_400}, func(i int) []byte { return page(i, "") }, 1233, "ListItems", "pages of the " + list},
		"ListItems":    {Limits{ListItems: 5}, func(i int) []byte { return page(i, tool(fmt.Sprint("a", i))+","+tool(fmt.Sprint("b", i))) }, 2, "ListItems", list},
		"MessageBytes": {Limits{MessageBytes: 200}, func(i int) []byte { return page(i, tool(fmt.Sprint(i))) }, 2, "MessageBytes", list},
	} {
		l := set.limits.withDefaults()
		p := toolPages(&l, wanted(t))
		var err error
		n := -1
		for err == nil && n < 2000 {
			n++
			_, err = p.add(set.page(n))
		}
		limit, ok := errors.AsType[*LimitError](err)
		if !ok || limit.Limit != set.limit || limit.What != set.what || n != set.pages || p.more {
			t.Errorf("%s: %v after %d pages", name, err, n)
		}
	}
	// Omitted items count, even if all are on one page.
	l := Limits{ListItems: 1000}.withDefaults()
	data := []byte(`{"tools":[` + strings.Repeat("{},", 500_000) + `{}]}`)
	per := allocated(func() {
		if _, err := toolPages(&l, nil).add(data); err == nil {
			t.Fatal("no error")
		}
	})
	if per > int64(len(data))+1<<20 {
		t.Errorf("%d bytes", per)
	}
}

// The error names the field to change, if there is one.
func TestLimitErrorText(t *testing.T) {
	for want, e := range map[string]*LimitError{
		"s: tools/list: list of tools: more than Limits.ListItems (5) allows": {Target: "s", Method: "tools/list", What: "list of tools", Limit: "ListItems", Value: 5},
		"s: tools/call: header of the response: more than the 65536 bytes that a client reads; the server must send less": {
			Target: "s", Method: "tools/call", What: "header of the response", Limit: limitOf(&dial.TooLarge{Header: true}), Value: headerBytes,
		},
	} {
		if got := e.Error(); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

func TestPagesCursorTwice(t *testing.T) {
	for _, cursors := range [][]string{{"a", "a"}, {"a", "b", "a"}, {"", ""}} {
		p := toolPages(&defaultLimits, wanted(t))
		var err error
		for i, c := range cursors {
			if err != nil {
				t.Fatalf("%q: %v", cursors, err)
			}
			_, err = p.add(fmt.Appendf(nil, `{"tools":[%s],"nextCursor":%q}`, tool(fmt.Sprint(i)), c))
		}
		if v, ok := errors.AsType[*dial.Violation](err); !ok || !strings.Contains(v.Text, "has come twice in the list of tools") || p.more {
			t.Errorf("%q: %v", cursors, err)
		}
	}
}

// Unusable items are omitted and reported; the rest of the list remains.
func TestPagesLeaveOut(t *testing.T) {
	items := []struct{ text, note string }{
		{tool("a"), ""},
		{tool("a"), `tools[1] is left out: there was a tool "a" before`},
		{`{"inputSchema":{"type":"object"}}`, "tools[2] is left out: name: required, but missing"},
		{`{"name":"","inputSchema":{"type":"object"}}`, "tools[3] is left out: name: must have at least 1 character, got 0"},
		{`{"name":7,"inputSchema":{"type":"object"}}`, "tools[4] is left out: name: must be a string, got a number 7"},
		{`{"Name":"b","inputSchema":{"type":"object"}}`, "tools[5] is left out: name: required, but missing"},
		{`{"name":"c","inputSchema":true}`, "tools[6] is left out: inputSchema: must be an object"},
		{`{"name":"d","inputSchema":[{}]}`, "tools[7] is left out: inputSchema: must be an object"},
		{`{"name":"e","inputSchema":null}`, "tools[8] is left out: inputSchema: must be an object"},
		{`{"name":"f"}`, "tools[9] is left out: inputSchema: required, but missing"},
		{`{"name":"g","inputSchema":{},"outputSchema":"{}"}`, "tools[10] is left out: outputSchema: must be an object"},
		{`null`, "tools[11] is left out: must be an object, got null"},
		{`{"name":"h","inputSchema":{},"annotations":{"readOnlyHint":"yes"}}`, "tools[12] is left out: annotations.readOnlyHint: must be a boolean"},
		{`{"name":"i","inputSchema":{"$ref":"http://127.0.0.1:1/x","pattern":"(a+)+$"},"outputSchema":null,"title":null,"x":1}`, ""},
	}
	texts, want := []string{}, []string{}
	for _, i := range items {
		texts = append(texts, i.text)
		if i.note != "" {
			want = append(want, i.note)
		}
	}
	var got notes
	p := toolPages(&defaultLimits, got.add)
	tools, err := p.add([]byte(`{"tools":[` + strings.Join(texts, ",") + `],"nextCursor":"x"}`))
	if err != nil || names(tools) != "a i" {
		t.Errorf("%q, %v", names(tools), err)
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || !strings.HasPrefix(got[i], want[i]) {
			t.Fatalf("reported %q, want %q", got, want)
		}
	}
	// The first of two equal items remains, on other pages too.
	got = nil
	if tools, err = p.add([]byte(`{"tools":[` + tool("i") + "," + tool("j") + `]}`)); err != nil || names(tools) != "j" || len(got) != 1 {
		t.Errorf("%q, %v, %q", names(tools), err, got)
	}
}

// A page that consists of invalid items is reported in a few lines.
func TestPagesManyLeftOut(t *testing.T) {
	var got notes
	tools, err := toolPages(&defaultLimits, got.add).add([]byte(`{"tools":[` + strings.Repeat(`{"name":1},`, 99) + tool("a") + `]}`))
	if err != nil || names(tools) != "a" || len(got) != 21 || got[20] != "79 more problems with tools" {
		t.Errorf("%q, %v, %q", names(tools), err, got)
	}
}

func TestPagesViolations(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                                "tools: required, but missing",
		`{"Tools":[]}`:                      "tools: required, but missing",
		`{"tools":{}}`:                      "tools: must be an array",
		`{"tools":[],"nextCursor":1}`:       "nextCursor: must be a string",
		`{"tools":[{"a":1,"a":2}]}`:         `duplicate key "a"`,
		`{"tools":[],"tools":[]}`:           `duplicate key "tools"`,
		"{\"tools\":[{\"name\":\"\xff\"}]}": "invalid UTF-8",
		`[]`:                                "must be an object",
	} {
		p := toolPages(&defaultLimits, nil)
		_, err := p.add([]byte(text))
		if v, ok := errors.AsType[*dial.Violation](err); !ok || !strings.Contains(v.Text, want) || p.more {
			t.Errorf("%s: %v", text, err)
		}
	}
	var got notes
	if tools, err := toolPages(&defaultLimits, got.add).add([]byte(`{"tools":null}`)); err != nil || len(tools) != 0 || len(got) != 1 {
		t.Errorf("%v, %v, %q", tools, err, got)
	}
}

// The items of a list and the other members of a result have separate limits.
func TestPagesOfMany(t *testing.T) {
	items := make([]string, 100_000)
	for i := range items {
		items[i] = fmt.Sprintf(`{"name":"%d"}`, i)
	}
	p := promptPages(&defaultLimits, wanted(t))
	prompts, err := p.add([]byte(`{"prompts":[` + strings.Join(items, ",") + `],"_meta":{"a":1}}`))
	if err != nil || len(prompts) != 100_000 {
		t.Errorf("%d, %v", len(prompts), err)
	}
}

// Pages with different scopes are private from there on.
func TestPagesScope(t *testing.T) {
	type page struct {
		scope, want string
		mixed       bool
	}
	for _, pages := range [][]page{
		{{"public", "public", false}, {"public", "public", false}},
		{{"public", "public", false}, {"private", "private", true}, {"public", "private", true}},
		{{"private", "private", false}, {"public", "private", true}},
		{{"public", "public", false}, {"shared", "private", true}, {"public", "private", true}},
	} {
		p := promptPages(&defaultLimits, nil)
		for i, page := range pages {
			if _, err := p.add(fmt.Appendf(nil, `{"prompts":[],"cacheScope":%q,"ttlMs":%d,"nextCursor":"%d"}`, page.scope, i, i)); err != nil {
				t.Fatal(err)
			}
			if string(p.info.cache) != page.want || p.mixed != page.mixed || *p.info.ttl != int64(i) {
				t.Errorf("%v: page %d has %q, %t", pages, i, p.info.cache, p.mixed)
			}
		}
	}
}

// The items of a list do not refer to the caller's data.
func TestPagesCopy(t *testing.T) {
	data := []byte(`{"tools":[{"name":"a","inputSchema":{"type":"object"},"_meta":{"k":1}}],"nextCursor":"two"}`)
	p := toolPages(&defaultLimits, nil)
	tools, err := p.add(data)
	if err != nil {
		t.Fatal(err)
	}
	clear(data)
	if got := compact(t, tools) + *p.cursor; got != `[{"name":"a","inputSchema":{"type":"object"},"_meta":{"k":1}}]two` {
		t.Error(got)
	}
}

// The lists of the examples of the specification are read, and their items are written without a
// change of meaning.
func TestListExamples(t *testing.T) {
	dir := filepath.Join(spec.Dir(t), "2026-07-28", "examples")
	listed(t, dir, "ListToolsResult", listOfTools)
	listed(t, dir, "ListResourcesResult", listOfResources)
	listed(t, dir, "ListResourceTemplatesResult", listOfTemplates)
	listed(t, dir, "ListPromptsResult", listOfPrompts)
}

func listed[T any](t *testing.T, dir, name string, kind *listKind[T]) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, name, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples of %s: %v", name, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var want map[string]json.RawMessage
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		p := newPages(kind, &defaultLimits, wanted(t))
		items, err := p.add(data)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if written := compact(t, items); !sameJSON(t, want[kind.member], []byte(written)) {
			t.Errorf("%s: written as %s", file, written)
		}
		if cursor := want["nextCursor"]; cursor != nil && (!p.more || compact(t, *p.cursor) != string(cursor)) || string(want["cacheScope"]) != compact(t, p.info.cache) {
			t.Errorf("%s: %+v", file, p.info)
		}
	}
}
