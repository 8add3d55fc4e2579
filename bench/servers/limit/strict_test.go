package limit_test

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/bench/servers/limit"
	"github.com/mcpgen/mcpgen/bench/servers/mcpgen"
)

// asker sends one request and returns the answer.
type asker func(t *testing.T, request string) string

// byHand returns an asker for the hand-written server.
func byHand(t *testing.T) asker {
	in, requests := io.Pipe()
	answers, out := io.Pipe()
	go func() { out.CloseWithError(limit.Default().ServeLines(in, out)) }()
	t.Cleanup(func() { requests.Close() })
	lines := bufio.NewReader(answers)
	return func(t *testing.T, request string) string {
		t.Helper()
		if _, err := io.WriteString(requests, request+"\n"); err != nil {
			t.Fatal(err)
		}
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return line
	}
}

// generated returns an asker for the generated server.
func generated(t *testing.T) asker {
	conn, wait := mcpgen.NewMCPServer().Connect(t.Context())
	t.Cleanup(func() { conn.Close(); wait() })
	ask := func(t *testing.T, request string) string {
		t.Helper()
		if err := conn.Write([]byte(request + "\n")); err != nil {
			t.Fatal(err)
		}
		line, err := conn.Read()
		if err != nil {
			t.Fatal(err)
		}
		return string(line)
	}
	ask(t, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	return ask
}

// accepted reports whether an answer is a result without isError.
func accepted(t *testing.T, answer string) bool {
	t.Helper()
	var a struct {
		Result *struct{ IsError bool }
		Error  *struct{ Code int }
	}
	if err := json.Unmarshal([]byte(answer), &a); err != nil || (a.Result == nil) == (a.Error == nil) {
		t.Fatalf("not an answer: %v: %s", err, answer)
	}
	return a.Result != nil && !a.Result.IsError
}

const good = `{"query":"a","limit":25,"offset":100,"sort":"year","exact":false,` +
	`"filters":[{"field":"language","op":"in","values":["en","de"],"boost":1.5},{"field":"year","op":"gt"}],` +
	`"labels":{"tenant":"north"},"weights":{"title":0.75,"text":1},"page":{"number":5,"size":25,"cursor":"x"},` +
	`"since":"2024-02-29T12:30:00.25+01:00"}`

// mutations replace a part of good by another one.
var mutations = []struct{ old, new string }{
	{`"query":"a"`, `"query":"` + strings.Repeat("é", 200) + `"`},
	{`"query":"a"`, `"query":"` + strings.Repeat("é", 201) + `"`},
	{`"query":"a"`, `"query":""`},
	{`"query":"a"`, `"query":null`},
	{`"query":"a"`, `"query":5`},
	{`"query":"a",`, ``},
	{`"query":"a"`, `"Query":"a"`},
	{`"query":"a"`, `"query":"a","query":"a"`},
	{`"query":"a"`, `"query":"\u00e9\ud83d\ude00\n"`},
	{`"query":"a"`, `"query":"\ud83d"`},
	{`"query":"a"`, `"query":"\ude00x"`},
	{`"query":"a"`, "\"query\":\"\xff\""},
	{`"query":"a"`, "\"query\":\"a\nb\""},
	{`"query":"a"`, `"query":"\x"`},
	{`"query":"a"`, `"quer\u0079":"a"`},
	{`"limit":25`, `"limit":0`},
	{`"limit":25`, `"limit":100`},
	{`"limit":25`, `"limit":101`},
	{`"limit":25`, `"limit":1.0`},
	{`"limit":25`, `"limit":1e1`},
	{`"limit":25`, `"limit":1.5`},
	{`"limit":25`, `"limit":"25"`},
	{`"limit":25`, `"limit":null`},
	{`"limit":25`, `"limit":025`},
	{`"limit":25`, `"limit":-`},
	{`"offset":100`, `"offset":-1`},
	{`"offset":100`, `"offset":9223372036854775807`},
	{`"offset":100`, `"offset":9223372036854775808`},
	{`"sort":"year"`, `"sort":"yeer"`},
	{`"sort":"year"`, `"sort":"Year"`},
	{`"sort":"year"`, `"sort":3`},
	{`"exact":false`, `"exact":"false"`},
	{`"exact":false`, `"exact":null`},
	{`"exact":false`, `"exact":falsy`},
	{`"field":"language",`, ``},
	{`"field":"language"`, `"field":""`},
	{`"op":"in",`, ``},
	{`"op":"in"`, `"op":"like"`},
	{`"op":"in"`, `"op":"in","op":"in"`},
	{`"op":"in"`, `"op":"in","extra":1`},
	{`["en","de"]`, `[]`},
	{`["en","de"]`, `null`},
	{`["en","de"]`, `["en",2]`},
	{`["en","de"]`, `["en",]`},
	{`"boost":1.5`, `"boost":0`},
	{`"boost":1.5`, `"boost":-0.5`},
	{`"boost":1.5`, `"boost":1e-9`},
	{`"boost":1.5`, `"boost":1e400`},
	{`{"field":"year","op":"gt"}`, `{"field":"year","op":"gt"}` + strings.Repeat(`,{"field":"year","op":"gt"}`, 8)},
	{`{"field":"year","op":"gt"}`, `{"field":"year","op":"gt"}` + strings.Repeat(`,{"field":"year","op":"gt"}`, 9)},
	{`{"field":"year","op":"gt"}`, `null`},
	{`"tenant":"north"`, `"tenant":"north","tenant":"south"`},
	{`"tenant":"north"`, `"tenant":1`},
	{`"tenant":"north"`, `"a":"","b":"","c":"","d":"","e":"","f":"","g":"","h":"","i":""`},
	{`"title":0.75`, `"title":1.01`},
	{`"title":0.75`, `"title":-0.01`},
	{`"title":0.75`, `"title":0.75,"title":0.5`},
	{`"number":5`, `"number":0`},
	{`"size":25`, `"size":255`},
	{`"size":25`, `"size":256`},
	{`"size":25`, `"size":-1`},
	{`"cursor":"x"`, `"cursor":"x","cursor":"x"`},
	{`"cursor":"x"`, `"curser":"x"`},
	{`"2024-02-29T12:30:00.25+01:00"`, `"2023-02-29T12:30:00Z"`},
	{`"2024-02-29T12:30:00.25+01:00"`, `"2024-02-29"`},
	{`"2024-02-29T12:30:00.25+01:00"`, `"2024-02-29t12:30:00z"`},
	{`"2024-02-29T12:30:00.25+01:00"`, `1709209800`},
	{`"page":{`, `"page":[{`},
	{`"labels":{`, ` "labels" : { `},
}

// TestStrictness checks that the hand-written server accepts the same arguments as the generated
// one: only then are their costs comparable.
func TestStrictness(t *testing.T) {
	hand, machine := byHand(t), generated(t)
	messages := map[string]string{"good": good}
	for _, m := range mutations {
		if !strings.Contains(good, m.old) {
			t.Fatalf("%s is not in the arguments", m.old)
		}
		messages[m.old+" -> "+m.new] = strings.Replace(good, m.old, m.new, 1)
	}
	id, refused := 0, 0
	for name, arguments := range messages {
		id++
		request := `{"jsonrpc":"2.0","id":` + strconv.Itoa(id) + `,"method":"tools/call","params":{"name":"search","arguments":` + arguments + `}}`
		if strings.Contains(arguments, "\n") {
			continue // a separate line
		}
		want, got := machine(t, request), hand(t, request)
		if accepted(t, got) != accepted(t, want) {
			t.Errorf("%s:\n%s%s", name, got, want)
		}
		if !accepted(t, want) {
			refused++
		}
	}
	if refused < 40 {
		t.Errorf("only %d of %d are refused", refused, len(messages))
	}
}

// TestEnvelope checks the same for the message around the arguments.
func TestEnvelope(t *testing.T) {
	hand, machine := byHand(t), generated(t)
	for _, request := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}`,
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"ping","params":{"name":"add","arguments":{"a":1,"b":2}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","name":"add","arguments":{"a":1,"b":2}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2},"arguments":{}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2},"_meta":{"x":{"a":1,"a":2}}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2},"_meta":{"x":["\ud800"]}}}`,
		`{"jsonrpc":"2.0","id":"\u0031","method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":9223372036854775807}}}`,
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`,
		`{"jsonrpc":"1.0","id":1,"method":"ping"}`,
		`{"id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping"} x`,
		`{"jsonrpc":"2.0","id":1,"method":"no/such"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no_such"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":[]}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":` + strings.Repeat(`{"a":`, 600) + `1` + strings.Repeat(`}`, 600) + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"catalog://books/3"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"catalog://books/x"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"catalog://books/99"}}`,
		"\xef\xbb\xbf{}",
		`[1`,
	} {
		want, got := machine(t, request), hand(t, request)
		if accepted(t, got) != accepted(t, want) {
			t.Errorf("%s:\n%s%s", request, got, want)
		}
	}
}

// TestCancel checks that a cancelled call is not answered, and that an id can only be in flight
// once.
func TestCancel(t *testing.T) {
	cl := limit.NewClient()
	s := limit.Default()
	read := func(text string) *limit.Post {
		p, failed := limit.Receive(strings.NewReader(text), int64(len(text)))
		if failed != "" {
			t.Fatal(failed)
		}
		return p
	}
	const report = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"report","_meta":{"progressToken":1}}}`
	call := read(report)
	told := 0
	reply := s.Answer(t.Context(), cl, call, func([]byte) {
		if told++; told > 1 {
			return
		}
		again := read(report)
		if answer := s.Answer(t.Context(), cl, again, func([]byte) {}); !strings.Contains(string(answer), "in flight") {
			t.Errorf("the same id again: %s", answer)
		}
		again.End()
		cancelled := read(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
		cl.Notify(cancelled)
		cancelled.End()
	})
	if reply != nil {
		t.Errorf("a call that was cancelled is answered: %s", reply)
	}
	call.End()
}
