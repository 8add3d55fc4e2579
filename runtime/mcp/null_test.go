package mcp_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// optionalMember is a member of a request that may be left out.
type optionalMember struct {
	method string
	valid  string // the other members, with their comma
	name   string // name of the member, or the whole text with NULL in place of the value
	// The revisions whose schema declares the member: in older ones null is valid, since unknown
	// members are ignored.
	from, until string
}

const (
	callTell  = `"name":"tell",`
	getKinds  = `"name":"completed",`
	readMotto = `"uri":"test://motto",`
	complete  = `"ref":{"type":"ref/prompt","name":"completed"},"argument":{"name":"isbn","value":""},`
)

// optionalMembers are the optional members of all requests of clients, in every revision, except
// initialize and the _meta of revision 2026-07-28, which are tested below.
var optionalMembers = []optionalMember{
	{"ping", "", "_meta", "2024", "2026"},
	{"ping", "", `"_meta":{"progressToken":NULL}`, "2024", "2026"},
	{"tools/list", "", "cursor", "2024", ""},
	{"tools/list", "", "_meta", "2024", "2026"},
	{"resources/list", "", "cursor", "2024", ""},
	{"resources/list", "", "_meta", "2024", "2026"},
	{"resources/templates/list", "", "cursor", "2024", ""},
	{"resources/templates/list", "", "_meta", "2024", "2026"},
	{"prompts/list", "", "cursor", "2024", ""},
	{"prompts/list", "", "_meta", "2024", "2026"},
	{"tools/call", callTell, "arguments", "2024", ""},
	{"tools/call", callTell, "_meta", "2024", "2026"},
	{"tools/call", callTell, `"_meta":{"progressToken":NULL}`, "2024", "2026"},
	{"tools/call", callTell, "task", "2025-11", "2026"},
	{"tools/call", callTell, "inputResponses", "2026", ""},
	{"tools/call", callTell, "requestState", "2026", ""},
	{"prompts/get", getKinds, "arguments", "2024", ""},
	{"prompts/get", getKinds, "_meta", "2024", "2026"},
	{"prompts/get", getKinds, "inputResponses", "2026", ""},
	{"prompts/get", getKinds, "requestState", "2026", ""},
	{"resources/read", readMotto, "_meta", "2024", "2026"},
	{"resources/read", readMotto, "inputResponses", "2026", ""},
	{"resources/read", readMotto, "requestState", "2026", ""},
	{"resources/subscribe", readMotto, "_meta", "2024", "2026"},
	{"resources/unsubscribe", readMotto, "_meta", "2024", "2026"},
	{"logging/setLevel", `"level":"error",`, "_meta", "2024", "2026"},
	{"completion/complete", complete, "context", "2025-06", ""},
	{"completion/complete", complete, `"context":{"arguments":NULL}`, "2025-06", ""},
	{"completion/complete", complete, "_meta", "2024", "2026"},
}

// requiredMembers are required members whose value is null.
var requiredMembers = []struct{ method, members string }{
	{"tools/call", `"name":null`},
	{"prompts/get", `"name":null`},
	{"resources/read", `"uri":null`},
	{"resources/subscribe", `"uri":null`},
	{"resources/unsubscribe", `"uri":null`},
	{"logging/setLevel", `"level":null`},
	{"completion/complete", `"ref":null,"argument":{"name":"isbn","value":""}`},
	{"completion/complete", `"ref":{"type":"ref/prompt","name":"completed"},"argument":null`},
	{"completion/complete", `"ref":{"type":"ref/prompt","name":null},"argument":{"name":"isbn","value":""}`},
	{"completion/complete", `"ref":{"type":"ref/prompt","name":"completed"},"argument":{"name":"isbn","value":null}`},
}

// sendNull sends a request with a member that is null, and returns the reply.
func (c *inRevision) sendNull(text string, invalid bool) string {
	c.t.Helper()
	if invalid {
		c.sendInvalid(text + "\n")
	} else {
		c.send(text + "\n")
	}
	synctest.Wait()
	got := c.received()
	if len(got) != 1 {
		c.t.Fatalf("%s\nhas the replies %q", text, got)
	}
	return got[0]
}

func addNullable(s *mcp.Server) {
	addLibrary(s)
	tool(s, "tell", func(context.Context) (string, error) { return "told", nil })
}

// meta returns the _meta of a request, with a comma, or "" in revisions without it.
func (c *inRevision) meta() string {
	if c.revision < "2026" {
		return ""
	}
	return modernMeta + ","
}

func object(members string) string { return "{" + strings.TrimSuffix(members, ",") + "}" }

func TestNullIsAbsent(t *testing.T) {
	inEveryRevision(t, addNullable, func(t *testing.T, c *inRevision) {
		for _, m := range optionalMembers {
			if c.revision >= "2026" && m.until != "" {
				continue // TestNullInMeta tests the remaining ones
			}
			without := c.sendNull(request(1, m.method, object(c.meta()+m.valid)), false)
			if strings.Contains(without, `"error"`) && !strings.Contains(without, "-32601") {
				t.Fatalf("%s: %s", m.method, without)
			}
			null := `"` + m.name + `":null`
			if strings.Contains(m.name, "NULL") {
				null = strings.Replace(m.name, "NULL", "null", 1)
			}
			if got := c.sendNull(request(1, m.method, object(c.meta()+m.valid+null)), c.revision >= m.from); got != without {
				t.Errorf("%s with %s\ngot  %s\nwant %s", m.method, null, got, without)
			}
		}
		for _, method := range []string{"ping", "tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
			if c.revision >= "2026" {
				break // where params are required, they have a _meta
			}
			without := c.sendNull(request(1, method, "{}"), false)
			if got := c.sendNull(request(1, method, "null"), true); got != without {
				t.Errorf("%s with params that are null\ngot  %s\nwant %s", method, got, without)
			}
		}
	})
}

func TestNullIsMissing(t *testing.T) {
	inEveryRevision(t, addNullable, func(t *testing.T, c *inRevision) {
		for _, m := range requiredMembers {
			if c.revision >= "2026" && (strings.HasSuffix(m.method, "subscribe") || m.method == "logging/setLevel") {
				continue // there are no such methods
			}
			got := c.sendNull(request(1, m.method, object(c.meta()+m.members)), true)
			if !strings.Contains(got, `"code":-32602`) {
				t.Errorf("%s with %s: %s", m.method, m.members, got)
			}
		}
		// A request without a cursor gets the first page: an empty cursor is not null.
		got := c.sendNull(request(1, "tools/list", object(c.meta()+`"cursor":""`)), false)
		if !strings.Contains(got, `"code":-32602,"message":"invalid params: unknown cursor \"\": the first page is that of a request without a cursor"`) {
			t.Errorf("an empty cursor: %s", got)
		}
	})
}

// In revision 2026-07-28 the client is in the _meta of each request.
func TestNullInMeta(t *testing.T) {
	const version, capabilities = `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`, `"io.modelcontextprotocol/clientCapabilities":`
	synctest.Test(t, func(t *testing.T) {
		c, s := clientIn(t, "2026-07-28")
		addNullable(s)
		c.dial(t, s)
		defer c.hangUp()
		for _, method := range []string{"server/discover", "tools/list", "tools/call"} {
			members := ""
			if method == "tools/call" {
				members = `,"name":"tell"`
			}
			without := c.sendNull(request(1, method, `{"_meta":{`+version+`,`+capabilities+`{}}`+members+`}`), false)
			for _, null := range []string{
				`{}},"cursor":null`, `{},"io.modelcontextprotocol/clientInfo":null}`, `{},"io.modelcontextprotocol/logLevel":null}`, `{},"progressToken":null}`,
				`{"elicitation":null,"sampling":null,"roots":null,"experimental":null,"extensions":null}}`,
			} {
				invalid := !strings.Contains(null, "cursor") || method == "tools/list"
				if got := c.sendNull(request(1, method, `{"_meta":{`+version+`,`+capabilities+null+members+`}`), invalid); got != without {
					t.Errorf("%s with %s\ngot  %s\nwant %s", method, null, got, without)
				}
			}
			for _, required := range []string{
				`"_meta":null`, `"_meta":{` + version + `,` + capabilities + `null}`, `"_meta":{"io.modelcontextprotocol/protocolVersion":null,` + capabilities + `{}}`,
			} {
				if got := c.sendNull(request(1, method, `{`+required+members+`}`), method != "server/discover" || required != `"_meta":null`); !strings.Contains(got, `"code":-32602`) {
					t.Errorf("%s with %s: %s", method, required, got)
				}
			}
		}
		// A part of a capability that is null is missing: this client supports forms only.
		got := c.sendNull(request(1, "subscriptions/listen", `{"_meta":{`+version+`,`+capabilities+`{"elicitation":{"url":null}}},`+
			`"notifications":{"toolsListChanged":true,"promptsListChanged":null,"resourcesListChanged":null,"resourceSubscriptions":null}}`), true)
		if !strings.Contains(got, `"notifications":{"toolsListChanged":true}`) {
			t.Errorf("a listen: %s", got)
		}
		if got := c.sendNull(request(2, "subscriptions/listen", `{`+modernMeta+`,"notifications":null}`), true); !strings.Contains(got, `"code":-32602`) {
			t.Errorf("a listen without notifications: %s", got)
		}
	})
}

// The messages that open a session.
func TestNullInInitialize(t *testing.T) {
	for _, revision := range everyRevision[:4] {
		t.Run(revision, func(t *testing.T) {
			open := func(capabilities, info, more string) string {
				return request(1, "initialize", `{"protocolVersion":"`+revision+`","capabilities":`+capabilities+`,"clientInfo":`+info+more+`}`)
			}
			const info, null = `{"name":"c","version":"1"}`, `null`
			replies := map[string]string{}
			for _, text := range []string{
				open("{}", info, ""), open("{}", info, `,"_meta":null`), open("{}", `{"name":"c","version":"1","title":null,"icons":null,"websiteUrl":null}`, ""),
				open(`{"sampling":null,"roots":null,"experimental":null,"elicitation":null,"tasks":null}`, info, ""), open(`{"roots":{"listChanged":null}}`, info, ""),
				open(null, info, ""), open("{}", null, ""), strings.Replace(open("{}", info, ""), `"`+revision+`"`, null, 1),
			} {
				synctest.Test(t, func(t *testing.T) {
					c, s := clientIn(t, revision)
					addNullable(s)
					c.peer = dial(t, s, "memory")
					defer c.hangUp()
					valid := text == open("{}", info, "") || strings.Contains(text, `"title"`) && revision < "2025-06" // which has no title
					replies[text] = c.sendNull(text, !valid)
				})
			}
			for text, reply := range replies {
				if required := strings.Contains(text, `:null,"clientInfo"`) || strings.Contains(text, `"clientInfo":null`) || strings.Contains(text, `"protocolVersion":null`); required {
					if !strings.Contains(reply, `"code":-32602`) {
						t.Errorf("%s: %s", text, reply)
					}
				} else if reply != replies[open("{}", info, "")] {
					t.Errorf("%s: %s", text, reply)
				}
			}
		})
	}
}
