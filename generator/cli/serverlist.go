package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/remote"
	"github.com/mcpgen/mcpgen/internal/skill"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// lists are the lists of a server: the kind of their entries, the method, and the member of its
// result.
var lists = []struct{ kind, method, member string }{
	{"tool", "tools/list", "tools"},
	{"resource", "resources/list", "resources"},
	{"template", "resources/templates/list", "resourceTemplates"},
	{"prompt", "prompts/list", "prompts"},
}

// listBounds limit a list of a server, like mcpclient.Limits for lists that the client reads
// itself.
type listBounds struct{ pages, items, bytes int }

var defaultListBounds = listBounds{pages: 1000, items: 100_000, bytes: 64 << 20}

// entries returns a list of a server unchanged, page by page. It is empty if the server does not
// declare it.
func entries(ctx context.Context, client *mcpclient.Client, method, member string, most listBounds) (all []json.RawMessage, err error) {
	cursors := map[string]bool{}
	size := 0
	params := map[string]string{}
	for {
		result, err := client.Request(ctx, method, params)
		if _, ok := errors.AsType[*mcpclient.UnsupportedError](err); ok {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if size += len(result); size > most.bytes {
			return nil, fmt.Errorf("%s: the list has more than %d bytes", method, most.bytes)
		}
		var page map[string]json.RawMessage
		var items []json.RawMessage
		var cursor *string
		if err := json.Unmarshal(result, &page); err == nil {
			err = errors.Join(json.Unmarshal(page[member], &items), unmarshalIf(page["nextCursor"], &cursor))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", method, err)
			}
		}
		if len(all)+len(items) > most.items {
			return nil, fmt.Errorf("%s: the list has more than %d entries", method, most.items)
		}
		all = append(all, items...)
		switch {
		case cursor == nil:
			return all, nil
		case cursors[*cursor]:
			return nil, fmt.Errorf("%s: the server has returned the cursor %q twice", method, *cursor)
		case len(cursors)+1 >= most.pages:
			return nil, fmt.Errorf("%s: the list has more than %d pages", method, most.pages)
		}
		cursors[*cursor] = true
		params = map[string]string{"cursor": *cursor}
	}
}

func unmarshalIf(text json.RawMessage, v any) error {
	if text == nil {
		return nil
	}
	return json.Unmarshal(text, v)
}

// list shows the features of a server.
func (r *remoteServer) list(asJSON bool) int {
	return r.with(func(ctx context.Context, client *mcpclient.Client) int {
		found := map[string][]json.RawMessage{}
		for _, l := range lists {
			all, err := entries(ctx, client, l.method, l.member, defaultListBounds)
			if err != nil {
				return r.fail(err)
			}
			found[l.kind] = all
		}
		if declaresSkills(ctx, client) {
			all, err := entries(ctx, client, "skills/list", "skills", defaultListBounds)
			if err != nil {
				return r.fail(err)
			}
			found["skill"] = all
		}
		if asJSON {
			return r.listJSON(ctx, client, found)
		}
		return r.table(found)
	})
}

// declaresSkills reports whether a server declares the extension for skills.
func declaresSkills(ctx context.Context, client *mcpclient.Client) bool {
	info, err := client.Server(ctx)
	if err != nil {
		return false // the lists have reported it
	}
	var extensions map[string]json.RawMessage
	return json.Unmarshal(info.Capabilities["extensions"], &extensions) == nil && extensions[skill.Extension] != nil
}

// serverRow is one line of the table.
type serverRow struct {
	kind, name, signature, hints string
	tokens                       int
}

// table prints a line for each feature, the largest of a kind first.
func (r *remoteServer) table(found map[string][]json.RawMessage) int {
	c := r.c
	var all []serverRow
	total := 0
	for _, kind := range kinds {
		for _, text := range found[kind] {
			line := newServerRow(kind, text)
			if kind == "tool" {
				total += line.tokens
			}
			all = append(all, line)
		}
	}
	if len(all) == 0 {
		c.noteln("%s has neither tools nor resources nor prompts", r.target.Name())
		return exitDone
	}
	slices.SortStableFunc(all, func(a, b serverRow) int {
		return cmp.Or(slices.Index(kinds, a.kind)-slices.Index(kinds, b.kind), b.tokens-a.tokens)
	})
	w := c.listTable()
	fmt.Fprintln(w, "KIND\tNAME\tSIGNATURE\tHINTS\tTOKENS")
	for _, line := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\n", line.kind, shown(line.name), shown(line.signature), line.hints, line.tokens)
	}
	if n := len(found["tool"]); n > 0 {
		fmt.Fprintf(w, "total\t%s\t\t\t%d\n", count(n, "tool"), total)
	}
	if err := c.flush(w); err != nil {
		return c.fail(err)
	}
	return exitDone
}

// listedEntry contains the members of an entry that the table shows.
type listedEntry struct {
	Name         string
	URI          string
	URITemplate  string
	MIMEType     string
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage
	Hints        mcp.ToolHints
	hasHints     bool
	Arguments    []mcp.PromptArgument
}

// readEntry reads an entry. Members of another type are ignored.
func readEntry(text json.RawMessage) (e listedEntry) {
	var hints json.RawMessage
	e.Hints.Destructive, e.Hints.OpenWorld = true, true // the defaults of the specification
	var arguments []json.RawMessage
	readMembers(text, map[string]any{
		"name": &e.Name, "uri": &e.URI, "uriTemplate": &e.URITemplate, "mimeType": &e.MIMEType,
		"inputSchema": &e.InputSchema, "outputSchema": &e.OutputSchema, "annotations": &hints, "arguments": &arguments,
	})
	readMembers(hints, map[string]any{
		"readOnlyHint": &e.Hints.ReadOnly, "destructiveHint": &e.Hints.Destructive,
		"idempotentHint": &e.Hints.Idempotent, "openWorldHint": &e.Hints.OpenWorld,
	})
	e.hasHints = len(hints) > 0 && hints[0] == '{'
	for _, one := range arguments {
		var a mcp.PromptArgument
		readMembers(one, map[string]any{"name": &a.Name, "required": &a.Required})
		e.Arguments = append(e.Arguments, a)
	}
	return e
}

// readMembers reads members of an object by their exact names, which encoding/json does only for
// maps.
func readMembers(object json.RawMessage, to map[string]any) {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return
	}
	for name, v := range to {
		_ = unmarshalIf(members[name], v) // see readEntry
	}
}

func newServerRow(kind string, text json.RawMessage) serverRow {
	e := readEntry(text)
	line := serverRow{kind: kind, name: e.Name, tokens: row{kind: kind, listing: text}.tokens()}
	switch kind {
	case "tool":
		line.signature = remote.Signature(e.InputSchema, e.OutputSchema)
		if e.hasHints {
			line.hints = hints(model.Hints(e.Hints))
		}
	case "resource":
		line.name, line.hints = e.URI, shown(e.MIMEType)
	case "template":
		line.name, line.hints = e.URITemplate, shown(e.MIMEType)
	case "skill":
		line.name = e.URI
	case "prompt":
		line.signature = remote.PromptSignature(e.Arguments)
	}
	return line
}

// listJSON writes the lists unchanged, with the server's description of itself.
func (r *remoteServer) listJSON(ctx context.Context, client *mcpclient.Client, found map[string][]json.RawMessage) int {
	c := r.c
	info, err := client.Server(ctx)
	if err != nil {
		return r.fail(err)
	}
	tokens := 0
	for _, text := range found["tool"] {
		tokens += newServerRow("tool", text).tokens
	}
	list := func(kind string) []json.RawMessage {
		if found[kind] == nil {
			return []json.RawMessage{}
		}
		return found[kind]
	}
	enc := json.NewEncoder(c.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err = enc.Encode(struct {
		Server            any               `json:"server"`
		Tokens            int               `json:"tokens"`
		Tools             []json.RawMessage `json:"tools"`
		Resources         []json.RawMessage `json:"resources"`
		ResourceTemplates []json.RawMessage `json:"resourceTemplates"`
		Prompts           []json.RawMessage `json:"prompts"`
		Skills            []json.RawMessage `json:"skills,omitempty"`
	}{info.ServerInfo, tokens, list("tool"), list("resource"), list("template"), list("prompt"), found["skill"]})
	if err != nil {
		return c.fail(err)
	}
	return exitDone
}
