package mcp_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// poison panics if encoding/json or fmt uses it: both call these methods before they use reflection
// on fields.
type poison struct {
	N    int      `json:"n"`
	Tags []string `json:"tags"`
}

func (*poison) UnmarshalJSON([]byte) error   { panic("encoding/json has read an argument") }
func (poison) MarshalJSON() ([]byte, error)  { panic("encoding/json has written a result") }
func (poison) String() string                { panic("fmt has printed a value") }
func (poison) MarshalText() ([]byte, error)  { panic("a value was written as text") }
func (*poison) UnmarshalText(b []byte) error { panic("a value was read as text") }

var infoPoison = mcp.ToolInfo{
	Name: "poison", InputSchema: `{"type":"object"}`, OutputSchema: `{"type":"object"}`,
}

var fieldsPoison = wire.Fields{{Must: "n"}, {Name: "tags"}}

func decodePoison(d *wire.Decoder, v *poison) {
	for o := d.Object(fieldsPoison); o.Next(); {
		switch o.Name() {
		case "n":
			wire.Int(d, &v.N)
		case "tags":
			wire.Slice(d, &v.Tags, wire.String[string])
		}
	}
}

func encodePoison(e *wire.Encoder, v *poison) {
	e.Begin()
	e.Name("n")
	wire.PutInt(e, &v.N)
	e.Name("tags")
	wire.PutSlice(e, v.Tags, wire.PutString)
	e.End()
}

func callPoison(_ context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
	var args poison
	d := mcpimpl.Decoder(req)
	decodePoison(d, &args)
	if err := d.Finish(); err != nil {
		return nil, err
	}
	e := mcpimpl.Encoder(req)
	encodePoison(e, &args)
	return mcpimpl.Structured(req, e)
}

const poisoned = `{"n":7,"tags":["a","b"]}`

func TestNoReflectionOnTheCallPath(t *testing.T) {
	s := mcp.NewServer(fixtureInfo())
	s.Register(mcpimpl.FuncTool(&infoPoison, callPoison))
	client := connect(t, s)
	for _, text := range []string{call(1, "poison", poisoned), modernCall(1, "poison", poisoned)} {
		if got := client(text); !strings.Contains(got, `"structuredContent":`+poisoned) {
			t.Errorf("%s", got)
		}
	}
	if got := client(call(1, "poison", `{"n":"x"}`)); !strings.Contains(got, "must be an integer") {
		t.Errorf("%s", got)
	}
}

func modernCall(id int, tool, arguments string) string {
	return request(id, "tools/call", `{`+modernMeta+`,"name":"`+tool+`","arguments":`+arguments+`}`)
}

// script is a connection without goroutines: it returns one message whenever the reply to the
// message before has been written.
type script struct {
	message []byte
	next    chan bool
	answers chan int
}

var errScriptEnds = errors.New("no more")

func (s *script) Read() ([]byte, error) {
	if !<-s.next {
		return nil, errScriptEnds
	}
	return s.message, nil
}

func (s *script) Write(b []byte) error { s.answers <- len(b); return nil }
func (s *script) Close() error         { return nil }

func benchmark(b *testing.B, message string, parallel int) {
	s := mcp.NewServer(fixtureInfo(), quiet)
	register(s)
	s.Register(mcpimpl.FuncTool(&infoParcel, callParcel))
	conn, wait := s.Connect(b.Context())
	conn.Write([]byte(initialize("2025-11-25") + "\n"))
	conn.Read()
	var batch []byte
	for i := range parallel {
		batch = append(batch, strings.Replace(message, `"id":1,`, `"id":`+jsonrpc.IntID(int64(i+1)).String()+`,`, 1)+"\n"...)
	}
	b.ReportAllocs()
	for n := 0; n < b.N; n += parallel {
		conn.Write(batch)
		for range parallel {
			if _, err := conn.Read(); err != nil {
				b.Fatal(err)
			}
		}
	}
	conn.Close()
	wait()
}

func BenchmarkPing(b *testing.B)   { benchmark(b, request(1, "ping", "{}"), 64) }
func BenchmarkList(b *testing.B)   { benchmark(b, request(1, "tools/list", "{}"), 64) }
func BenchmarkAdd(b *testing.B)    { benchmark(b, call(1, "add", `{"a":1,"b":2}`), 64) }
func BenchmarkAddOne(b *testing.B) { benchmark(b, call(1, "add", `{"a":1,"b":2}`), 1) }
func BenchmarkAddModern(b *testing.B) {
	benchmark(b, modernCall(1, "add", `{"a":1,"b":2}`), 64)
}

func BenchmarkStart(b *testing.B) {
	var infos []*mcp.ToolInfo
	for i := range 1000 {
		info := infoAdd
		info.Name, info.Aliases = "tool_"+jsonrpc.IntID(int64(i)).String(), nil
		infos = append(infos, &info)
	}
	b.ReportAllocs()
	for b.Loop() {
		s := mcp.NewServer(fixtureInfo())
		for _, info := range infos {
			s.Register(mcpimpl.FuncTool(info, callAdd))
		}
		conn, wait := s.Connect(b.Context())
		conn.Write([]byte(initialize("2025-11-25") + "\n" + request(1, "tools/list", "{}") + "\n"))
		conn.Read()
		conn.Read()
		conn.Close()
		wait()
	}
}
