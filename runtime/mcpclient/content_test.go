package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// A result that cannot be read fails its call with an error that names the place; the next call
// succeeds.
func TestContentOfServers(t *testing.T) {
	for name, c := range map[string]struct{ result, want string }{
		"bad base64":    {`{"content":[{"type":"image","data":"no base64","mimeType":"image/png"}]}`, "content[0].data: must be base64"},
		"wrong type":    {`{"content":[{"type":"text","text":["a"]}]}`, "content[0].text: must be a string, got an array"},
		"no type":       {`{"content":[{"text":"a"}]}`, "content[0].type: required, but missing"},
		"duplicate key": {`{"content":[{"type":"text","text":"a","text":"b"}]}`, `duplicate key "text"`},
		"other shape":   {`{"content":"a"}`, "content: must be an array"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				replies := []string{c.result, `{"content":[{"type":"hologram","depth":1.50}],"resultType":"complete"}`}
				s := &scripted{handle: modern(func(_ int, m message) []string {
					reply := m.reply(replies[0])
					replies = replies[1:]
					return []string{reply}
				})}
				client := connect(t, s, mcpclient.Options{})
				_, err := client.Call(t.Context(), "x", nil)
				violation := errorAs[*mcpclient.ProtocolViolationError](t, err)
				if !strings.Contains(violation.Text, c.want) || violation.Method != "tools/call" || !strings.HasPrefix(violation.Target, "scripted") || len(violation.Bytes) == 0 {
					t.Errorf("%+v, want %s", violation, c.want)
				}
				result, err := client.Call(t.Context(), "x", nil)
				if err != nil {
					t.Fatal(err)
				}
				if block, _ := result.Content[0].(mcp.RawContent); block.Type != "hologram" || string(block.JSON) != `{"type":"hologram","depth":1.50}` {
					t.Errorf("the next call: %+v", result)
				}
			})
		})
	}
}

func TestContentItemsOfServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		block := `{"type":"text","text":""}`
		s := &scripted{handle: modern(func(_ int, m message) []string {
			if m.member("name") == `"many"` {
				return []string{m.reply(`{"content":[` + strings.Repeat(block+",", 10) + block + `]}`)}
			}
			return []string{m.reply(okResult)}
		})}
		c := connect(t, s, mcpclient.Options{Limits: mcpclient.Limits{ContentItems: 10}})
		_, err := c.Call(t.Context(), "many", nil)
		limit := errorAs[*mcpclient.LimitError](t, err)
		if limit.Limit != "ContentItems" || limit.Value != 10 || limit.Method != "tools/call" || limit.Target == "" {
			t.Errorf("%+v", limit)
		}
		if r, err := c.Call(t.Context(), "few", nil); err != nil || r.Text() != "ok" {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// Contents of another resource are reported, and returned.
func TestOtherResource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var v violations
		contents := []string{`{"uri":"a:b","text":"1"}`, `{"uri":"a:other","text":"2"}`, `{"uri":"a:other","text":"3"},{"uri":"a:b","text":"4"}`, ``}
		s := &scripted{handle: modern(func(_ int, m message) []string {
			reply := m.reply(`{"resultType":"complete","ttlMs":0,"cacheScope":"private","contents":[` + contents[0] + `]}`)
			contents = contents[1:]
			return []string{reply}
		})}
		c := connect(t, s, mcpclient.Options{OnProtocolError: v.add})
		for _, want := range []string{"1", "2", "34", ""} {
			if r, err := c.Read(t.Context(), "a:b"); err != nil || r.Text() != want {
				t.Fatalf("%+v, %v", r, err)
			}
		}
		synctest.Wait()
		if texts := v.texts(); len(texts) != 1 || !strings.Contains(texts[0], `asked for, "a:b"; the first one is of "a:other"`) {
			t.Errorf("%q", texts)
		}
	})
}

// Structured content that does not fit is an error of the generic Call that names the places.
// Client.Call returns it unchanged.
func TestStructuredContradiction(t *testing.T) {
	type item struct {
		Name  string
		Price float64
	}
	synctest.Test(t, func(t *testing.T) {
		const value = `{"Items":[{"Name":"a","Price":1},{"Name":7,"Price":"much"}],"N":9007199254740993}`
		s := &scripted{handle: modern(func(_ int, m message) []string {
			if m.member("name") == `"text"` {
				return []string{m.reply(okResult)}
			}
			return []string{m.reply(`{"content":[],"structuredContent":` + value + `}`)}
		})}
		c := connect(t, s, mcpclient.Options{})
		got, err := mcpclient.Call[struct{ Items []item }](t.Context(), c, "x", nil)
		errorAs[*mcpclient.ContentError](t, err)
		if want := ": x: the result does not fit the type struct { Items []mcpclient_test.item } that it is read into: " +
			"Items[1].Name: must be string, got number; Items[1].Price: must be float64, got string"; !strings.HasSuffix(err.Error(), want) || got.Items != nil {
			t.Errorf("%v, %+v; want %s", err, got, want)
		}
		_, err = mcpclient.Call[[]int](t.Context(), c, "x", nil)
		errorAs[*mcpclient.ContentError](t, err)
		if want := ": x: the result does not fit the type []int that it is read into: must be []int, got object"; !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if r, err := c.Call(t.Context(), "x", nil); err != nil || string(r.Structured) != value {
			t.Errorf("%+v, %v", r, err)
		}
		if n, err := mcpclient.Call[struct{ N int64 }](t.Context(), c, "x", nil); err != nil || n.N != 9007199254740993 {
			t.Errorf("%+v, %v", n, err)
		}
		// A tool without structured content does not violate the protocol.
		if text, err := mcpclient.Call[string](t.Context(), c, "text", nil); err != nil || text != "ok" {
			t.Errorf("%q, %v", text, err)
		}
		_, err = mcpclient.Call[item](t.Context(), c, "text", nil)
		if _, broken := errors.AsType[*mcpclient.ProtocolViolationError](err); err == nil || broken || !strings.Contains(err.Error(), "text: the result has no structured content") {
			t.Errorf("%v", err)
		}
	})
}

// The limits end an endless list, and the next request succeeds.
func TestEndlessLists(t *testing.T) {
	item := func(n int) string { return fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object"}}`, n) }
	for name, c := range map[string]struct {
		limits mcpclient.Limits
		page   func(n int) string
		limit  string // of the error, "" for a violation
		asked  int    // at most
	}{
		"new cursors": {mcpclient.Limits{}, func(n int) string { return fmt.Sprintf(`"tools":[],"nextCursor":"%d"`, n) }, "ListItems", 1000},
		"same cursor": {mcpclient.Limits{}, func(n int) string { return `"tools":[` + item(n) + `],"nextCursor":"again"` }, "", 2},
		"no cursor":   {mcpclient.Limits{}, func(n int) string { return `"tools":[` + item(n) + `],"nextCursor":""` }, "", 2},
		"items": {mcpclient.Limits{ListItems: 30}, func(n int) string {
			return fmt.Sprintf(`"tools":[%s],"nextCursor":"%d"`, strings.Repeat(item(n)+",", 9)+item(n), n)
		}, "ListItems", 4},
		"bytes": {mcpclient.Limits{MessageBytes: 1000}, func(n int) string {
			return fmt.Sprintf(`"tools":[],"x":"%s","nextCursor":"%d"`, strings.Repeat("x", 300), n)
		}, "MessageBytes", 4},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := 0
				s := &scripted{handle: modern(func(_ int, m message) []string {
					if m.Method != "tools/list" {
						return []string{m.reply(okResult)}
					}
					n++
					return []string{m.reply(`{"resultType":"complete","ttlMs":0,"cacheScope":"private",` + c.page(n) + `}`)}
				})}
				client := connect(t, s, mcpclient.Options{Limits: c.limits, OnProtocolError: func(error) {}})
				tools, err := client.Tools(t.Context())
				if tools != nil {
					t.Errorf("a part of the list: %d", len(tools))
				}
				if c.limit == "" {
					violation := errorAs[*mcpclient.ProtocolViolationError](t, err)
					if !strings.Contains(violation.Text, "has come twice") || violation.Method != "tools/list" {
						t.Errorf("%+v", violation)
					}
				} else if limit := errorAs[*mcpclient.LimitError](t, err); limit.Limit != c.limit || limit.Method != "tools/list" {
					t.Errorf("%+v", limit)
				}
				if asked := s.count("tools/list"); asked > c.asked {
					t.Errorf("%d pages were requested", asked)
				}
				if r, err := client.Call(t.Context(), "x", nil); err != nil || r.Text() != "ok" {
					t.Errorf("%+v, %v", r, err)
				}
			})
		})
	}
}

// A form that the specification does not allow is refused without asking the user.
func TestFormsOfServers(t *testing.T) {
	fields := make([]string, 10_000)
	for i := range fields {
		fields[i] = fmt.Sprintf(`"f%d":{"type":"string"}`, i)
	}
	for name, c := range map[string]struct{ schema, want string }{
		"many fields":  {`{"type":"object","properties":{` + strings.Join(fields, ",") + `}}`, "-32602"},
		"nested":       {`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}}}`, "-32602"},
		"no object":    {`["a"]`, "-32602"},
		"does not fit": {`{"type":"object","properties":{"n":{"type":"integer","maximum":1}}}`, "field n: must be at most 1, got 2"},
		"defaults":     {`{"type":"object","properties":{"n":{"type":"integer"},"s":{"type":"string","default":"a"}}}`, `{"action":"accept","content":{"n":2,"s":"a"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &scripted{}
				s.handle = legacy(func(_ int, m message) []string {
					if m.Method != "tools/call" {
						return nil
					}
					return []string{`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?","requestedSchema":` + c.schema + `}}`, m.reply(okResult)}
				})
				asked := 0
				client := connect(t, s, mcpclient.Options{Elicit: func(context.Context, *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
					asked++
					return mcpclient.Accept(map[string]json.RawMessage{"n": json.RawMessage("2")}), nil
				}})
				if _, err := client.Call(t.Context(), "x", nil); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				got := ""
				for _, m := range s.received {
					if string(m.ID) == `"q"` && m.Error != nil {
						got = fmt.Sprint(m.Error.Code, " ", m.Error.Message)
					} else if string(m.ID) == `"q"` {
						got = string(m.Result)
					}
				}
				if !strings.Contains(got, c.want) || asked > 0 != (c.want != "-32602") {
					t.Errorf("%s after %d questions, want %s", got, asked, c.want)
				}
			})
		})
	}
}
