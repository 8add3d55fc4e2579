package main

import (
	"encoding/json"
	"fmt"
	"go/types"
	"strings"
	"text/tabwriter"

	"github.com/mcpgen/mcpgen/generator/model"
)

// list shows the features of a package, from its source.
func (c *command) list(args []string) int {
	f := newFlags("list")
	asJSON := f.Bool("json", false, "write one JSON object to standard output")
	rest, code, ok := c.parse(f, args)
	if !ok {
		return code
	}
	if len(rest) == 0 {
		rest = []string{"."}
	}
	if len(rest) > 1 {
		return c.usage("list", "list takes one package", "")
	}
	p, code, ok := c.load(f, rest[0])
	if !ok {
		return code
	}
	listing, err := listed(c.ctx, p.Model)
	if err != nil {
		return c.fail(err)
	}
	if *asJSON {
		return c.listJSON(p.Model, listing)
	}
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "KIND\tNAME\tSYMBOL\tSIGNATURE\tHINTS\tTOKENS")
	for i, t := range p.Model.Tools {
		fmt.Fprintf(w, "tool\t%s\t%s\t%s\t%s\t%d\n", t.Name, t.Func.Symbol, signature(p.Model, t), hints(t.Hints), tokens(listing[i]))
	}
	if err := w.Flush(); err != nil {
		return c.fail(err)
	}
	return exitDone
}

// listJSON writes the features as the protocol lists them, each with what else
// is known of it.
func (c *command) listJSON(m *model.Package, listing []json.RawMessage) int {
	tools := make([]json.RawMessage, 0, len(m.Tools))
	for i, t := range m.Tools {
		more, err := json.Marshal(struct {
			Symbol   string `json:"symbol"`
			Position string `json:"position"`
			Tokens   int    `json:"tokens"`
		}{t.Func.Symbol, fmt.Sprintf("%s:%d:%d", c.relative(t.Pos.Filename), t.Pos.Line, t.Pos.Column), tokens(listing[i])})
		if err != nil {
			return c.fail(err)
		}
		// Two objects become one, so that every member stays as it is.
		tools = append(tools, append(append(listing[i][:len(listing[i])-1:len(listing[i])-1], ','), more[1:]...))
	}
	type none []struct{}
	enc := json.NewEncoder(c.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(struct {
		Server            json.RawMessage   `json:"server"`
		Tools             []json.RawMessage `json:"tools"`
		Resources         none              `json:"resources"`
		ResourceTemplates none              `json:"resourceTemplates"`
		Prompts           none              `json:"prompts"`
	}{identity(m), tools, none{}, none{}, none{}})
	if err != nil {
		return c.fail(err)
	}
	return exitDone
}

// tokens estimates how many tokens of a model's context a listing takes: four
// bytes of English or JSON make about one.
func tokens(listing json.RawMessage) int { return (len(listing) + 3) / 4 }

// hints are the words of //mcp:tool that say the same; what is neither said nor
// implied is left out.
func hints(h model.Hints) string {
	var words []string
	switch {
	case h.ReadOnly:
		words = append(words, "readonly")
	case h.Destructive:
		words = append(words, "destructive")
	default:
		words = append(words, "additive")
	}
	if h.Idempotent && !h.ReadOnly {
		words = append(words, "idempotent")
	}
	if !h.OpenWorld {
		words = append(words, "closedworld")
	}
	return strings.Join(words, " ")
}

// signature is the Go signature as a client sees it: without what is injected,
// and with the names of the arguments as they are published.
func signature(m *model.Package, t *model.Tool) string {
	qualify := types.RelativeTo(m.Types)
	short := func(p *types.Package) string {
		if qualify(p) == "" {
			return ""
		}
		return p.Name()
	}
	var params []string
	for i, p := range t.Func.Params {
		if p.Source != model.FromArgument && p.Source != model.FromWhole {
			continue
		}
		typ := types.TypeString(p.Type, short)
		if t.Func.Variadic && i == len(t.Func.Params)-1 {
			typ = "..." + strings.TrimPrefix(typ, "[]")
		}
		name := p.Name
		if p.Source == model.FromArgument && p.Field != nil {
			name = p.Field.Name
			if p.Field.Default != nil {
				typ += " = " + p.Field.Default.JSON
			}
		}
		params = append(params, strings.TrimSpace(name+" "+typ))
	}
	var results []string
	for _, r := range t.Result.Values {
		if r.Role == model.RoleCleanup {
			continue
		}
		results = append(results, types.TypeString(r.Type, short))
	}
	text := "func(" + strings.Join(params, ", ") + ")"
	switch len(results) {
	case 0:
	case 1:
		text += " " + results[0]
	default:
		text += " (" + strings.Join(results, ", ") + ")"
	}
	return text
}
