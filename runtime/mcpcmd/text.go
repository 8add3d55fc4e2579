package mcpcmd

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpgen/mcpgen/internal/columns"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// command returns the name of the program.
func command() string {
	if len(os.Args) == 0 {
		return "server"
	}
	return strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
}

// identity returns the name and version of the server.
func (p *program) identity() string {
	info := p.info()
	return info.Name + " " + info.Version
}

// features returns counts of the server's features: "3 tools, 1 resource, 2 prompts". The server
// must have been created.
func (p *program) features() string {
	number := map[mcp.FeatureKind]int{}
	for _, f := range p.server.Features() {
		number[f.Kind]++
	}
	var parts []string
	for _, kind := range []mcp.FeatureKind{mcp.KindTool, mcp.KindResource, mcp.KindTemplate, mcp.KindPrompt} {
		switch n := number[kind]; n {
		case 0:
		case 1:
			parts = append(parts, "1 "+string(kind))
		default:
			parts = append(parts, fmt.Sprint(n, " ", kind, "s"))
		}
	}
	if len(parts) == 0 {
		return "no features"
	}
	return strings.Join(parts, ", ")
}

// announce prints a line when the program serves.
func (p *program) announce(how string) {
	fmt.Fprintf(p.stderr, "%s serves %s %s\n", p.identity(), p.features(), how)
}

// callers describes who may call, or returns "" if no flags of [WithHTTPFlags] decide that.
func (p *program) callers(setups []HTTPSetup) string {
	var all []string
	for _, s := range setups {
		if s.Callers != "" {
			all = append(all, s.Callers)
		}
	}
	return strings.Join(all, "; ")
}

// announceCallers prints the line about callers, if flags provide one.
func (p *program) announceCallers(callers string) {
	if callers == "" && p.flags.tls.ClientCA != "" {
		callers = "a certificate of the authorities in " + p.flags.tls.ClientCA
	}
	if callers != "" {
		fmt.Fprintf(p.stderr, "\tcallers need: %s\n", callers)
	}
}

// help prints the description and the usage of the program.
func (p *program) help() {
	info, name := p.info(), command()
	title := info.Title
	if title == "" {
		title = info.Name
	}
	with := ""
	if p.server != nil {
		with = " with " + p.features()
	}
	fmt.Fprint(p.stdout, columns.Row("", 0, fmt.Sprintf("%s %s is a server of the Model Context Protocol%s.", title, info.Version, with)))
	if info.Description != "" {
		fmt.Fprint(p.stdout, columns.Row("", 0, info.Description))
	}
	fmt.Fprintf(p.stdout, `
usage: %[1]s [flags]
       %[1]s COMMAND

Without flags it serves the client that has started it, over standard input and
output. To add it to a client, to take it out again, and to see where it is:

	%[1]s install CLIENT
	%[1]s uninstall CLIENT
	%[1]s status
	%[1]s completion SHELL    (bash, fish, powershell, zsh)

%[3]s
With -http it serves any number of clients until it is interrupted:

	%[1]s -http 8080
	claude mcp add --transport http %[2]s http://127.0.0.1:8080/mcp

At /mcp there is every revision of the protocol, at /sse that of 2024-11-05
alone.

	-http ADDR           serve over HTTP. ADDR is a port or host:port;
	                     without a host only this machine can connect,
	                     0.0.0.0:8080 is open to others; port 0 is any that
	                     is free
	-allow-host NAME     with -http: answer requests for that host, too.
	                     Needed behind a proxy on the same machine that
	                     passes the host on. May be repeated; * stands for
	                     any
	-allow-origin ORIGIN with -http: let web pages of that origin call, such
	                     as https://app.example. May be repeated
	-tls-cert FILE       with -http: serve HTTPS with the certificate in
	                     that file (PEM), which is read again when it
	                     changes
	-tls-key FILE        with -tls-cert: its private key
	-client-ca FILE      with -tls-cert: verify the certificates of clients
	                     by these authorities (PEM). Without one a client
	                     cannot connect, unless other flags say who may call
`, name, info.Name, columns.Row("", 8, "CLIENT: "+clientNames()))
	p.helpMore()
	fmt.Fprint(p.stdout, `	-version             print the version and end
	-help                print this and end
`)
}

// The columns of the help.
const (
	helpColumn = 21
	helpWidth  = 72 // after a tab
)

// helpMore prints the flags of [WithHTTPFlags], which follow the others in the help.
func (p *program) helpMore() {
	own := ownFlags().set
	p.flags.set.VisitAll(func(f *flag.Flag) {
		if own.Lookup(f.Name) != nil {
			return
		}
		value, usage := flag.UnquoteUsage(f)
		line := strings.TrimSpace("-" + f.Name + " " + value)
		if optionalValue(f) != "" {
			line = "-" + f.Name + "[=" + value + "]"
		}
		for word := range strings.FieldsSeq(usage) {
			switch {
			case len(line) < helpColumn:
				line += strings.Repeat(" ", helpColumn-len(line))
			case len(line)+1+len(word) > helpWidth:
				fmt.Fprintf(p.stdout, "\t%s\n", line)
				line = strings.Repeat(" ", helpColumn)
			default:
				line += " "
			}
			line += word
		}
		fmt.Fprintf(p.stdout, "\t%s\n", line)
	})
}

// quoted returns a path as a shell argument, in quotes if a character may have another meaning,
// such as the spaces and backslashes of a Windows path.
func quoted(path string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@,", r)
	}
	switch {
	case strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0:
		return path
	case strings.ContainsAny(path, "\"$`"): // in a Windows path only $ and ` occur
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return `"` + path + `"`
}
