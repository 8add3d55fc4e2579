package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/internal/columns"
)

// list shows the features of a package, from its source.
func (c *command) list(args []string) int {
	f := newFlags("list")
	new(serverFlags).define(f)
	asJSON := f.Bool("json", false, "write one JSON object to standard output")
	wide := f.Bool("wide", false, "cut nothing on a terminal")
	rest, code, ok := c.parse(f, args)
	if !ok {
		return code
	}
	if *wide {
		c.screen = c.screen.Wide()
	}
	if r, others, code, done := c.onServer(f, rest); done || code != exitDone {
		switch {
		case code != exitDone:
			return code
		case len(others) > 0:
			return c.usage("list", "list takes one package or server", "")
		}
		return r.list(*asJSON)
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
	if !p.Model.HasFeatures() {
		c.noteln("no feature is annotated in %s itself\n\thint: name the package whose functions are, or write //mcp:tool above one", rest[0])
		return exitDone
	}
	w := c.listTable()
	all := rows(p.Model, listing)
	// Few packages have arguments that functions or constants fill.
	injectedCell := optionalColumn(all, func(r row) []string { return r.injected })
	fixedCell := optionalColumn(all, func(r row) []string { return r.fixed })
	scopesCell := optionalColumn(all, func(r row) []string { return r.scopes })
	fmt.Fprintln(w, "KIND\tNAME\tSYMBOL\tSIGNATURE\t"+injectedCell("INJECTED")+fixedCell("FIXED")+"HINTS\t"+scopesCell("SCOPES")+"TOKENS")
	slices.SortStableFunc(all, func(a, b row) int {
		return cmp.Or(slices.Index(kinds, a.kind)-slices.Index(kinds, b.kind), b.tokens()-a.tokens())
	})
	for _, row := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s%s%s\t%s%d\n", row.kind, row.name, row.symbol, row.signature,
			injectedCell(row.injected...), fixedCell(row.fixed...), row.hints, scopesCell(row.scopes...), row.tokens())
	}
	if n := len(p.Model.Tools); n > 0 {
		fmt.Fprintf(w, "total\t%s\t\t\t%s%s\t%s%d\n", count(n, "tool"), injectedCell(), fixedCell(), scopesCell(), toolTokens(all))
		if found := findTokens(n); found > 0 {
			fmt.Fprintf(w, "total\twith mcpfind\t\t\t%s%s\t%s%d\n", injectedCell(), fixedCell(), scopesCell(), found)
		}
	}
	if err := c.flush(w); err != nil {
		return c.fail(err)
	}
	for _, row := range all {
		for _, argument := range slices.Sorted(maps.Keys(row.choices)) {
			line := fmt.Sprintf("%s %s: the values of %s come from %s when the program starts\n", row.kind, row.name, argument, row.choices[argument])
			fmt.Fprint(c.out, c.screen.Fit(line))
		}
	}
	return exitDone
}

// listTable returns the table of list, with the columns that a narrow terminal omits.
func (c *command) listTable() *columns.Table {
	w := columns.NewTable(c.out, c.screen)
	w.Cut = []string{"SIGNATURE", "HINTS"}
	w.Drop("SYMBOL", "FIXED", "INJECTED", "SCOPES")
	return w
}

// flush writes the table, and names the omitted columns.
func (c *command) flush(w *columns.Table) error {
	if err := w.Flush(); err != nil {
		return err
	}
	if dropped := w.Dropped(); len(dropped) > 0 {
		c.noteln("\thint: -wide also shows %s", strings.Join(dropped, ", "))
	}
	return nil
}

// kinds are the kinds of features in the order of the table.
var kinds = []string{"tool", "resource", "template", "prompt", "skill"}

// row is one feature in the table.
type row struct {
	kind, name, symbol, signature, hints string
	injected                             []string // arguments that functions fill: userID=currentUser
	fixed                                []string // arguments with a constant: getAll=true
	scopes                               []string // scopes that a caller needs
	task                                 string   // the word of task=
	listing                              json.RawMessage
	pos                                  token.Position
	choices                              map[string]string // functions of choices= by argument
}

// rows returns the features of a package. A resource is identified by its URI, and its hint is the
// media type.
func rows(m *model.Package, l *listing) []row {
	var all []row
	add := func(kind, name, symbol, signature, hints string, scopes []string, c *model.Call, listing json.RawMessage, pos token.Position) {
		all = append(all, row{kind, name, symbol, signature, hints, injected(c), fixed(c), scopes, "", listing, pos, choices(c)})
	}
	for i, t := range m.Tools {
		add("tool", t.Name, t.Func.Symbol, signature(m, &t.Call), hints(t.Hints)+taskHint(t.Task)+uiHint(t.UI), t.Scopes, &t.Call, l.tools[i], t.Pos)
		all[len(all)-1].task = t.Task.Support()
	}
	for i, r := range m.Resources {
		add("resource", r.URI, r.Symbol(), resourceSignature(m, r), r.MIME, r.Scopes, &r.Call, l.resources[i], r.Pos)
	}
	for i, r := range m.Templates {
		add("template", r.Template(), r.Symbol(), resourceSignature(m, r), r.MIME, r.Scopes, &r.Call, l.templates[i], r.Pos)
	}
	for i, p := range m.Prompts {
		add("prompt", p.Name, p.Func.Symbol, signature(m, &p.Call), "", p.Scopes, &p.Call, l.prompts[i], p.Pos)
	}
	for i, s := range m.AllSkills() {
		add("skill", s.MainURI(), s.Of.Symbol, skillSignature(s), "", s.Of.Scopes, &model.Call{}, l.skills[i], s.Of.Pos)
	}
	return all
}

// optionalColumn returns a function that writes the cells of a column, which is omitted if no row
// has a value.
func optionalColumn(all []row, values func(row) []string) (cell func(...string) string) {
	if !slices.ContainsFunc(all, func(r row) bool { return len(values(r)) > 0 }) {
		return func(...string) string { return "" }
	}
	return func(texts ...string) string { return strings.Join(texts, " ") + "\t" }
}

// injected returns the parameters, members and receiver that functions fill, each with the
// function: userID=currentUser.
func injected(c *model.Call) []string {
	var all []string
	by := func(name string, p *model.Provider) {
		fn := p.Func
		if p.Pkg != nil {
			fn = p.Pkg.Name() + "." + fn
		}
		all = append(all, name+"="+fn)
	}
	for _, p := range c.Func.Params {
		if p.Source == model.FromProvider {
			by(cmp.Or(p.Name, "_"), p.Provider)
		}
	}
	for _, f := range c.Fills {
		by(f.Name, f.Provider)
	}
	if r := c.Func.Receiver; r != nil && r.Provider != nil {
		by(r.TypeName, r.Provider)
	}
	return all
}

// fixed returns the parameters and members with a constant, each with its JSON: getAll=true.
func fixed(c *model.Call) []string {
	var all []string
	for _, p := range c.Params() {
		if p.Source == model.FromFixed {
			all = append(all, p.Name+"="+p.Fixed.Default.JSON)
		}
	}
	around := map[*model.Type]bool{}
	var walk func(t *model.Type, path string)
	walk = func(t *model.Type, path string) {
		if t == nil || around[t] || t.Kind == model.Struct && t.Variant == "" {
			return // directives have not changed a struct without a variant
		}
		around[t] = true
		defer delete(around, t)
		for _, f := range t.Fixed {
			all = append(all, path+f.Name+"="+f.Default.JSON)
		}
		for _, f := range t.Fields {
			walk(f.Type, path+f.Name+".")
		}
		walk(t.Elem, path)
	}
	if c.Input != nil {
		walk(c.Input.Object, "")
	}
	return all
}

// choices returns the functions of choices=, by argument.
func choices(call *model.Call) map[string]string {
	functions := map[string]string{}
	for _, c := range call.Choices {
		functions[c.Argument] = c.Name
	}
	return functions
}

// resourceSignature returns the signature of the function, or the type of the value.
func resourceSignature(m *model.Package, r *model.Resource) string {
	if r.Value != nil {
		return typeText(types.Default(r.Value.Type), shortNames(m))
	}
	return signature(m, &r.Call)
}

// listJSON writes the features as the protocol lists them, each with the other known facts.
func (c *command) listJSON(m *model.Package, listing *listing) int {
	lists := map[string][]json.RawMessage{"tool": {}, "resource": {}, "template": {}, "prompt": {}, "skill": {}}
	all := rows(m, listing)
	for _, row := range all {
		at := row.pos
		at.Filename = c.relative(at.Filename)
		more, err := json.Marshal(struct {
			Symbol   string            `json:"symbol"`
			Position string            `json:"position"`
			Injected []string          `json:"injected,omitempty"`
			Fixed    []string          `json:"fixed,omitempty"`
			Scopes   []string          `json:"scopes,omitempty"`
			Task     string            `json:"task,omitempty"`
			Tokens   int               `json:"tokens"`
			Choices  map[string]string `json:"choices,omitempty"`
		}{row.symbol, at.String(), row.injected, row.fixed, row.scopes, row.task, row.tokens(), row.choices})
		if err != nil {
			return c.fail(err)
		}
		// Two objects are joined, so that every member stays unchanged.
		members := row.listing[: len(row.listing)-1 : len(row.listing)-1]
		lists[row.kind] = append(lists[row.kind], append(append(members, ','), more[1:]...))
	}
	enc := json.NewEncoder(c.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(struct {
		Server            json.RawMessage   `json:"server"`
		Tokens            int               `json:"tokens"`
		FindTokens        int               `json:"findTokens,omitempty"` // with mcpfind
		Tools             []json.RawMessage `json:"tools"`
		Resources         []json.RawMessage `json:"resources"`
		ResourceTemplates []json.RawMessage `json:"resourceTemplates"`
		Prompts           []json.RawMessage `json:"prompts"`
		Skills            []json.RawMessage `json:"skills,omitempty"`
	}{identity(m), toolTokens(all), findTokens(len(m.Tools)), lists["tool"], lists["resource"], lists["template"], lists["prompt"], lists["skill"]})
	if err != nil {
		return c.fail(err)
	}
	return exitDone
}

// hints returns the words of //mcp:tool with the same meaning; hints that are neither set nor
// implied are omitted.
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

// taskHint returns the word for calls that become tasks.
func taskHint(t *model.Task) string {
	if t == nil {
		return ""
	}
	return " task=" + t.Support()
}

// uiHint returns the words for a tool with an interface.
func uiHint(ui *model.ToolUI) (words string) {
	if ui == nil {
		return ""
	}
	if ui.ResourceURI != "" {
		words = " ui=" + ui.ResourceURI
	}
	if ui.Visibility != "" {
		words += " visibility=" + ui.Visibility
	}
	return words
}

// signature returns the Go signature as a client sees it: without injected parameters, and with the
// published names of the arguments.
func signature(m *model.Package, t *model.Call) string {
	short := shortNames(m)
	var params []string
	for i, p := range t.Func.Params {
		if p.Source != model.FromArgument && p.Source != model.FromWhole || p.Field != nil && p.Field.Type == nil {
			continue
		}
		typ := typeText(p.Type, short)
		if t.Func.Variadic && i == len(t.Func.Params)-1 {
			typ = "..." + strings.TrimPrefix(typ, "[]")
		}
		name := p.Name
		if p.Source == model.FromArgument && p.Field != nil && !p.Inlined {
			name = p.Field.Name
			if p.Field.Default != nil {
				typ += " = " + p.Field.Default.JSON
			}
		}
		params = append(params, strings.TrimSpace(name+" "+typ))
	}
	var results []string
	for _, r := range t.Result.Values {
		if r.Role == model.RoleCleanup || r.Role == model.RoleLeftOut {
			continue
		}
		results = append(results, typeText(r.Type, short))
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

// tagText matches a tag in a type's text, which contains no other strings.
var tagText = regexp.MustCompile(` "(?:[^"\\]|\\.)*"`)

// typeText returns a type for people. Tags are removed, since they would be most of an unnamed
// struct.
func typeText(t types.Type, short types.Qualifier) string {
	return tagText.ReplaceAllString(types.TypeString(t, short), "")
}

// shortNames qualifies types of other packages with the package name.
func shortNames(m *model.Package) types.Qualifier {
	own := types.RelativeTo(m.Types)
	return func(p *types.Package) string {
		if own(p) == "" {
			return ""
		}
		return p.Name()
	}
}
