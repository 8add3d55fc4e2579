package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/generator/internal/remote"
)

const helpDoctor = `usage: mcpgen doctor [flags] [PACKAGE]

Looks at what a report of a fault should contain: versions of mcpgen, of its
module in go.mod and of Go, what -check and vet say about the packages, how many
servers the clients of this machine have, and whether an endpoint answers.
Without PACKAGE, it looks at all packages below the current directory, if that
is in a module. A line begins with "wrong" if something is to be done, and the
exit code is 1 then. Nothing is written or changed, and no server is started.

What is printed can be pasted into an issue: it has no values of the
environment, no header fields and no parameters of URLs, no entries of clients.
The home directory is ~, and the user's name in a path USER. It has names of
packages, files and functions where -check or vet finds something.

	-url URL    also ask the server at that URL for its tools, without
	            credentials
	-timeout TIME
	            give up loading the packages after that time; default: 2m
	-json       write one object: ok, and parts with part, ok, text, details
	            and hint
` + helpFlags

// finding is the result of one check.
type finding struct {
	Part    string   `json:"part"`
	OK      bool     `json:"ok"`
	Text    string   `json:"text"`
	Details []string `json:"details,omitempty"`
	Hint    string   `json:"hint,omitempty"`
}

// wrong returns a finding that requires a repair.
func wrong(part, text, hint string) *finding { return &finding{Part: part, Text: text, Hint: hint} }

// doctor is one run of mcpgen doctor. A part that fails does not prevent the next one.
type doctor struct {
	c       *command
	own     string // version of this command
	tags    string
	pattern string // of the packages; "" for none
	dir     string // working directory of the go command for them
	url     string
	timeout time.Duration
	discreet
}

// partTime limits each part that compiles nothing.
const partTime = 10 * time.Second

func (c *command) doctor(args []string) int {
	f := newFlags("doctor")
	d := &doctor{c: c, own: version()}
	f.StringVar(&d.url, "url", "", "")
	f.DurationVar(&d.timeout, "timeout", 2*time.Minute, "")
	asJSON := f.Bool("json", false, "")
	rest, code, ok := c.parse(f, args)
	if !ok {
		return code
	}
	d.tags = f.tags
	switch {
	case len(rest) > 1:
		return c.usage("doctor", "doctor takes one package, or a pattern such as ./...", "")
	case len(rest) == 1 && remote.IsServer(rest[0]):
		return c.usage("doctor", "doctor takes a package", "for a server write -url URL")
	case len(rest) == 1:
		d.dir, d.pattern = c.locate(rest[0])
	case moduleRoot(c.dir) != "":
		d.dir, d.pattern = c.dir, "./..."
	}
	if code := d.checkURL(); code != exitDone {
		return code
	}
	d.discreet = newDiscreet(d.url)
	all, ok := d.look()
	if c.ctx.Err() != nil {
		return exitFound
	}
	if err := d.print(all, ok, *asJSON); err != nil {
		return c.fail(err)
	}
	if !ok {
		return exitFound
	}
	return exitDone
}

// checkURL refuses an invalid -url. The message does not contain it.
func (d *doctor) checkURL() (code int) {
	switch {
	case d.url == "":
	case remote.HasUser(d.url):
		return d.c.usage("doctor", "the URL of -url has a user name or a password", "leave them out: the server is asked without credentials")
	case strings.HasPrefix(d.url, "@") || !remote.IsServer(d.url):
		return d.c.usage("doctor", "flag -url: it is not the URL of a server", "write -url https://example.com/mcp")
	}
	return exitDone
}

// look checks all parts, and reports whether none is wrong.
func (d *doctor) look() (all []*finding, ok bool) {
	parts := []func(context.Context) []*finding{d.ownVersion, d.goVersion}
	if d.pattern != "" {
		parts = append(parts, d.module, d.packages)
	} else {
		parts = append(parts, func(context.Context) []*finding {
			return []*finding{{Part: "module", OK: true, Text: "none: the current directory is not in one"}}
		})
	}
	parts = append(parts, d.clients)
	if d.url != "" {
		parts = append(parts, d.endpoint)
	}
	ok = true
	for _, part := range parts {
		if d.c.ctx.Err() != nil {
			return nil, false
		}
		for _, found := range part(d.c.ctx) {
			found.Text, found.Hint = d.clean(found.Text), d.clean(found.Hint)
			for i, line := range found.Details {
				found.Details[i] = d.clean(line)
			}
			ok = ok && found.OK
			all = append(all, found)
		}
	}
	return all, ok
}

// print writes the findings as text, or as one JSON object.
func (d *doctor) print(all []*finding, ok, asJSON bool) error {
	d.c.progress.clear()
	if asJSON {
		enc := json.NewEncoder(d.c.out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(struct {
			OK    bool       `json:"ok"`
			Parts []*finding `json:"parts"`
		}{ok, all})
	}
	var b strings.Builder
	for _, found := range all {
		state := "ok"
		if !found.OK {
			state = "wrong"
		}
		const indent = "\n                 "
		lines := strings.NewReplacer("\n\t", indent, "\n", indent)
		fmt.Fprintf(&b, "%-7s%-10s%s\n", state, found.Part, lines.Replace(found.Text))
		for _, line := range found.Details {
			fmt.Fprintf(&b, "%s%s\n", indent[1:], line)
		}
		if found.Hint != "" {
			fmt.Fprintf(&b, "%shint: %s\n", indent[1:], lines.Replace(found.Hint))
		}
	}
	_, err := fmt.Fprint(d.c.out, b.String())
	return err
}

// late returns a finding for an exceeded time limit, and nil for other errors.
func late(part string, err error, limit time.Duration, hint string) *finding {
	if !errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return wrong(part, fmt.Sprintf("not done within %v", limit), hint)
}
