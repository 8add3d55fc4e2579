package pages_test

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"
)

var update = flag.Bool("update", false, "write the generated pages")

// limit is one row of a table of limits.
type limit struct{ name, value, meaning string }

// limitTables contains the tables in docs/decide/security.md, by name: a struct whose defaults are
// the variable defaultLimits, or constants with their meaning.
var limitTables = []struct {
	name, path string
	constants  []limit
	title      string // of the first column; "" is the name
}{
	{name: "mcp", path: "github.com/mcpgen/mcpgen/runtime/mcp"},
	{name: "mcphttp", path: "github.com/mcpgen/mcpgen/runtime/mcphttp"},
	{name: "mcphttp constants", title: "`mcphttp`", path: "github.com/mcpgen/mcpgen/runtime/mcphttp", constants: []limit{
		{"quietTime", "", "how long a reply may take before the response becomes an event stream, which can send keep-alives"},
		{"mostRefused", "", "requests that were answered early and whose bodies are read, so that their connections can be reused: for a second, and up to 64 KiB; a quarter of them from one address. For one more, the connection is closed"},
	}},
	{name: "mcpcmd", path: "github.com/mcpgen/mcpgen/runtime/mcpcmd", constants: []limit{
		{"headerTime", "", "how long a client may take to send the header of a request"},
		{"headerBytes", "", "the size of that header"},
		{"readTime", "", "how long it may take to send a whole request, to any path"},
		{"idleTime", "", "how long a connection stays open without a request"},
		{"mostConnections", "", "open connections; one more is closed"},
		{"certificateTime", "", "after which time the files of `-tls-cert` and `-tls-key` are read again, if a client connects"},
		{"maxPEMBytes", "", "the size of a file of certificates"},
		{"mostRefused", "", "requests outside of the endpoints that are answered before their body, and waited for, a second at most"},
	}},
	{name: "mcpws", path: "github.com/mcpgen/mcpgen/runtime/mcpws", constants: []limit{
		{"defaultConnections", "", "open connections: `Limits.Connections`. One client may have `mcp.Limits.ClientShare` of them"},
		{"defaultPing", "", "how often a client is pinged, and how long it may be silent: `WithPing`"},
		{"maxRefused", "", "requests that are refused before their body has come, and waited for, a second at most"},
	}},
	{name: "mcpnet", path: "github.com/mcpgen/mcpgen/runtime/mcpnet", constants: []limit{
		{"defaultConnections", "", "open connections: `Limits.Connections`. One client may have `mcp.Limits.ClientShare` of them"},
		{"handshakeTime", "", "how long TLS and `WithPrincipal` may take"},
	}},
	{name: "mcptask", path: "github.com/mcpgen/mcpgen/runtime/mcptask"},
	{name: "mcpclient", path: "github.com/mcpgen/mcpgen/runtime/mcpclient"},
	{name: "mcpclient constants", title: "`mcpclient`", path: "github.com/mcpgen/mcpgen/runtime/mcpclient", constants: []limit{
		{"minListPages", "", "pages of a list, or a hundredth of `ListItems` where that is more; then `*LimitError`, and no partial list"},
		{"headerBytes", "", "the size of the header of an HTTP response; then `*LimitError`"},
		{"stderrBytes", "", "the retained end of a program's standard error"},
		{"probeTime", "", "how long the reply to the first message on a stream may take, and at most half of `ConnectTime`; then the server gets `initialize`"},
		{"defaultEntries", "", "results in the cache of a client; the least recently used go. `NewCache` makes a cache with more"},
	}},
	{name: "mcptaskclient", path: "github.com/mcpgen/mcpgen/runtime/mcptaskclient", constants: []limit{
		{"minPoll", "", "the shortest interval at which a task is polled"},
		{"maxPoll", "", "the longest one"},
		{"maxQuestions", "", "questions of a task from 2026-07-28 on. One more is `ErrQuestions`"},
		{"maxOpen", "", "questions of a task at a time"},
		{"maxID", "", "bytes of the id of a task"},
		{"maxKey", "", "bytes of the key of a question"},
		{"maxMessage", "", "bytes of the message of a task; the rest is cut off"},
		{"cancelTime", "", "how long a call waits for the cancellation of its task"},
	}},
	{name: "mcprate", path: "github.com/mcpgen/mcpgen/runtime/mcprate", constants: []limit{
		{"maxBuckets", "", "buckets of callers and tools that are kept; the least recently used go"},
	}},
	{name: "mcpauth", path: "github.com/mcpgen/mcpgen/runtime/mcpauth", constants: []limit{
		{"maxTokenBytes", "", "the size of a token"},
		{"maxPasswordBytes", "", "the size of user name and password together"},
		{"defaultFailures", "", "refused credentials of an address in a minute; one more is answered with 429: `Options.MaxFailuresPerMinute`"},
		{"maxFailing", "", "addresses that are counted by themselves in a minute; the others count together"},
		{"maxCached", "", "verified tokens that are kept"},
		{"maxCachedBytes", "", "and their memory, as the verifier estimates it; the answers of an issuer and exchanged tokens have the same limits"},
		{"cacheTime", "", "how long a verified token is kept, if it does not expire before"},
		{"keysFresh", "", "after which time the keys of an issuer are fetched anew"},
		{"keysKept", "", "how long they are used while that fails"},
		{"fetchGap", "", "the minimum time between two fetches of an issuer's keys, regardless of tokens"},
		{"fetchTime", "", "how long an issuer may take to answer"},
		{"maxDocumentBytes", "", "the size of a document of an issuer"},
		{"maxReplyBytes", "", "the size of its reply about one token"},
		{"maxKeys", "", "keys of an issuer"},
		{"introspectedTime", "", "how long the answer of an issuer about a token is kept, if the token does not expire before"},
		{"refusedTime", "", "how long a refusal is kept"},
		{"maxQuestions", "", "questions to an issuer about tokens at a time; one address may have a quarter of them: `Options.TrustedProxy`"},
		{"passwordRounds", "", "rounds of PBKDF2 for a password"},
		{"passwordTime", "", "how long a verified password is kept"},
		{"maxPasswords", "", "verified passwords that are kept"},
		{"maxFileBytes", "", "the size of a file of keys or roles"},
		{"maxProofs", "", "used DPoP proofs that a process remembers, a quarter of them of one key; one more is answered with 503"},
		{"proofTime", "", "how old a DPoP proof or nonce may be"},
	}},
	{name: "mcpissuer", path: "github.com/mcpgen/mcpgen/runtime/mcpissuer", constants: []limit{
		{"tokenTime", "", "how long an access token is valid: `Options.TokenTime`"},
		{"maxTokenTime", "", "and at most"},
		{"refreshTime", "", "how long a refresh token can be used"},
		{"codeTime", "", "how long a code can be used"},
		{"ticketTime", "", "how long a page waits for a person"},
		{"clientTime", "", "how long the registration of a client with a secret or a key is kept; others have theirs in their id"},
		{"documentTime", "", "how long a metadata document is kept"},
		{"proofTime", "", "how old a DPoP proof or nonce may be"},
		{"assertTime", "", "how long an assertion of a client may be valid"},
		{"bodyTime", "", "how long a client may take to send a body"},
		{"maxBodyBytes", "", "the size of a form"},
		{"maxClientBytes", "", "the size of a registration or a metadata document"},
		{"maxSignedBytes", "", "the size of a DPoP proof or an assertion"},
		{"maxTextBytes", "", "the size of a redirect URI, a name, a client's id, a state, or the scopes of a request"},
		{"maxRedirects", "", "redirect URIs of a client"},
		{"maxKeys", "", "keys of a client"},
		{"maxScopes", "", "scopes of a request"},
		{"maxFetches", "", "metadata documents that are requested at a time; one more is answered with 503"},
		{"maxClients", "", "registrations with a secret or a key; for one more, the oldest goes, as for the following"},
		{"maxDocuments", "", "metadata documents"},
		{"maxTickets", "", "pages"},
		{"maxCodes", "", "codes"},
		{"maxRefreshes", "", "refresh tokens, also used ones"},
		{"maxTokens", "", "access tokens that introspection knows"},
		{"maxProofs", "", "used DPoP proofs; one more is refused"},
		{"maxAssertions", "", "used assertions; one more is refused"},
	}},
}

// beyond describes the effects beyond the limits of a package.
var beyond = map[string]map[string]string{"mcp": beyondServer, "mcpclient": beyondClient, "mcptask": beyondTask}

var beyondTask = map[string]string{
	"Active":        "-32603 with the reason \"too many tasks\" for a tool that requires tasks, or is one at once; another call stays a plain one",
	"Total":         "the same",
	"StateBytes":    "an error in the handler; -32603 with the reason \"stateTooLarge\" for answers",
	"OpenQuestions": "an error in the handler that asks",
	"MaxTTL":        "the task is kept for this time",
	"MaxAttempts":   "the task fails, with -32603 and the reason \"interrupted\"",
}

var beyondClient = map[string]string{
	"MessageBytes": "`*LimitError` for its request; the next message is read",
	"Depth":        "`*LimitError` for its request; the next message is read",
	"ContentItems": "`*LimitError`",
	"ListItems":    "`*LimitError`, and no partial list",
	"InFlight":     "the next request waits",
	"Questions":    "an error (-32603, overloaded) to the server; in rounds, they are answered in turn",
	"Rounds":       "`*LimitError`",
	"QueueBytes":   "changes are merged, other notifications dropped and counted. A server that does not read replies to its requests is left",
	"ConnectTime":  "`ErrTimeout`",
	"RequestTime":  "`ErrTimeout`, and the request is cancelled",
	"MaxTime":      "the same",
	"QuestionTime": "its context ends, and the question gets an error",
	"WriteTime":    "the connection is closed",
	"CloseTime":    "the next step: a program gets SIGTERM, then SIGKILL",
	"CacheBytes":   "the least recently used results go",
}

var beyondServer = map[string]string{
	"Memory":           "HTTP: 503 with Retry-After; else an error (-32603, reason overloaded), and the next message is read",
	"MessageBytes":     "HTTP: 413; else an error (-32600), and the next message is read",
	"Depth":            "an error (-32600)",
	"InFlight":         "an error (-32603, reason overloaded) at once",
	"Calls":            "an error (-32603, reason overloaded) at once; over HTTP 503",
	"Listens":          "an error (-32603, reason overloaded); over HTTP 503",
	"ClientShare":      "the same; a connection is refused, or closed",
	"ResultBytes":      "a failed result that names the arguments that narrow it; of a prompt an error (-32603, reason too large)",
	"ResourceBytes":    "an error (-32603, reason too large)",
	"PageSize":         "another page, by a cursor",
	"Subscriptions":    "an error (-32603)",
	"CallTime":         "the context ends; a failed result, or an error (-32603, reason timeout)",
	"QuestionTime":     "the question fails with `mcp.ErrNoAnswer`; a request state has expired (-32602)",
	"StateBytes":       "the call fails",
	"QueueBytes":       "handlers wait for the client; at four times as much the connection is closed",
	"FirstMessageTime": "the connection is closed",
	"WriteTime":        "the connection is closed",
	"DrainTime":        "running calls are cancelled",
	"ProgressRate":     "the newest report waits for its turn; the last one is sent before the reply",
	"LogRate":          "more are dropped; the client gets their number",
	"GraceTime":        "the server answers in the place of handlers that have not returned, or stops waiting for them",
}

// TestLimits compares the tables of limits with the code, and the code's comments with its values.
func TestLimits(t *testing.T) {
	var paths []string
	for _, table := range limitTables {
		paths = append(paths, table.path)
	}
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedExportFile,
	}, paths...)
	if err != nil {
		t.Fatal(err)
	}
	byPath := map[string]*packages.Package{}
	for _, p := range loaded {
		for _, e := range p.Errors {
			t.Fatal(e)
		}
		byPath[p.PkgPath] = p
	}
	page := read(t, "docs/decide/security.md")
	want := page
	for _, table := range limitTables {
		rows := table.constants
		if p := byPath[table.path]; rows == nil {
			rows = defaultsOf(t, p)
		} else {
			for i := range rows {
				c, ok := p.Types.Scope().Lookup(rows[i].name).(*types.Const)
				if !ok {
					t.Fatalf("%s has no constant %s", table.path, rows[i].name)
				}
				rows[i].value = valueText(rows[i].name, c.Val(), c.Type())
			}
		}
		begin, end := "<!-- limits of "+table.name+" -->\n", "<!-- end of "+table.name+" -->\n"
		before, rest, ok := strings.Cut(want, begin)
		_, after, ok2 := strings.Cut(rest, end)
		if !ok || !ok2 {
			t.Fatalf("docs/decide/security.md has no marks for the limits of %s", table.name)
		}
		var b strings.Builder
		what := beyond[table.name]
		switch {
		case table.constants != nil:
			fmt.Fprintf(&b, "| %s | default |\n|---|---|\n", cmp.Or(table.title, "`"+table.name+"`"))
		case what == nil:
			b.WriteString("| `" + table.name + ".Limits` | default | bounds |\n|---|---|---|\n")
		default: // too much for the columns of a table
			b.WriteString("`" + table.name + ".Limits`:\n\n")
		}
		for _, row := range rows {
			switch {
			case table.constants != nil:
				fmt.Fprintf(&b, "| %s | %s |\n", row.meaning, row.value)
			case what == nil:
				fmt.Fprintf(&b, "| `%s` | %s | %s |\n", row.name, row.value, row.meaning)
			default:
				if what[row.name] == "" {
					t.Errorf("beyond has no entry for %s of %s", row.name, table.name)
				}
				fmt.Fprintf(&b, "- **`%s`**, %s: %s.\n  **Beyond it:** %s.\n", row.name, row.value, row.meaning, what[row.name])
			}
		}
		want = before + begin + b.String() + end + after
	}
	if *update {
		if err := os.WriteFile(filepath.Join(root(t), "docs/decide/security.md"), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if page != want {
		t.Error("docs/decide/security.md is not current: go test ./docs/internal/pages -update")
	}
}

// defaultsOf returns the fields of Limits, with their values in defaultLimits and their comments.
func defaultsOf(t *testing.T, p *packages.Package) []limit {
	t.Helper()
	var fields *ast.StructType
	values := map[string]constant.Value{}
	for _, file := range p.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if s, ok := n.Type.(*ast.StructType); ok && n.Name.Name == "Limits" {
					fields = s
				}
			case *ast.ValueSpec:
				if n.Names[0].Name != "defaultLimits" {
					return false
				}
				for _, e := range n.Values[0].(*ast.CompositeLit).Elts {
					kv := e.(*ast.KeyValueExpr)
					values[kv.Key.(*ast.Ident).Name] = p.TypesInfo.Types[kv.Value].Value
				}
			}
			return true
		})
	}
	if fields == nil || len(values) == 0 {
		t.Fatalf("%s has no Limits with defaults", p.PkgPath)
	}
	var rows []limit
	for _, f := range fields.Fields.List {
		row := limit{name: f.Names[0].Name}
		comment := strings.Join(strings.Fields(f.Doc.Text()), " ")
		meaning, rest, ok := strings.Cut(comment, " Default: ")
		if !ok {
			t.Fatalf("the comment of %s.Limits.%s names no default", p.Name, row.name)
		}
		said, _, _ := strings.Cut(rest, ". ")
		said = strings.TrimSuffix(said, ".")
		row.value = said
		if v := values[row.name]; v != nil {
			row.value = valueText(row.name, v, p.TypesInfo.TypeOf(f.Type))
		}
		if said != row.value {
			t.Errorf("the comment of %s.Limits.%s says %s, and it is %s", p.Name, row.name, said, row.value)
		}
		for _, intro := range []string{" is ", " are ", " limits "} {
			meaning = strings.TrimPrefix(meaning, row.name+intro)
		}
		row.meaning = docLink.ReplaceAllString(strings.TrimSuffix(meaning, "."), "`$1`")
		rows = append(rows, row)
	}
	return rows
}

var docLink = regexp.MustCompile(`\[([A-Za-z][\w.]*)\]`)

// valueText formats a limit like a comment would.
func valueText(name string, v constant.Value, of types.Type) string {
	n, _ := constant.Int64Val(v)
	switch {
	case of.String() == "time.Duration":
		return durationText(time.Duration(n))
	case !strings.HasSuffix(strings.ToLower(name), "bytes") && name != "Memory":
		return fmt.Sprint(n)
	case n%(1<<20) == 0:
		return fmt.Sprint(n>>20, " MiB")
	case n%(1<<10) == 0:
		return fmt.Sprint(n>>10, " KiB")
	}
	return fmt.Sprint(n, " bytes")
}

func durationText(d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}} {
		switch {
		case d == unit.of:
			return "1 " + unit.name
		case d%unit.of == 0:
			return fmt.Sprintf("%d %ss", d/unit.of, unit.name)
		}
	}
	return d.String()
}

// TestTimesInText compares the numbers in the text of pages with the code.
func TestTimesInText(t *testing.T) {
	fset := token.NewFileSet()
	loaded, err := packages.Load(&packages.Config{
		Fset: fset, Mode: packages.NeedName | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedExportFile,
	}, "github.com/mcpgen/mcpgen/runtime/mcp", "github.com/mcpgen/mcpgen/runtime/mcphttp")
	if err != nil {
		t.Fatal(err)
	}
	defaults := map[string]string{}
	for _, p := range loaded {
		for _, row := range defaultsOf(t, p) {
			defaults[p.Name+"."+row.name] = row.value
		}
		for name, unit := range map[string]string{"minCompressed": "Bytes", "quietTime": ""} {
			if c, ok := p.Types.Scope().Lookup(name).(*types.Const); ok {
				defaults[name] = valueText(unit, c.Val(), c.Type())
			}
		}
	}
	page := strings.Join(strings.Fields(read(t, "docs/serve/transports.md")), " ")
	for name, want := range map[string]string{
		"mcp.DrainTime":     "10 seconds",
		"mcp.MessageBytes":  "4 MiB",
		"quietTime":         "10 seconds",
		"mcphttp.KeepAlive": "15 seconds",
		"minCompressed":     "8 KiB",
	} {
		if defaults[name] != want {
			t.Errorf("%s is %s, and docs/serve/transports.md was written for %s", name, defaults[name], want)
		}
	}
	for _, text := range []string{"within 10 seconds (`mcp.Limits.DrainTime`)", "client_max_body_size 4m;", "compressed from 8 KiB on", "after 10 silent seconds", "a comment every 15 seconds"} {
		if !strings.Contains(page, text) {
			t.Errorf("docs/serve/transports.md does not have %q", text)
		}
	}
}
