package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

func TestParseKinds(t *testing.T) {
	for _, test := range []struct {
		text   string
		kind   jsonrpc.MessageKind
		id     string
		method string
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, jsonrpc.Request, "1", "ping"},
		{`{"params":{},"method":"ping","id":"a","jsonrpc":"2.0"}`, jsonrpc.Request, `"a"`, "ping"},
		{`{"jsonrpc":"2.0","method":"notifications/x"}`, jsonrpc.Notification, "", "notifications/x"},
		{`{"jsonrpc":"2.0","id":1,"result":null}`, jsonrpc.Response, "1", ""},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}`, jsonrpc.Response, "1", ""},
		{`{"jsonrpc":"2.0","error":{"code":1,"message":""}}`, jsonrpc.Response, "", ""},
		{` [ {"jsonrpc":"2.0","method":"x"} ] `, jsonrpc.Batch, "", ""},
		{`{"jsonrpc":"2.0","id":1,"method":"p","METHOD":"q","unknown":[{}]}`, jsonrpc.Request, "1", "p"},
	} {
		m, err := jsonrpc.Parse([]byte(test.text))
		if err != nil || m.Kind != test.kind || m.ID.String() != test.id || string(m.Method) != test.method {
			t.Errorf("Parse(%s) = kind %d, id %s, method %s, %v", test.text, m.Kind, m.ID, m.Method, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	spec.Holds(t, "S004")
	long := `{"jsonrpc":"2.0","id":5,"method":"p","params":{`
	for i := range 40 {
		long += fmt.Sprintf(`"k%d":0,`, i)
	}
	for _, test := range []struct {
		text string
		code int
		id   string
		says string
	}{
		{``, jsonrpc.CodeParse, "", ""},
		{`{`, jsonrpc.CodeParse, "", "key"},
		{"\xef\xbb\xbf{}", jsonrpc.CodeParse, "", "byte order mark"},
		{`{"jsonrpc":"2.0","id":1,"method":"p"}x`, jsonrpc.CodeParse, "", "trailing"},
		{`{"jsonrpc":"2.0","id":1,"method":"p","params":{"a":"\ud800"}}`, jsonrpc.CodeParse, "", "surrogate"},
		{`{"jsonrpc":"2.0","id":1,"method":"p"} ` + "\x00", jsonrpc.CodeParse, "", "trailing"},
		{`{"jsonrpc":"2.0","id":1,"method":"p","params":{"a":[1`, jsonrpc.CodeParse, "", "unexpected end of a value"},
		{`{"jsonrpc":"2.0","id":1,"method":"p","params":{"a":"b`, jsonrpc.CodeParse, "", "unexpected end of a value"},
		{`{"jsonrpc":"2.0","id":1.5,"id":5,"method":"p"}`, jsonrpc.CodeInvalidRequest, "", `"id"`},
		{`{"jsonrpc":"2.0","id":[{"a":1,"a":1}],"id":5,"method":"p"}`, jsonrpc.CodeInvalidRequest, "", `"a"`},
		{`{"jsonrpc":"2.0","id":1,"id":1,"method":"p"}`, jsonrpc.CodeInvalidRequest, "", `"id"`},
		{long + `"k17":1}}`, jsonrpc.CodeInvalidRequest, "5", `"k17"`},
		{`{"jsonrpc":"2.0","id":7,"method":"p","params":` + strings.Repeat("[", 512) + strings.Repeat("]", 512) + `}`,
			jsonrpc.CodeInvalidRequest, "7", "512"},
		{`{"jsonrpc":"2.0","id":1,"error":{},"result":{}}`, jsonrpc.CodeInvalidRequest, "1", "both"},
		{`{"jsonrpc":"2.0","result":{}}`, jsonrpc.CodeInvalidRequest, "", "id"},
		{`{"jsonrpc":"2.0","id":1,"error":7}`, jsonrpc.CodeInvalidRequest, "1", "object"},
	} {
		m, err := jsonrpc.Parse([]byte(test.text))
		if err == nil {
			t.Errorf("Parse(%.80s) succeeded", test.text)
			continue
		}
		if err.Code != test.code || m.ID.String() != test.id || !strings.Contains(err.Message, test.says) {
			t.Errorf("Parse(%.80s) = id %s, %v", test.text, m.ID, err)
		}
	}
}

func TestDeferred(t *testing.T) {
	p := jsonrpc.Parser{Deferred: "arguments"}
	var m jsonrpc.Message
	for text, code := range map[string]int{
		`{"jsonrpc":"2.0","id":1,"method":"p","params":{"arguments":{"a":[1,2]},"z":1}}`: 0,
		`{"jsonrpc":"2.0","id":1,"method":"p","params":{"arguments":{"a":tru}}}`:         jsonrpc.CodeParse,
		`{"jsonrpc":"2.0","id":1,"method":"p","params":{"arguments":{"a":1,"a":1}}}`:     jsonrpc.CodeInvalidParams,
	} {
		if err := p.Parse([]byte(text), &m); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !m.Params.Unchecked {
			t.Errorf("%s: checked", text)
		}
		err := m.Params.Check(10)
		if (err == nil) != (code == 0) || err != nil && err.Code != code {
			t.Errorf("%s: Check = %v", text, err)
		}
	}
	if err := m.Params.Check(10); err != nil {
		t.Errorf("checked again: %v", err)
	}
	if err := p.Parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"p","params":{"z":1}}`), &m); err != nil || m.Params.Check(10) != nil {
		t.Errorf("without the member: %v, %v", err, m.Params.Check(10))
	}
	if got := string(m.Params.Get("no")); got != "" {
		t.Errorf("Get(no) = %s", got)
	}
	m.Reset()
	if m.Params.Len() != 0 || m.Kind != jsonrpc.Invalid {
		t.Error("Reset left something")
	}
}

// A message with many members does not slow down later ones.
func TestManyMembers(t *testing.T) {
	used := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	var m jsonrpc.Message
	parse := func(members int) {
		text := `{"jsonrpc":"2.0","id":1,"method":"p","params":{"k":0`
		for i := range members {
			text += `,"k` + strconv.Itoa(i) + `":0`
		}
		if err := (jsonrpc.Parser{}).Parse([]byte(text+"}}"), &m); err != nil || m.Params.Len() != members+1 {
			t.Fatalf("%d members, %v", m.Params.Len(), err)
		}
	}
	parse(10)
	before := used()
	parse(10_000)
	m.Reset()
	if more := used() - before; more > 100<<10 {
		t.Errorf("%d bytes are in use", more)
	}
	runtime.KeepAlive(&m)
}

func TestMembers(t *testing.T) {
	var got []string
	jsonrpc.Members([]byte(` {"a":1, "b\u00e9\n" : {"x":"}\\\""} ,"c":[1,{"d":2}]} `), func(name, value []byte) bool {
		got = append(got, string(name)+"="+string(value))
		return true
	})
	want := []string{"a=1", "bé\n=" + `{"x":"}\\\""}`, `c=[1,{"d":2}]`}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
	got = nil
	jsonrpc.Elements([]byte(`[1,"a,b",[],{"x":[]}]`), func(v []byte) bool {
		got = append(got, string(v))
		return len(got) < 3
	})
	if fmt.Sprint(got) != `[1 "a,b" []]` {
		t.Errorf("got %q", got)
	}
}

func TestBytes(t *testing.T) {
	for text, want := range map[string]string{`"a\nb"`: "a\nb", `""`: "", `"\ud83d\ude00"`: "😀"} {
		if got, ok := jsonrpc.Bytes([]byte(text)); !ok || string(got) != want {
			t.Errorf("Bytes(%s) = %q, %v", text, got, ok)
		}
		if got, ok := jsonrpc.String([]byte(text)); !ok || got != want {
			t.Errorf("String(%s) = %q, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", `"`, "1", "12", "null", "[]", `["a"]`} {
		if got, ok := jsonrpc.Bytes([]byte(text)); ok || got != nil {
			t.Errorf("Bytes(%s) = %q, %v", text, got, ok)
		}
	}
	// Not valid, but without a panic.
	for _, text := range []string{`"\"`, `"\u"`, `"\u12"`, `"\ud83d"`, `"\ud83d\u"`} {
		jsonrpc.Bytes([]byte(text))
	}
}

func TestIDKeys(t *testing.T) {
	id := func(raw string) jsonrpc.IDKey {
		id, ok := jsonrpc.RawID([]byte(raw))
		if !ok {
			t.Fatalf("RawID(%s) is refused", raw)
		}
		return id.Key()
	}
	for _, same := range [][2]string{{"0", "-0"}, {`"a"`, `"\u0061"`}, {"7", "7"}} {
		if id(same[0]) != id(same[1]) {
			t.Errorf("%s and %s differ", same[0], same[1])
		}
	}
	for _, other := range [][2]string{
		{"42", `"42"`}, {"1", "2"}, {"-1", "1"}, {"9007199254740992", "9007199254740993"},
		{"123456789012345678901", "123456789012345678902"}, {`""`, "0"},
	} {
		if id(other[0]) == id(other[1]) {
			t.Errorf("%s and %s are the same", other[0], other[1])
		}
	}
	for _, bad := range []string{"", "null", "1.5", "1e3", "1.0", "01", "-", "{}", "true", `"`, `"a"b`, " 1"} {
		if _, ok := jsonrpc.RawID([]byte(bad)); ok {
			t.Errorf("RawID(%s) is taken", bad)
		}
	}
	for _, same := range []string{"9223372036854775807", "-9223372036854775808", "9223372036854775808", "-1000000000000000000", "999999999999999999"} {
		if id(same) != id(strings.Clone(same)) || id(same) == id(same+"0") || id(same) == id("1"+strings.TrimPrefix(same, "-")) {
			t.Errorf("the key of %s", same)
		}
	}
	if (jsonrpc.ID{}).Key() != (jsonrpc.IDKey{}) || (jsonrpc.ID{}).Key() == id("0") || jsonrpc.Null.Key() == id("0") {
		t.Error("the key of no identifier")
	}
	number := jsonrpc.IntID(1 << 40)
	if n := testing.AllocsPerRun(10, func() { number.Key() }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	if !(jsonrpc.ID{}).Clone().IsZero() {
		t.Error("the copy of no identifier")
	}
	raw := []byte("17")
	if own, ok := jsonrpc.RawID(raw); ok {
		copied := own.Clone()
		raw[0] = '2'
		if copied.String() != "17" {
			t.Errorf("the copy has become %s", copied)
		}
	}
	if jsonrpc.TextID(`a"`).String() != `"a\""` || jsonrpc.IntID(-3).String() != "-3" || !(jsonrpc.ID{}).IsZero() {
		t.Error("constructors")
	}
}

func TestAppend(t *testing.T) {
	e := &jsonrpc.Error{Code: -1, Message: "a\n\"b\"", Data: json.RawMessage(`{"x":1}`)}
	for got, want := range map[string]string{
		string(jsonrpc.AppendResult(nil, jsonrpc.IntID(1), []byte("{}"))):            `{"jsonrpc":"2.0","id":1,"result":{}}`,
		string(jsonrpc.AppendError(nil, jsonrpc.ID{}, e)):                            `{"jsonrpc":"2.0","error":{"code":-1,"message":"a\n\"b\"","data":{"x":1}}}`,
		string(jsonrpc.AppendError(nil, jsonrpc.Null, e)):                            `{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"a\n\"b\"","data":{"x":1}}}`,
		string(jsonrpc.AppendRequest(nil, jsonrpc.TextID("x"), "ping", nil)):         `{"jsonrpc":"2.0","id":"x","method":"ping"}`,
		string(jsonrpc.AppendNotification(nil, "n", json.RawMessage(`{"a":[1,2]}`))): `{"jsonrpc":"2.0","method":"n","params":{"a":[1,2]}}`,
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// FuzzParse compares the parser with encoding/json: messages that it accepts are valid JSON with
// the same members, and an identifier is returned unchanged.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":[1,{"b":"}\\\""}]}}}`,
		`{"jsonrpc":"2.0","id":"\u0061","method":"p\u0069ng"}`, `[{"jsonrpc":"2.0"}]`, `{"id":1.5}`, "\xef\xbb\xbf{}", `{"a":"\ud800"}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"method":"a","params":[]} `, `{"a":[}]}`, `{"\`, `"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p := jsonrpc.Parser{Deferred: "arguments"}
		var m jsonrpc.Message
		before := bytes.Clone(data)
		err := p.Parse(data, &m)
		if !bytes.Equal(before, data) {
			t.Fatal("the message was changed")
		}
		if err == nil {
			err = m.Params.Check(0)
		}
		if err != nil {
			if err.Code != jsonrpc.CodeParse && err.Code != jsonrpc.CodeInvalidRequest && err.Code != jsonrpc.CodeInvalidParams {
				t.Fatalf("code %d", err.Code)
			}
			return
		}
		if !json.Valid(data) {
			t.Fatalf("accepted %q", data)
		}
		if m.Kind == jsonrpc.Batch {
			return
		}
		var want struct {
			ID     json.RawMessage `json:"id"`
			Params json.RawMessage `json:"params"`
		}
		var all map[string]json.RawMessage
		if json.Unmarshal(data, &all) != nil {
			t.Fatalf("not an object: %q", data)
		}
		want.ID, want.Params = all["id"], all["params"]
		if m.Kind == jsonrpc.Request && m.ID.String() != string(want.ID) {
			t.Fatalf("id %s, want %s", m.ID, want.ID)
		}
		var method string
		if json.Unmarshal(all["method"], &method); method != string(m.Method) {
			t.Fatalf("method %q, want %q", m.Method, method)
		}
		if string(m.Params.Raw) != string(want.Params) {
			t.Fatalf("params %s, want %s", m.Params.Raw, want.Params)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	data := []byte(`{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"search","arguments":{"query":"` +
		strings.Repeat("x", 400) + `","filters":[{"field":"a","values":["b","c"]},{"field":"d","values":["e"]}]}}}`)
	p := jsonrpc.Parser{Deferred: "arguments"}
	var m jsonrpc.Message
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if err := p.Parse(data, &m); err != nil {
			b.Fatal(err)
		}
	}
}

func TestLongID(t *testing.T) {
	for _, c := range []struct {
		id string
		ok bool
	}{
		{`"` + strings.Repeat("x", jsonrpc.MaxID) + `"`, true},
		{`"` + strings.Repeat("x", jsonrpc.MaxID+1) + `"`, false},
		{strings.Repeat("1", jsonrpc.MaxID), true},
		{strings.Repeat("1", jsonrpc.MaxID+1), false},
		{"-" + strings.Repeat("1", jsonrpc.MaxID), false},
		{`"` + strings.Repeat("x", 4<<20) + `"`, false},
	} {
		if _, ok := jsonrpc.RawID([]byte(c.id)); ok != c.ok {
			t.Errorf("RawID of %d bytes: %v", len(c.id), ok)
		}
		for _, text := range []string{
			`{"jsonrpc":"2.0","id":` + c.id + `,"method":"m"}`, `{"method":"m","jsonrpc":"2.0","id":` + c.id + `}`,
			`{"jsonrpc":"2.0","id":` + c.id + `,"result":{}}`, `{"jsonrpc":"2.0","id":` + c.id + `,"error":{}}`,
		} {
			m, err := jsonrpc.Parse([]byte(text))
			if (err == nil) != c.ok || m.ID.IsZero() == c.ok {
				t.Errorf("%.60s: id %.20s, %v", text, m.ID, err)
			}
			if err != nil && (err.Code != jsonrpc.CodeInvalidRequest || err.Message != `invalid request: "id" must have at most 1024 bytes`) {
				t.Errorf("%.60s: %v", text, err)
			}
		}
	}
}
