package protocol

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of docs/decide/protocol.md")

const page = "../../../docs/decide/protocol.md"

// marker separates the hand-written part from the generated one.
const marker = "<!-- From here on generated: go test ./runtime/internal/protocol -update -->"

// TestPage keeps the tables of the page equal to the data. The text above them is written by hand
// and is not changed.
func TestPage(t *testing.T) {
	have, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	have = bytes.ReplaceAll(have, []byte("\r\n"), []byte("\n"))
	introduction, _, found := bytes.Cut(have, []byte(marker))
	if !found {
		t.Fatalf("%s has no line %q", page, marker)
	}
	want := append(bytes.Clone(introduction), marker+"\n\n"+tables(t)...)
	if bytes.Equal(have, want) {
		return
	}
	if !*update {
		t.Fatalf("%s is not current: go test ./runtime/internal/protocol -update", page)
	}
	if err := os.WriteFile(page, want, 0o666); err != nil {
		t.Fatal(err)
	}
}

// tables renders all tables.
func tables(t *testing.T) string {
	w := &writer{}
	w.requests()
	w.notifications()
	w.capabilities()
	w.fields(t)
	w.errors()
	return strings.TrimSuffix(w.String(), "\n")
}

type writer struct{ strings.Builder }

// table begins a table whose last columns are the revisions.
func (w *writer) table(title, text string, columns ...string) {
	fmt.Fprintf(w, "## %s\n\n%s\n\n|", title, text)
	for _, c := range columns {
		fmt.Fprintf(w, " %s |", c)
	}
	for _, r := range All {
		fmt.Fprintf(w, " %s |", r.Version)
	}
	fmt.Fprint(w, "\n|", strings.Repeat("---|", len(columns)+len(All)), "\n")
}

// row writes a row, with a mark for each revision.
func (w *writer) row(mark func(*Revision) string, cells ...string) {
	w.WriteByte('|')
	for _, c := range cells {
		fmt.Fprintf(w, " %s |", c)
	}
	for _, r := range All {
		fmt.Fprintf(w, " %s |", mark(r))
	}
	w.WriteByte('\n')
}

func yes(has bool) string {
	if has {
		return "yes"
	}
	return "–"
}

// has returns a function that marks the revisions for which condition holds.
func has(condition func(*Revision) bool) func(*Revision) string {
	return func(r *Revision) string { return yes(condition(r)) }
}

func (w *writer) requests() {
	w.table("Requests", "A request that a revision does not have is answered with the code -32601. The other side must have declared the\ncapability that a request needs.", "method", "from", "needs")
	for m := Unknown + 1; m < MethodCount; m++ {
		w.row(has(func(r *Revision) bool { return r.Methods[m.String()] == m }), "`"+m.String()+"`", "client", needs(m))
	}
	w.row(has(func(r *Revision) bool { return !r.PerRequest }), "`"+Ping.String()+"`", "server", "")
	for _, q := range questions {
		w.row(func(r *Revision) string {
			switch _, asked := r.ServerRequests.Capabilities[q.capability]; {
			case !asked:
				return yes(false)
			case r.ServerRequests.Rounds:
				return "in a result"
			}
			return yes(true)
		}, q.title, "server", "`"+q.capability+"`")
	}
	fmt.Fprint(w, "\n\"In a result\" means that the question is part of an `input_required` result, and that the client sends its request again\nwith the answer.\n\n")
}

// needs returns the capability that a client requires before it sends a request.
func needs(m Method) string {
	c, ok := All[len(All)-1].Required(m)
	if !ok {
		return ""
	}
	var without []string
	for _, r := range All {
		if _, ok := r.Required(m); !ok {
			without = append(without, r.Version)
		}
	}
	if len(without) == 0 {
		return "`" + c.String() + "`"
	}
	return "`" + c.String() + "`, but for " + strings.Join(without, ", ")
}

// questions are the requests of a server, with the capability that the client needs.
var questions = []struct{ method, title, capability string }{
	{ListRoots, "`roots/list`", "roots"},
	{CreateMessage, "`sampling/createMessage`", "sampling"},
	{CreateElicitation, "`elicitation/create`, a form", "elicitation"},
	{CreateElicitation, "`elicitation/create`, a link", "elicitation.url"},
}

func always(*Revision) bool { return true }

// notificationRows contains all notifications, and when they are sent.
var notificationRows = []struct{ method, from, when string }{
	{Initialized, "client", ""},
	{Cancelled, "client", "for any of its requests in flight but `initialize`"},
	{Cancelled, "server", "for a request of its own; from 2026-07-28 on for a listen that it ends"},
	{Progress, "client", "for a request of the server with a progress token; ignored"},
	{Progress, "server", "for a request with a progress token"},
	{LogMessage, "server", "from the level on that the client has set; from 2026-07-28 on for a request that names one"},
	{ToolsListChanged, "server", "from 2026-07-28 on to a listen that asks for it"},
	{PromptsListChanged, "server", "likewise"},
	{ResourcesListChanged, "server", "likewise, also of templates"},
	{ResourceUpdated, "server", "for resources that are subscribed to; from 2026-07-28 on the resources of a listen"},
	{Acknowledged, "server", "first message of a listen"},
	{RootsListChanged, "client", ""},
	{ElicitationComplete, "server", "when the interaction of a link is complete"},
}

// notificationsOf returns the notifications of one side.
func (r *Revision) notificationsOf(side string) []string {
	if side == "client" {
		return r.ClientMessages.Notifications
	}
	return r.ServerNotifications
}

func (w *writer) notifications() {
	w.table("Notifications", "They have no reply. Notifications of a request come before its result.", "method", "from", "when")
	for _, n := range notificationRows {
		w.row(has(func(r *Revision) bool { return slices.Contains(r.notificationsOf(n.from), n.method) }), "`"+n.method+"`", n.from, n.when)
	}
	w.WriteByte('\n')
}

func (w *writer) capabilities() {
	w.table("Capabilities", "A server declares a capability as soon as it has a feature of that kind;\n`mcp.WithoutCapabilities` leaves out `logging`, subscriptions and changes of lists. Clients declare theirs once in\n`initialize`; from 2026-07-28 on in the `_meta` of every request.", "capability", "of")
	for _, name := range []string{"tools", "resources", "prompts", "logging", "experimental"} {
		w.row(has(always), "`"+name+"`", "server")
	}
	w.row(has(func(r *Revision) bool { return r.Fields.Completions }), "`completions`", "server")
	w.row(has(func(r *Revision) bool { return r.Fields.Extensions }), "`extensions`", "both")
	for _, name := range []string{"roots", "sampling", "sampling.context", "sampling.tools", "elicitation", "elicitation.url"} {
		w.row(func(r *Revision) string {
			switch declared := r.ServerRequests.Capabilities[name]; declared {
			case "", name:
				return yes(declared != "")
			default:
				return "by `" + declared + "`"
			}
		}, "`"+name+"`", "client")
	}
	w.WriteByte('\n')
}

// described describes the members of Fields, ServerRequests, ClientMessages and Errors, and the
// older form in revisions without them.
var described = map[string]struct{ title, otherwise string }{
	"Fields.Title":                     {"`title` of tools, resources, templates, prompts, arguments and of the server", "left out; a tool's is in its annotations in 2025-03-26"},
	"Fields.ToolAnnotations":           {"`annotations` of tools: the hints", "left out"},
	"Fields.Icons":                     {"`icons`", "left out"},
	"Fields.Website":                   {"`websiteUrl` and `description` of the server", "left out"},
	"Fields.FeatureMeta":               {"`_meta` of features, contents and content blocks", "left out, except for interfaces: `ui` and `ui/resourceUri` of tools, `ui` of contents; `_meta` of results stays"},
	"Fields.ForwardPrefixes":           {"`_meta` keys whose prefix has the label `mcp` or `modelcontextprotocol` anywhere but at its end are reserved: left out", "reserved where that is the second label"},
	"Fields.LastModified":              {"`lastModified` among annotations", "left out"},
	"Fields.StructuredContent":         {"`outputSchema` and `structuredContent`", "left out; the text has the value"},
	"Fields.AnyOutput":                 {"output that is not an object", "wrapped as `{\"result\": …}`, schema and value"},
	"Fields.BooleanProperties":         {"`true` and `false` as schemas of properties, at the root of a tool's schemas", "`{}` and `{\"not\":{}}`"},
	"Fields.HeaderMirrors":             {"`x-mcp-header` in input schemas", "left out"},
	"Fields.Audio":                     {"content blocks of type `audio`", "an embedded resource"},
	"Fields.ResourceLink":              {"content blocks of type `resource_link`", "a text with name and URI"},
	"Fields.ResultType":                {"`resultType` of results", "left out"},
	"Fields.CacheHints":                {"`ttlMs` and `cacheScope`", "left out"},
	"Fields.ServerMeta":                {"`serverInfo` in the `_meta` of results", "in the result of `initialize` only"},
	"Fields.Completions":               {"capability `completions`", "left out; the method exists"},
	"Fields.Extensions":                {"capability `extensions`", "left out, and the methods of extensions do not exist"},
	"Fields.ProgressMessage":           {"`message` of progress", "left out"},
	"Fields.Batches":                   {"arrays of messages are received", "-32600"},
	"Fields.Polling":                   {"over HTTP, event streams of sessions begin with an event without data, and may end before the reply (`mcp.ReleaseStream`)", "no such event: clients fail on it"},
	"ClientMessages.VersionHeader":     {"header field `MCP-Protocol-Version` of HTTP requests", "clients send none"},
	"ClientMessages.CompletionContext": {"`context` of a completion: the arguments that are known", "clients send none"},
	"ClientMessages.CapabilityMembers": {"members of the capabilities `elicitation` and `sampling` for each kind", "an object without members"},
	"ClientMessages.RootsListChanged":  {"`listChanged` of the capability `roots`", "left out"},
	"ServerRequests.Rounds":            {"questions are in results", "requests of the server"},
	"ServerRequests.RichForms":         {"forms with defaults, titled choices as `oneOf`, multi-select", "titles as `enumNames`, no defaults but of booleans; a multi-select is an error to the handler"},
	"ServerRequests.ElicitationID":     {"`elicitationId` of links", "left out"},
	"ServerRequests.MessageBlocks":     {"messages of several blocks, tools and their use, in sampling", "an error to the handler"},
	"ServerRequests.MessageAudio":      {"audio in sampling", "an error to the handler"},
}

func (w *writer) fields(t *testing.T) {
	w.table("Fields and forms", "The data of a feature is published if the revision has a field for it.", "what", "where it is missing")
	for _, part := range []string{"Fields", "ServerRequests", "ClientMessages"} {
		field, _ := reflect.TypeFor[Revision]().FieldByName(part)
		for i := range field.Type.NumField() {
			member := field.Type.Field(i)
			if member.Type.Kind() != reflect.Bool {
				continue
			}
			name := part + "." + member.Name
			about, ok := described[name]
			if !ok {
				t.Errorf("%s has no description for the page", name)
				continue
			}
			w.row(has(func(r *Revision) bool {
				return reflect.ValueOf(r).Elem().FieldByName(part).Field(i).Bool()
			}), about.title, about.otherwise)
		}
	}
	w.WriteByte('\n')
}

func (w *writer) errors() {
	w.table("Errors", "Besides the codes of JSON-RPC: -32700, -32600, -32601, -32602 and -32603.", "condition")
	code := func(code int) string {
		if code == 0 {
			return yes(false)
		}
		return fmt.Sprint(code)
	}
	w.row(func(r *Revision) string { return code(r.Errors.ResourceNotFound) }, "resource not found")
	w.row(func(r *Revision) string {
		if r.Errors.MissingCapability == 0 {
			return "the handler's"
		}
		return code(r.Errors.MissingCapability)
	}, "the client lacks a capability")
	w.row(func(r *Revision) string {
		if r.PerRequest {
			return code(CodeUnsupportedVersion)
		}
		return "another version is answered"
	}, "version not served")
	w.row(func(r *Revision) string {
		if r.Errors.NullID {
			return "`null`"
		}
		return "left out"
	}, "`id` of a reply to an unreadable message")
	w.WriteByte('\n')
}

// The official schemas contain the requests and notifications of the page, and no others.
func TestSchemas(t *testing.T) {
	dir := os.Getenv("MCP_SPEC_DIR")
	if dir == "" {
		t.Skip("MCP_SPEC_DIR is not set: the data is not compared with the official schemas " +
			"(schema/REVISION/schema.json of github.com/modelcontextprotocol/modelcontextprotocol)")
	}
	for _, r := range All {
		data, err := os.ReadFile(filepath.Join(dir, r.Version, "schema.json"))
		if err != nil {
			t.Fatal(err)
		}
		type definition struct {
			Properties struct {
				Method struct {
					Const string `json:"const"`
				} `json:"method"`
			} `json:"properties"`
		}
		var schema struct {
			New map[string]definition `json:"$defs"`
			Old map[string]definition `json:"definitions"`
		}
		if err := json.Unmarshal(data, &schema); err != nil {
			t.Fatal(err)
		}
		var want, got []string
		for _, definitions := range []map[string]definition{schema.New, schema.Old} {
			for _, d := range definitions {
				// Tasks of 2025-11-25 are experimental and not supported.
				if m := d.Properties.Method.Const; m != "" && !strings.Contains(m, "tasks/") {
					want = append(want, m)
				}
			}
		}
		for name := range r.Methods {
			got = append(got, name)
		}
		for _, q := range questions {
			if _, asked := r.ServerRequests.Capabilities[q.capability]; asked {
				got = append(got, q.method)
			}
		}
		got = append(append(got, r.ClientMessages.Notifications...), r.ServerNotifications...)
		want, got = unique(want), unique(got)
		if !slices.Equal(want, got) {
			t.Errorf("%s has\n%q, want\n%q", r.Version, got, want)
		}
	}
}

func unique(s []string) []string {
	slices.Sort(s)
	return slices.Compact(s)
}

func TestEveryNotificationIsOnThePage(t *testing.T) {
	for _, name := range notifications {
		if !strings.Contains(tables(t), "`"+name+"`") {
			t.Errorf("%s is missing", name)
		}
	}
}

// Each side may send what the official schemas list for it.
func TestNotificationsOfSides(t *testing.T) {
	dir := os.Getenv("MCP_SPEC_DIR")
	if dir == "" {
		t.Skip("MCP_SPEC_DIR is not set: the data is not compared with the official schemas")
	}
	type definition struct {
		AnyOf []struct {
			Ref string `json:"$ref"`
		} `json:"anyOf"`
		Properties struct {
			Method struct {
				Const string `json:"const"`
			} `json:"method"`
		} `json:"properties"`
	}
	for _, r := range All {
		data, err := os.ReadFile(filepath.Join(dir, r.Version, "schema.json"))
		if err != nil {
			t.Fatal(err)
		}
		var schema struct {
			New map[string]definition `json:"$defs"`
			Old map[string]definition `json:"definitions"`
		}
		if err := json.Unmarshal(data, &schema); err != nil {
			t.Fatal(err)
		}
		all := schema.New
		if all == nil {
			all = schema.Old
		}
		for side, name := range map[string]string{"client": "ClientNotification", "server": "ServerNotification"} {
			union := all[name]
			var want []string
			if union.Properties.Method.Const != "" {
				want = append(want, union.Properties.Method.Const)
			}
			for _, one := range union.AnyOf {
				// Tasks of 2025-11-25 are experimental and not supported.
				if m := all[path.Base(one.Ref)].Properties.Method.Const; !strings.Contains(m, "tasks/") {
					want = append(want, m)
				}
			}
			if got := slices.Clone(r.notificationsOf(side)); !slices.Equal(unique(got), unique(want)) {
				t.Errorf("%s: the %s sends\n%q, want\n%q", r.Version, side, got, want)
			}
		}
	}
}
