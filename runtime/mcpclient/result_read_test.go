package mcpclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// limits are the default limits with some content items.
func limits(items int) *Limits {
	l := defaultLimits
	l.ContentItems = items
	return &l
}

// notes collects reports.
type notes []string

func (n *notes) add(text string) { *n = append(*n, text) }

// equal compares two values of the shapes. It compares times, texts and raw JSON byte for byte.
func equal[T any](t *testing.T, data []byte, got, want *T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		t.Errorf("%s\nis read as\n%s\nwant\n%s", data, a, b)
	}
}

// author writes random results that are valid.
type author struct{ *rand.Rand }

func (a author) one(of ...string) string { return of[a.IntN(len(of))] }

func (a author) text() string {
	text, _ := json.Marshal(a.one("", "Emma", "a \"quoted\" word\n", "日本語 😀", strings.Repeat("long ", 60), "\u2028<&>", "\x1b[31mred\x1b[0m"))
	return string(text)
}

func (a author) value(depth int) string {
	if depth > 3 {
		return a.text()
	}
	switch a.IntN(6) {
	case 0:
		return a.one("9007199254740993", "-0", "1e400", "0.1000", "12345678901234567890")
	case 1:
		return a.one("true", "false", "null")
	case 2:
		return "[" + a.list(func() string { return a.value(depth + 1) }) + "]"
	case 3, 4:
		return a.object(depth)
	}
	return a.text()
}

func (a author) object(depth int) string {
	members := []string{}
	for i := range a.IntN(4) {
		members = append(members, fmt.Sprintf(`"k%d": %s`, i, a.value(depth+1)))
	}
	return "{" + strings.Join(members, " , ") + "}"
}

func (a author) list(one func() string) string {
	all := []string{}
	for range a.IntN(4) {
		all = append(all, one())
	}
	return strings.Join(all, ",")
}

// members writes an object with these members in any order, some of them left out or null, and with
// unknown ones.
func (a author) members(required, optional []string) string {
	all := append([]string(nil), required...)
	for _, m := range optional {
		switch a.IntN(4) {
		case 0, 1:
			all = append(all, m)
		case 2:
			name, _, _ := strings.Cut(m, ":")
			if name != `"structuredContent"` && name != `"_meta"` { // encoding/json reads the null of a map or a raw value as a value
				all = append(all, name+":null")
			}
		}
	}
	if a.IntN(3) == 0 {
		all = append(all, `"x-unknown": `+a.object(2))
	}
	a.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	space := a.one("", " ", "\n\t")
	return "{" + space + strings.Join(all, ","+space) + space + "}"
}

func (a author) meta() string   { return `"_meta":` + a.object(2) }
func (a author) base64() string { return a.one(`""`, `"aGVsbG8="`, `"/+8="`) }
func (a author) annotations() string {
	return `"annotations":` + a.members(nil, []string{`"audience":["user","assistant"]`, `"priority":0.5`, `"lastModified":"2025-01-12T15:00:58Z"`})
}

func (a author) icons() string {
	return `"icons":[` + a.list(func() string {
		return a.members([]string{`"src":` + a.text()}, []string{`"mimeType":` + a.text(), `"sizes":["48x48"]`, `"theme":"dark"`})
	}) + "]"
}

func (a author) contents() string {
	return a.members(
		[]string{`"uri":` + a.text(), a.one(`"text":`+a.text(), `"blob":`+a.base64())},
		[]string{`"mimeType":` + a.text(), a.meta()})
}

func (a author) block() string {
	rest := []string{a.annotations(), a.meta()}
	switch kind := a.one("text", "image", "audio", "resource_link", "resource"); kind {
	case "text":
		return a.members([]string{`"type":"text"`, `"text":` + a.text()}, rest)
	case "image", "audio":
		return a.members([]string{`"type":"` + kind + `"`, `"data":` + a.base64(), `"mimeType":"image/png"`}, rest)
	case "resource_link":
		return a.members([]string{`"type":"resource_link"`, `"uri":` + a.text(), `"name":` + a.text()},
			append(rest, `"title":`+a.text(), `"description":`+a.text(), `"mimeType":`+a.text(), `"size":17`, a.icons()))
	}
	return a.members([]string{`"type":"resource"`, `"resource":` + a.contents()}, rest)
}

// sampled writes a block of a message of sampling.
func (a author) sampled() string {
	switch a.one("text", "image", "tool_use", "tool_result") {
	case "text":
		return a.members([]string{`"type":"text"`, `"text":` + a.text()}, []string{a.annotations(), a.meta()})
	case "image":
		return a.members([]string{`"type":"image"`, `"data":` + a.base64(), `"mimeType":"image/png"`}, []string{a.meta()})
	case "tool_use":
		return a.members([]string{`"type":"tool_use"`, `"id":` + a.text(), `"name":` + a.text(), `"input":` + a.object(1)}, []string{a.meta()})
	}
	return a.members([]string{`"type":"tool_result"`, `"toolUseId":` + a.text(), `"content":[` + a.list(a.block) + "]"},
		[]string{`"structuredContent":` + a.value(1), `"isError":true`, a.meta()})
}

func (a author) info() []string {
	return []string{`"resultType":"complete"`, `"ttlMs":300000`, `"cacheScope":"public"`, a.meta()}
}

// Valid results are read as encoding/json reads them by the tags of the shapes, and are unchanged
// after writing and reading again.
func TestReadAsByReflection(t *testing.T) {
	for seed := range uint64(500) {
		a := author{rand.New(rand.NewPCG(seed, 1))}
		tool := a.members([]string{`"content":[` + a.list(a.block) + "]"}, append(a.info(), `"structuredContent":`+a.value(0), `"isError":true`))
		compare(t, tool, readToolResult, plainToolResult)
		compare(t, a.members([]string{`"contents":[` + a.list(a.contents) + "]"}, a.info()), readResourceResult, plainResourceResult)
		compare(t, a.members([]string{`"messages":[` + a.list(func() string {
			return a.members([]string{`"role":"user"`, `"content":` + a.block()}, nil)
		}) + "]"}, append(a.info(), `"description":`+a.text())), readPromptResult, plainPromptResult)
		compare(t, a.members([]string{`"maxTokens":5`, `"messages":[` + a.list(func() string {
			return a.members([]string{`"role":"user"`, `"content":[` + a.list(a.sampled) + "]"}, []string{a.meta()})
		}) + "]"}, nil), func(data []byte, l *Limits, _ func(string)) (*mcp.SampleRequest, error) {
			return readSampleRequest(data, l)
		}, plainSampleRequest)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func compare[T any](t *testing.T, text string, read func([]byte, *Limits, func(string)) (*T, error), plain func([]byte) (*T, error)) {
	t.Helper()
	data := []byte(text)
	want, err := plain(data)
	if err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	got, err := read(bytes.Clone(data), &defaultLimits, nil)
	if err != nil {
		t.Errorf("%s: %v", data, err)
		return
	}
	equal(t, data, got, want)
	written, err := json.Marshal(got)
	if err != nil {
		t.Errorf("%s: %v", data, err)
		return
	}
	again, err := read(bytes.Clone(written), &defaultLimits, nil)
	if err != nil {
		t.Errorf("%s: %v", written, err)
		return
	}
	if compact(t, got) != compact(t, again) {
		t.Errorf("%s\nis written as\n%s", data, written)
	}
}

func compact(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// allocated returns the number of bytes that f allocates.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// wanted fails the test for each report.
func wanted(t *testing.T) func(string) {
	return func(text string) {
		t.Helper()
		t.Error(text)
	}
}

// The examples of the specification are read without a report, and written without a change of
// meaning.
func TestExamples(t *testing.T) {
	dir := filepath.Join(spec.Dir(t), "2026-07-28", "examples")
	l := &defaultLimits
	block := func(b []byte) (any, error) {
		return readValue(b, wanted(t), func(r *reader) any { return r.readBlock(&r.d) })
	}
	sampled := func(b []byte) (any, error) {
		return readValue(b, wanted(t), func(r *reader) any { return r.readSampled(&r.d) })
	}
	contents := func(b []byte) (any, error) {
		return readValue(b, wanted(t), func(r *reader) any {
			var c mcp.ResourceContents
			r.readContents(&r.d, &c)
			return c
		})
	}
	for name, read := range map[string]func([]byte) (any, error){
		"CallToolResult":                   func(b []byte) (any, error) { return readToolResult(b, l, wanted(t)) },
		"ReadResourceResult":               func(b []byte) (any, error) { return readResourceResult(b, l, wanted(t)) },
		"GetPromptResult":                  func(b []byte) (any, error) { return readPromptResult(b, l, wanted(t)) },
		"CreateMessageRequestParams":       func(b []byte) (any, error) { return readSampleRequest(b, l) },
		"ElicitRequestFormParams":          func(b []byte) (any, error) { return readElicitation(b) },
		"ElicitRequestURLParams":           func(b []byte) (any, error) { return readElicitation(b) },
		"LoggingMessageNotificationParams": func(b []byte) (any, error) { return readLogMessage(b) },
		"AudioContent":                     block,
		"EmbeddedResource":                 block,
		"ImageContent":                     block,
		"ResourceLink":                     block,
		"TextContent":                      block,
		"TextResourceContents":             contents,
		"BlobResourceContents":             contents,
		"ToolResultContent":                sampled,
		"ToolUseContent":                   sampled,
		"CreateMessageResult":              func(b []byte) (any, error) { return ReadAnswer(b) },
		"ModelPreferences": func(b []byte) (any, error) {
			return readValue(b, wanted(t), func(r *reader) any {
				var p mcp.ModelPreferences
				readPreferences(&r.d, &p)
				return p
			})
		},
		"SamplingMessage": func(b []byte) (any, error) {
			return readValue(b, wanted(t), func(r *reader) any { return r.readSampleMessage(&r.d) })
		},
		"Tool":     func(b []byte) (any, error) { return readOne(listOfTools, b) },
		"Resource": func(b []byte) (any, error) { return readOne(listOfResources, b) },
	} {
		files, err := filepath.Glob(filepath.Join(dir, name, "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no examples of %s: %v", name, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := read(bytes.Clone(data))
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			data = bytes.ReplaceAll(data, []byte(`"isError": false`), []byte(`"isError": null`)) // the default
			if written := compact(t, got); !sameJSON(t, data, []byte(written)) {
				t.Errorf("%s\n%s\nis written as\n%s", file, data, written)
			}
		}
	}
}

// readOne reads one item of a list.
func readOne[T any](kind *listKind[T], data []byte) (*T, error) {
	v := new(T)
	return v, read(data, &defaultLimits, nil, func(r *reader) { kind.read(r, v) })
}

// readValue reads a part of a message.
func readValue(data []byte, report func(string), f func(*reader) any) (v any, err error) {
	err = read(data, &defaultLimits, report, func(r *reader) { v = f(r) })
	return v, err
}

// sameJSON reports whether two texts are the same JSON value.
func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	value := func(text []byte) (v any) {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		if m, ok := v.(map[string]any); ok {
			if m["isError"] == nil {
				delete(m, "isError")
			}
			for _, name := range []string{"resultType", "ttlMs", "cacheScope"} { // they belong to the message, not its content
				delete(m, name)
			}
		}
		return v
	}
	return reflect.DeepEqual(value(a), value(b))
}

// A violation of the protocol is an error that names the place.
func TestReadViolations(t *testing.T) {
	block := func(b string) string { return `{"content":[` + b + `]}` }
	deep := `{"type":"hologram","x":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`
	for text, want := range map[string]string{
		`{"content":[],"content":[]}`:                                             `duplicate key "content"`,
		block(`{"type":"text","text":"a","text":"b"}`):                            `duplicate key "text"`,
		block(`{"type":"other","x":1,"x":2}`):                                     `duplicate key "x"`,
		`{"content":[],"structuredContent":{"a":{"b":1,"b":1}}}`:                  `duplicate key "b"`,
		block("{\"type\":\"text\",\"text\":\"\xff\"}"):                            "invalid UTF-8",
		block(`{"type":"text","text":"\ud800"}`):                                  "surrogate",
		block(`{"type":"text"}`):                                                  "content[0].text: required, but missing",
		block(`{"type":"text","text":5}`):                                         "content[0].text: must be a string, got a number 5",
		block(`{"type":"text","Text":"a"}`):                                       "content[0].text: required, but missing",
		block(`{"text":"a"}`):                                                     "content[0].type: required, but missing",
		block(`{"type":7}`):                                                       "content[0].type: must be a string, got a number 7",
		block(`"text"`):                                                           "content[0]: must be an object",
		block(`null`):                                                             "content[0]: must be an object, got null",
		block(`{"type":"image","data":"a b","mimeType":"image/png"}`):             "content[0].data: must be base64",
		block(`{"type":"image","data":"aGVsbG8","mimeType":"image/png"}`):         "content[0].data: must be base64",
		block(`{"type":"audio","data":7,"mimeType":"audio/wav"}`):                 "content[0].data: must be a string",
		block(`{"type":"resource"}`):                                              "content[0].resource: required, but missing",
		block(`{"type":"resource","resource":{"uri":"a:b"}}`):                     "content[0].resource: must have either text or blob, has neither",
		block(`{"type":"resource","resource":{"uri":"a:b","text":"","blob":""}}`): "has both",
		block(`{"type":"resource","resource":{"uri":"a:b","blob":"!"}}`):          "content[0].resource.blob: must be base64",
		block(`{"type":"resource_link","name":"a"}`):                              "content[0].uri: required, but missing",
		block(`{"type":"resource_link","uri":"a:b","name":"a","size":0.5}`):       "content[0].size: must be an integer",
		block(`{"type":"text","text":"","annotations":[]}`):                       "content[0].annotations: must be an object",
		block(`{"type":"text","text":"","_meta":[]}`):                             "content[0]._meta: must be an object",
		block(deep):                       "nested deeper than 512 levels",
		`{"content":{}}`:                  "content: must be an array, got an object",
		`{"content":[],"isError":"true"}`: "isError: must be a boolean",
		`{"content":[],"resultType":1}`:   "resultType: must be a string",
		`{"content":[]} {}`:               "after the value",
		`{"content":[]`:                   "unexpected end of the text",
		`[]`:                              "must be an object, got an array",
		`null`:                            "must be an object, got null",
		``:                                "unexpected end of the text",
	} {
		_, err := readToolResult([]byte(text), &defaultLimits, nil)
		v, ok := errors.AsType[*dial.Violation](err)
		if !ok || !strings.Contains(v.Text, want) {
			t.Errorf("%.200s: %v, want %s", text, err, want)
			continue
		}
		if begins := text[:min(len(text), 256)]; string(v.Bytes) != begins {
			t.Errorf("%.200s: the error has %q", text, v.Bytes)
		}
	}
}

// Harmless violations are reported, and the value is read.
func TestReadNotes(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:               "a result of a tool has no content",
		`{"CONTENT":[{}]}`: "a result of a tool has no content",
		`{"content":null}`: "content is null, and must be an array",
		`{"content":[{"type":"image","data":""}]}`:                                                             "a content block of type image has no mimeType",
		`{"content":[{"type":"resource_link","uri":"a:b"}]}`:                                                   "a content block of type resource_link has no name",
		`{"resultType":"input_required","requestState":"x"}`:                                                   `a result has the resultType "input_required", which the client does not know`,
		`{"content":[],"resultType":"hologram"}`:                                                               `a result has the resultType "hologram", which the client does not know`,
		`{"content":[],"unknown":{"a":[1,2,{}]},"":0}`:                                                         "",
		`{"content":[{"type":"text","text":"","annotations":{"lastModified":"2025-01-12T15:00:58.5+02:00"}}]}`: "",
		`{"content":[{"type":"text","text":"","annotations":{"lastModified":"yesterday","priority":1}}]}`:      `lastModified is left out: it must be a date and time of RFC 3339, got "yesterday"`,
		`{"content":[{"type":"text","text":"","annotations":{"lastModified":"2025-02-30T00:00:00Z"}}]}`:        `lastModified is left out: it must be a date and time of RFC 3339, got "2025-02-30T00:00:00Z"`,
	} {
		var got notes
		if _, err := readToolResult([]byte(text), &defaultLimits, got.add); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s: reported %q, want %q", text, got, want)
		}
	}
}

// Limits.ContentItems counts blocks, contents and messages, including nested ones.
func TestContentItems(t *testing.T) {
	text := `{"role":"user","content":{"type":"text","text":"a"}}`
	readers := map[string]func([]byte, *Limits, func(string)) error{
		`{"maxTokens":1,"messages":[{"role":"user","content":{"type":"tool_result","toolUseId":"1","content":[{"type":"x"}]}}]}`: func(b []byte, l *Limits, f func(string)) error {
			_, err := readSampleRequest(b, l)
			return err
		},
		`{"contents":[{"uri":"a:b","text":""},{"uri":"a:b","blob":""},{"uri":"a:b","text":""}]}`: func(b []byte, l *Limits, f func(string)) error {
			_, err := readResourceResult(b, l, f)
			return err
		},
		`{"messages":[` + text + `,` + text + `,` + text + `]}`: func(b []byte, l *Limits, f func(string)) error {
			_, err := readPromptResult(b, l, f)
			return err
		},
		`{"content":[{"type":"text","text":"a"},{"type":"resource","resource":{"uri":"a:b","text":""}}]}`: func(b []byte, l *Limits, f func(string)) error {
			_, err := readToolResult(b, l, f)
			return err
		},
		`{"maxTokens":1,"messages":[{"role":"user","content":{"type":"text","text":""}},{"role":"user","content":[]}]}`: func(b []byte, l *Limits, f func(string)) error {
			_, err := readSampleRequest(b, l)
			return err
		},
	}
	for text, read := range readers {
		if err := read([]byte(text), limits(3), nil); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		limit, ok := errors.AsType[*LimitError](read([]byte(text), limits(2), nil))
		if !ok || limit.Limit != "ContentItems" || limit.Value != 2 || limit.What != "content" {
			t.Errorf("%s: %v", text, limit)
		}
	}
}

// A megabyte of blocks takes no more memory than the limit allows.
func TestContentItemsMemory(t *testing.T) {
	data := []byte(`{"content":[` + strings.Repeat(`{"type":"text","text":""},`, 40_000) + `{"type":"text","text":""}]}`)
	per := allocated(func() {
		if _, err := readToolResult(data, limits(1000), nil); err == nil {
			t.Fatal("no error")
		}
	})
	if per > 2<<20 { // 1000 blocks, in slices that double
		t.Errorf("%d bytes", per)
	}
}

// Other elements that take more memory than their text are limited too.
func TestElementsMemory(t *testing.T) {
	many := func(s string) string { return strings.Repeat(s+",", 100_000) + s }
	meta := []string{}
	for i := range 100_000 {
		meta = append(meta, fmt.Sprintf(`"%d":1`, i))
	}
	for name, text := range map[string]string{
		"icons":    `{"content":[{"type":"resource_link","uri":"a:b","name":"a","icons":[` + many(`{"src":""}`) + `]}]}`,
		"audience": `{"content":[{"type":"text","text":"","annotations":{"audience":[` + many(`""`) + `]}}]}`,
		"_meta":    `{"content":[],"_meta":{` + strings.Join(meta, ",") + `}}`,

		// Skipped names are stored to find repeated ones.
		"unknown members":     `{"content":[],` + strings.Join(meta, ",") + `}`,
		"an unknown object":   `{"content":[],"x":{"y":[{` + strings.Join(meta, ",") + `}]}}`,
		"of a block":          `{"content":[{"type":"text","text":"",` + strings.Join(meta, ",") + `}]}`,
		"of structured":       `{"content":[],"structuredContent":{` + strings.Join(meta, ",") + `}}`,
		"in structured":       `{"content":[],"structuredContent":{"a":[[{"b":{` + strings.Join(meta, ",") + `}}]]}}`,
		"of an unknown block": `{"content":[{"type":"hologram","x":{` + strings.Join(meta, ",") + `}}]}`,
	} {
		per := allocated(func() {
			_, err := readToolResult([]byte(text), limits(1000), nil)
			if limit, ok := errors.AsType[*LimitError](err); !ok || limit.Limit != "ContentItems" || limit.Value != 1000 {
				t.Fatal(err)
			}
		}) - int64(len(text))
		if per > 5<<20 {
			t.Errorf("%s: %d bytes", name, per)
		}
	}
}

// A block of an unknown type is kept, and written unchanged.
func TestUnknownContent(t *testing.T) {
	const block = `{ "type" : "hologram", "data": "not base64", "text": [1.50, 9007199254740993], "TYPE": {"type":"text"} }`
	const escaped = `{"text":"a","type":"te\u0078t"}`
	data := []byte(`{"content":[` + block + `,` + escaped + `,{"type":""},{"type":"tool_use","id":1}]}`)
	r, err := readToolResult(data, &defaultLimits, wanted(t))
	if err != nil {
		t.Fatal(err)
	}
	unknown, _ := r.Content[0].(mcp.RawContent)
	if unknown.Type != "hologram" || string(unknown.JSON) != block {
		t.Errorf("%+v", unknown)
	}
	if c, _ := r.Content[1].(mcp.Text); c.Text != "a" {
		t.Errorf("%+v", c)
	}
	if c, _ := r.Content[2].(mcp.RawContent); c.Type != "" || string(c.JSON) != `{"type":""}` {
		t.Errorf("%+v", c)
	}
	if c, _ := r.Content[3].(mcp.RawContent); c.Type != "tool_use" { // only sampling messages have this type
		t.Errorf("%+v", c)
	}
	const want = `{"type":"hologram","data":"not base64","text":[1.50,9007199254740993],"TYPE":{"type":"text"}}`
	if got := compact(t, unknown); got != want {
		t.Errorf("written as %s", got)
	}
	// The JSON belongs to the user, who may modify it without other effects.
	for i := range unknown.JSON {
		unknown.JSON[i] = 'x'
	}
	if c, _ := r.Content[1].(mcp.Text); unknown.Type != "hologram" || c.Text != "a" {
		t.Errorf("%+v", r.Content)
	}
	if grown := append(unknown.JSON, "overwritten"...); r.Content[1].(mcp.Text).Text != "a" || len(grown) == 0 {
		t.Error("an append overwrites what follows")
	}
}

// Texts remain unchanged: terminal escapes, controls, and line separators.
func TestTextsStay(t *testing.T) {
	want := "\x1b[2J\x1b]0;title\x07\u202e\u2028\x00<script>"
	text, _ := json.Marshal(want)
	r, err := readToolResult([]byte(`{"content":[{"type":"text","text":`+string(text)+`}]}`), &defaultLimits, wanted(t))
	if err != nil || r.Text() != want {
		t.Errorf("%q, %v", r.Text(), err)
	}
}

// TestCacheHints checks for how long a result may be cached, and for whom
// (server/utilities/caching).
func TestCacheHints(t *testing.T) {
	for text, want := range map[string]struct {
		ttl   int64 // ms
		scope mcp.CacheScope
		note  bool
	}{
		`"ttlMs":0,"cacheScope":"public"`:                           {0, "public", false},
		`"ttlMs":300000,"cacheScope":"private"`:                     {300000, "private", false},
		`"ttlMs":3e5,"cacheScope":"private"`:                        {300000, "private", false},
		`"ttlMs":86400000,"cacheScope":"private"`:                   {86400000, "private", false},
		`"ttlMs":86400001,"cacheScope":"private"`:                   {86400000, "private", false},
		`"ttlMs":1000000000000000000,"cacheScope":"private"`:        {86400000, "private", false},
		`"ttlMs":1e400,"cacheScope":"private"`:                      {86400000, "private", false},
		`"ttlMs":-1,"cacheScope":"private"`:                         {0, "private", true},
		`"ttlMs":-1e400,"cacheScope":"private"`:                     {0, "private", true},
		`"ttlMs":0.5,"cacheScope":"private"`:                        {0, "private", true},
		`"ttlMs":1500.25,"cacheScope":"private"`:                    {0, "private", true},
		`"ttlMs":"1000","cacheScope":"private"`:                     {0, "private", true},
		`"ttlMs":[1000],"cacheScope":"private"`:                     {0, "private", true},
		`"ttlMs":true,"cacheScope":"private"`:                       {0, "private", true},
		`"ttlMs":1,"cacheScope":"Public"`:                           {1, "private", true},
		`"ttlMs":1,"cacheScope":"shared"`:                           {1, "private", true},
		`"ttlMs":1,"cacheScope":["public"]`:                         {1, "private", true},
		`"ttlMs":1,"cacheScope":"` + strings.Repeat("x", 1e5) + `"`: {1, "private", true},
	} {
		var got notes
		r, err := readResourceResult([]byte(`{"contents":[],`+text+`}`), &defaultLimits, got.add)
		if err != nil || r.TTL.Milliseconds() != want.ttl || r.Cache != want.scope || len(got) > 0 != want.note {
			t.Errorf("%.80s: %+v, %v, %q", text, r, err, got)
		}
		if len(strings.Join(got, "")) > 300 {
			t.Errorf("a note of %d bytes", len(got[0]))
		}
	}
	for _, text := range []string{`{"contents":[]}`, `{"contents":[],"ttlMs":null,"cacheScope":null}`} {
		if r, err := readResourceResult([]byte(text), &defaultLimits, wanted(t)); err != nil || r.TTL != 0 || r.Cache != "" {
			t.Errorf("%s: %+v, %v", text, r, err)
		}
	}
}

func TestReadCompletion(t *testing.T) {
	c, err := readCompletion([]byte(`{"completion":{"values":["a","b"],"total":10,"hasMore":true},"resultType":"complete"}`), &defaultLimits, wanted(t))
	if err != nil || !reflect.DeepEqual(c, &mcp.Completion{Values: []string{"a", "b"}, Total: 10, HasMore: true}) {
		t.Errorf("%+v, %v", c, err)
	}
	var got notes
	c, err = readCompletion([]byte(`{"completion":{"values":[`+strings.Repeat(`"a",`, 100)+`"b"]}}`), &defaultLimits, got.add)
	if err != nil || len(c.Values) != 101 || len(got) != 1 {
		t.Errorf("%d values, %v, %q", len(c.Values), err, got)
	}
	for _, text := range []string{`{}`, `{"completion":[]}`, `{"completion":{}}`, `{"completion":{"values":[1]}}`, `{"completion":{"values":[],"total":"1"}}`} {
		if _, err := readCompletion([]byte(text), &defaultLimits, nil); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}

// benchResult is a result of 1 KB: a text block and the same value as structured content.
func benchResult() []byte {
	value := `{"title":"Emma","author":{"name":"Jane Austen","born":1775},"tags":["novel","romance","classic"],"pages":474,"ratings":[4.5,4.25,3.75],"summary":"` + strings.Repeat("A comedy of manners. ", 14) + `"}`
	text, _ := json.Marshal(value)
	return []byte(`{"content":[{"type":"text","text":` + string(text) + `}],"structuredContent":` + value + `,"resultType":"complete"}`)
}

func BenchmarkReadToolResult(b *testing.B) {
	data := benchResult()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := readToolResult(data, &defaultLimits, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadToolResultByReflection(b *testing.B) {
	data := benchResult()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := plainToolResult(data); err != nil {
			b.Fatal(err)
		}
	}
}

// No text makes a reader panic, and each value that is read is strict JSON, and equal after writing
// and reading it again.
func FuzzReadToolResult(f *testing.F) {
	f.Add(string(benchResult()))
	for seed := range uint64(20) {
		a := author{rand.New(rand.NewPCG(seed, 2))}
		f.Add(a.members([]string{`"content":[` + a.list(a.block) + "]"}, a.info()))
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := readToolResult([]byte(text), &defaultLimits, func(string) {})
		if err != nil {
			return
		}
		if !json.Valid([]byte(text)) {
			t.Fatalf("%q is no JSON", text)
		}
		written, err := json.Marshal(r)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		again, err := readToolResult(bytes.Clone(written), &defaultLimits, nil)
		if err != nil {
			t.Fatalf("%q is written as %q: %v", text, written, err)
		}
		if once := compact(t, again); once != string(written) {
			t.Fatalf("%q is written as %q, and then %q", text, written, once)
		}
	})
}
