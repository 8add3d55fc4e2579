package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/internal/columns"
	"github.com/mcpgen/mcpgen/internal/shellcomplete"
)

// help prints the help of a topic.
func (c *command) help(args []string) int {
	f := newFlags("help")
	rest, code, ok := c.parse(f, args)
	switch {
	case !ok:
		return code
	case len(rest) > 1:
		return c.usage("help", "help takes one topic", "")
	case len(rest) == 0:
		return c.helpTopic("help")
	}
	return c.helpTopic(rest[0])
}

func (c *command) helpTopic(topic string) int {
	topics := map[string]string{
		"help":       c.overview(),
		"generate":   helpGenerate,
		"list":       fmt.Sprintf(helpList, tokenMethod),
		"call":       helpCall,
		"read":       helpRead,
		"prompt":     helpPrompt,
		"run":        helpRun,
		"diff":       helpDiff,
		"docs":       helpDocs,
		"app":        helpApp,
		"vet":        vetHelp(),
		"login":      helpLogin,
		"logout":     helpLogout,
		"key":        helpKey,
		"skill":      helpSkill,
		"install":    helpInstall,
		"uninstall":  helpUninstall,
		"status":     helpStatus,
		"new":        newHelp(),
		"init":       helpInit,
		"bundle":     helpBundle,
		"registry":   helpRegistry,
		"doctor":     helpDoctor,
		"completion": fmt.Sprintf(helpCompletion, shellcomplete.Where("mcpgen")),
		"version":    helpVersion,
	}
	text, ok := topics[topic]
	switch {
	case topic == "directives":
		directive.WriteHelp(c.out)
		return exitDone
	case !ok:
		names := append(slices.Sorted(maps.Keys(topics)), "directives")
		hint := "the topics are " + strings.Join(names, ", ")
		if near := diag.Nearest(topic, names); near != "" {
			hint = "did you mean " + near + "?"
		}
		return c.usage("help", "unknown topic "+topic, hint)
	}
	if topic == "list" || topic == "call" || topic == "read" || topic == "prompt" || topic == "skill" {
		text += helpServer
	}
	if topic == "call" || topic == "run" {
		text += c.clients()
	}
	if topic == "run" {
		text += fmt.Sprintf(helpHTTP, c.invoked)
	}
	fmt.Fprint(c.out, text)
	return exitDone
}

// overview returns the help without a topic.
func (c *command) overview() string {
	var b strings.Builder
	b.WriteString(`mcpgen turns annotated Go functions into an MCP server.

`)
	rows := [][2]string{
		{"[packages]", "write mcp_gen.go for packages with //mcp: directives"},
		{"-check [packages]", "write nothing, and fail if a file is not current"},
		{"-contract FILE", "also write, or check, what clients see, for reviewers"},
	}
	for _, s := range subcommands() {
		rows = append(rows, [2]string{s.name + " " + strings.TrimSuffix(s.args, " [key=value ... | JSON]"), s.about})
	}
	for _, row := range rows {
		b.WriteString(columns.Row("  mcpgen "+row[0], 33, row[1]))
	}
	b.WriteString(`
Write //mcp:tool above a function, and try it at once:

	go get -tool github.com/mcpgen/mcpgen/cmd/mcpgen
	go tool mcpgen init         # proposes functions, adds what is missing
	go tool mcpgen call . TOOL key=value

Then //go:generate go tool mcpgen, and call NewMCPServer in main.

Flags of generating: mcpgen help generate. Of a command: mcpgen COMMAND -h.
Exit codes: 0 done, 1 findings or nothing to do, 2 wrong usage, 130 interrupted.
Topics of help: generate, list, call, read, prompt, run, diff, docs, app, vet,
login, logout, key, skill, install, uninstall, status, new, init, bundle,
registry, doctor, completion, version, directives.
`)
	return b.String()
}

const helpFlags = `	-tags LIST  build tags, separated by commas
	-v          print what is done, with the time of each stage
`

const helpGenerate = `usage: mcpgen [flags] [packages]

Writes mcp_gen.go into each package with //mcp: directives; without arguments,
into the package in the current directory. ./... stands for all packages below.
A file that is current is left unchanged, and on any error nothing is written.
The file is generated from the source alone: it may be missing, out of date or
broken.

	-check      write nothing; exit 1 with a diff if a file is not current
	-contract FILE
	            also write the contract: the view of clients on the packages
	            as one server, as JSON for reviewers and mcpgen diff; with
	            -check, exit 1 if the file is not current, and print the
	            changes
	-json       write diagnostics as JSON, one object a line, to standard
	            output
` + helpFlags

const helpServer = `
Instead of a package, this command accepts a server of any kind:

	mcpgen list https://example.com/mcp     at a URL: http, https, ws, wss,
	mcpgen list tcp://localhost:9000        tcp://host:port, unix:///path
	mcpgen list @books                      an entry of mcpServers in
	                                        .mcp.json or mcp.json, of this
	                                        directory or one above up to the
	                                        root of the repository
	mcpgen list -- npx -y some-server       a program, which comes last

A program behind -- gets the environment of the shell. One of @NAME is printed
before it is started in the directory of that file, which has to be your own;
it gets HOME, LANG, PATH and the like, and the env of its entry. A server that
requires a login gets one: with a browser, if there is a terminal; see mcpgen
help login. Progress and log messages go to standard error. A call that becomes
a task is run to its end, and Ctrl-C cancels the task. If the server asks for
input, a terminal is asked; without one the question is cancelled. The revision
that a server speaks is kept in the cache directory of the user.

	-header 'NAME: VALUE'
	            send that header field; may be repeated
	-bearer-env NAME
	            send the value of a variable of the environment as bearer
	            token, and use no login
	-revision REVISION
	            speak only that revision of the protocol, such as 2025-06-18
	-timeout TIME
	            give up after that time, such as 10s
	-trace      print each message as it is sent and received
`

const helpList = `usage: mcpgen list [flags] [PACKAGE | SERVER]

Shows the features of a package: kind, published name, Go function, signature as
a client sees it, hints, and about how many tokens of a model's context the
listing takes, the largest of each kind first. It works from the source; nothing
is built or written.

%s
	-json       write one object: server, tokens of all tools, findTokens
	            with mcpfind where there are more than 40 tools, and tools,
	            resources, resourceTemplates, prompts and skills, each
	            as the protocol lists it (revision 2026-07-28), with
	            symbol, position and tokens
	-wide       cut nothing: on a terminal, signatures are cut to its width
` + helpFlags

const helpDiff = `usage: mcpgen diff [flags] OLD NEW

Shows the changes between two contracts, and their effect on clients: breaking,
compatible or wording. A change that cannot be classified counts as breaking.
Each side is one of these:

	main, v1.4.0, HEAD~3      a git revision: the package on the other side,
	                          or in the current directory, as it was
	                          committed
	main:./shop               a package at a revision
	main:shop/contract.json   a file at a revision, from the root of the
	                          repository
	shop/contract.json        a contract file, of -contract or
	                          mcptest.Contract
	answer.json, -            a saved answer of any server to tools/list,
	                          and resources/list, prompts/list and so on; -
	                          is standard input
	./shop, ./...             a package, or all packages below as one server

The source of a revision is copied into a temporary directory; the repository
and its work tree are not changed. Directories outside of the repository that
go.mod replaces modules with are used in their present state, with a note. A
go.work file counts if it is committed.

	-fail CHANGES
	            exit 1 on breaking changes (the default), on any, or on none
	-json       write one object: class, the counts, and changes with class,
	            kind, name, place, path, rule, old, new and text
` + helpFlags

const helpInit = `usage: mcpgen init [flags] [DIR]

Adds to a Go package what it lacks to be served: the line

	//go:generate go tool mcpgen

and, where there is none, //mcp:server above the package clause, in a new file
mcp.go, or doc.go if that name is taken. Then it prints which exported functions
would do as tools, which commands come next, and how to add the server to
clients. What is there already is never overwritten nor formatted; a second run
changes nothing. What is refused is refused before anything is written.

	-annotate NAME,...
	            insert //mcp:tool above these functions: Search,
	            Store.Search. All other bytes of their files stay as they
	            are
	-all        print all functions that would do as tools, not the
	            likeliest only
	-expose PKG[.TYPE]
	            write a file that makes tools of functions which cannot be
	            edited: those of another package, or the methods of one of
	            its types or interfaces. It says which cannot be tools, and
	            why. Without TYPE, methods are those of structs with
	            unexported fields
	-main       also write a program that serves the package,
	            cmd/NAME-mcp/main.go of the module, unless there is one
	-auth       with -main: the program has mcpauth.Flags(), by which its
	            user says who may call: -auth ISSUER, -keys FILE and others
	-agents     write AGENTS.md alone, with the rules that a coding agent
	            needs; if there is one, print what to add to it
` + helpFlags

const helpCall = `usage: mcpgen call [flags] PACKAGE | SERVER TOOL [key=value ... | JSON]

Builds a package from its source into a program, calls one of its tools as a
client would, and prints the result: text as it is, structured results as
indented JSON. The package needs neither a generated file nor a main function.
An error that the tool returns goes to standard error, with exit code 1.

Arguments are one JSON object, or key=value pairs, read by the types of the
tool:
	query=sea year=1851       text stays text, also if it looks like a
	                          number; numbers and true or false are what
	                          they look like
	tag=whales tag=ships      a key that is repeated makes an array,
	tags='["whales","ships"]' and so does a JSON array
	filter='{"year":1851}'    objects and maps are JSON

The receivers of methods are made by the function with //mcp:constructor, else
by NewT without parameters or with a context, else they are zero values.

` + helpFlags

const helpRead = `usage: mcpgen read [flags] PACKAGE | SERVER URI

Builds a package from its source into a program and reads one of its resources
as a client would. Text and blobs go to standard output as they are:

	mcpgen read . books://covers/42 > cover.png

Receivers are made as for mcpgen call.

` + helpFlags

const helpPrompt = `usage: mcpgen prompt [flags] PACKAGE | SERVER NAME [key=value ... | JSON]

Builds a package from its source into a program, gets one of its prompts as a
client would, and prints the messages. All arguments of prompts are text.
Receivers are made as for mcpgen call.

` + helpFlags

const helpRun = `usage: mcpgen run [flags] PACKAGE

Builds a package from its source into a program and serves its features over
standard input and output, until the input ends, or over HTTP, until it is
interrupted. The package needs neither a generated file nor a main function.
Receivers are made as for mcpgen call.

	-http ADDR  serve over HTTP, at the path /mcp. ADDR is a port or
	            host:port; without a host only this machine can connect,
	            0.0.0.0:8080 is open to others; port 0 is any that is free
	-allow-host NAME
	            with -http: answer requests for that host, too, under which
	            a proxy on this machine is called; may be repeated
	-allow-origin ORIGIN
	            with -http: let web pages of that origin call, such as
	            http://localhost:6274; may be repeated
	-tls-cert FILE, -tls-key FILE
	            with -http: serve HTTPS with that certificate and private
	            key (PEM)
	-client-ca FILE
	            with -tls-cert: certificates of these authorities (PEM) are
	            credentials
	-auth ISSUER
	            with -http: callers need an access token of that issuer, a
	            URL
	-keys FILE  with -http: callers need an API key, see mcpgen help key
	-url URL    with -auth or -keys: the URL of the endpoint as clients
	            write it; for a server on this machine only, it follows from
	            -http
	-audience NAME
	            with -auth: accept tokens for NAME, too
	-roles FILE with -auth or -keys: the features that each role may see
` + helpFlags

const helpHTTP = `
or, where it is served by %s run -http 8080 ./bookstore:

	claude mcp add --transport http bookstore http://127.0.0.1:8080/mcp

	{"mcpServers": {"bookstore": {"url": "http://127.0.0.1:8080/mcp"}}}
`

// clients returns the instructions for adding the server to clients.
func (c *command) clients() string {
	args := []string{"-C", c.dir, "tool", "mcpgen", "run", "./bookstore"}
	list, err := json.Marshal(args)
	if err != nil {
		return ""
	}
	return fmt.Sprintf(`
To add the package ./bookstore to a client as the server bookstore:

	claude mcp add bookstore -- go tool mcpgen run ./bookstore

or, where a client reads a configuration file:

	{"mcpServers": {"bookstore": {"command": "go", "args": %s}}}
`, list)
}
