package directive

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
)

// ScanFile reads the directives of a file that was parsed with comments, including comments in
// function bodies. The sets are in order of the source. A misspelt or misplaced directive or a
// wrong argument is reported as an error in diags and left out; the rest is returned, so that its
// errors are found in the same run.
func ScanFile(fset *token.FileSet, f *ast.File, diags *diag.List) []*Set {
	s := &scanner{fset: fset, file: f, diags: diags, decls: declarationsOf(f), sets: map[ast.Node]*Set{}, damaged: map[*Set]bool{}}
	for _, g := range f.Comments {
		for _, c := range g.List {
			s.comment(g, c)
		}
	}
	s.distribute()
	var complete []*Set
	for _, set := range s.order {
		s.checkSet(set)
		if len(set.Directives) > 0 {
			complete = append(complete, set)
		}
	}
	return complete
}

// ScanFiles is like ScanFile, for all files of one package. It also refuses a second //mcp:server
// or package-wide //mcp:defaults in another file.
func ScanFiles(fset *token.FileSet, files []*ast.File, diags *diag.List) []*Set {
	var all []*Set
	first := map[string]*Directive{}
	for _, f := range files {
		sets := ScanFile(fset, f, diags)
		all = append(all, sets...)
		for _, set := range sets {
			if set.Target != Package {
				continue
			}
			for _, d := range set.Directives {
				other := first[d.Word]
				if spec := Lookup(d.Word); !spec.OncePerPackage {
					continue
				}
				if other == nil {
					first[d.Word] = d
					continue
				}
				e := diags.Errorf(d.Pos, subject(d), "given twice in the package comments of one package")
				e.Hint = "keep one of the two"
				e.Related = []diag.Related{{Pos: other.Pos, Message: "the other one"}}
			}
		}
	}
	return all
}

// DocText returns a comment's text, without comment markers and directives. For a nil group it
// returns "".
func DocText(g *ast.CommentGroup) string { return g.Text() }

type scanner struct {
	fset  *token.FileSet
	file  *ast.File
	diags *diag.List
	decls declarations
	sets  map[ast.Node]*Set
	order []*Set
	// damaged contains the sets with a directive that could not be read, so that nothing can be
	// concluded from its absence.
	damaged map[*Set]bool
}

func subject(d *Directive) string {
	s := "//mcp:" + d.Word
	if name := d.Name(); d.Word == "arg" && name != "" {
		s += " " + name
	}
	return s
}

// comment reads one comment.
func (s *scanner) comment(g *ast.CommentGroup, c *ast.Comment) {
	written, ok := candidate(c.Text)
	if !ok {
		return
	}
	at := s.decls[g]
	if at == nil {
		at = floating(s.fset, s.file, g)
		s.decls[g] = at
	}
	pos := s.fset.Position(c.Slash)
	spec := s.spell(pos, c.Text, written)
	if spec == nil {
		s.damage(at)
		return
	}
	d := &Directive{Word: spec.Word, Pos: pos}
	if !spec.Built {
		s.damage(at)
		s.diags.Errorf(pos, subject(d), "this directive is not built yet").Hint = "leave it out for now; mcpgen help directives lists what is built"
		return
	}
	if at.target == VarGroup && d.Word != "tool" {
		at = at.others
	}
	if !s.placed(d, spec, at) {
		return
	}
	body := c.Text[len("//mcp:")+len(spec.Word):]
	start := len("//mcp:") + len(spec.Word)
	lead := len(body) - len(strings.TrimLeftFunc(body, unicode.IsSpace))
	rest := strings.TrimRightFunc(body[lead:], unicode.IsSpace)
	origin := shift(pos, start+lead)
	if spec.Text {
		s.text(d, spec, rest, origin)
	} else {
		s.arguments(d, spec, rest, origin)
	}
	set := s.set(at)
	set.Directives = append(set.Directives, d)
}

// shift moves a position within its line. A position from a //line comment may lack a column.
func shift(pos token.Position, n int) token.Position {
	if pos.Column > 0 {
		pos.Column += n
	}
	pos.Offset += n
	return pos
}

func (s *scanner) set(at *declaration) *Set {
	set := s.sets[at.node]
	if set == nil {
		set = &Set{
			Doc: at.doc, File: s.file, Node: at.node, Target: at.target, Name: at.name.Name,
			Parent: at.parent, Symbol: at.symbol, Pos: s.fset.Position(at.name.Pos()),
		}
		if at.named != nil {
			set.Name = at.named.Name
		}
		s.sets[at.node] = set
		s.order = append(s.order, set)
	}
	return set
}

func (s *scanner) damage(at *declaration) {
	if at.wrong == "" {
		s.damaged[s.set(at)] = true
	}
}

// candidate reports whether a comment is in the namespace: whether its text begins with "mcp:", in
// any spelling. written is the text after the colon.
func candidate(comment string) (written string, ok bool) {
	text := comment[2:]
	if strings.HasPrefix(comment, "/*") {
		text = strings.TrimSuffix(text, "*/")
		text = strings.TrimLeftFunc(text, func(r rune) bool { return r == '*' || blank(r) })
	}
	text = strings.TrimLeftFunc(text, blank)
	if len(text) < 3 || !strings.EqualFold(text[:3], "mcp") {
		return "", false
	}
	return strings.CutPrefix(strings.TrimLeftFunc(text[3:], blank), ":")
}

// blank reports whether a character is white space or invisible.
func blank(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) }

// spell returns the directive that a comment of the namespace names, or reports an error and
// returns nil.
func (s *scanner) spell(pos token.Position, comment, written string) *Spec {
	trimmed := strings.TrimLeftFunc(written, blank)
	name := trimmed
	if i := strings.IndexFunc(trimmed, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_' }); i >= 0 {
		name = trimmed[:i]
	}
	after := trimmed[len(name):]
	spec := Lookup(name)
	exact := strings.HasPrefix(comment, "//mcp:"+name) && name != ""
	if spec != nil && exact && (after == "" || unicode.IsSpace([]rune(after)[0])) {
		return spec
	}
	near := name
	if spec == nil {
		near = diag.Nearest(name, words())
	}
	var e *diag.Diagnostic
	switch {
	case name == "":
		e = s.diags.Errorf(pos, "", "comment begins with mcp: and names no directive")
	case !exact:
		e = s.diags.Errorf(pos, "", "comment begins with mcp: and is not a directive, as it is written")
	case spec != nil:
		e = s.diags.Errorf(shift(pos, len("//mcp:")+len(name)), "//mcp:"+name, "%q directly after the word", []rune(after)[0])
		e.Hint = fmt.Sprintf("put a space after //mcp:%s; mcpgen help directives lists what may follow", name)
		return nil
	default:
		e = s.diags.Errorf(pos, "", "unknown directive //mcp:%s", name)
	}
	switch {
	case near != "" && exact:
		e.Hint = fmt.Sprintf("did you mean //mcp:%s?", near)
	case near != "":
		e.Hint = fmt.Sprintf("write //mcp:%s: a line comment, in lower case, without spaces before the word", near)
	case exact:
		e.Hint = "known are " + join(words(), "and")
	default:
		e.Hint = "these comments are reserved for directives: begin it with another word, or see mcpgen help directives"
	}
	return nil
}

// placed reports whether the directive applies to its declaration. If not, it adds an error.
func (s *scanner) placed(d *Directive, spec *Spec, at *declaration) bool {
	if at.wrong != "" {
		if at.reported {
			return false
		}
		at.reported = true // one message for all directives of a misplaced comment
		e := s.diags.Errorf(d.Pos, subject(d), "is %s", at.wrong)
		e.Hint = at.hint
		if len(spec.On) == 1 && spec.On[0] == Package {
			e.Hint = "move it directly above the package clause, without an empty line between them"
		}
		return false
	}
	for _, t := range spec.On {
		if t == at.target {
			return true
		}
	}
	what := at.target.String()
	if at.target != Package {
		what += " " + at.symbol
	}
	s.diags.Errorf(d.Pos, subject(d), "cannot be applied to %s", what).Hint = "it can be applied to " + spec.targets()
	return false
}

// String returns the target's name in messages: "interface method".
func (t Target) String() string {
	return [...]string{
		"the package comment", "function", "method", "interface method", "type",
		"variable", "constant", "struct field", "parameter", "group of variables",
	}[t]
}

// article returns the target with its article: "an interface method".
func (t Target) article() string {
	switch t {
	case Package:
		return t.String()
	case InterfaceMethod:
		return "an " + t.String()
	}
	return "a " + t.String()
}

func (s *Spec) targets() string {
	var names []string
	for _, t := range s.On {
		names = append(names, t.article())
	}
	list := either(names)
	if s.OnNote != "" {
		list += " (" + s.OnNote + ")"
	}
	return list
}

// text reads the rest of the line as Text.
func (s *scanner) text(d *Directive, spec *Spec, rest string, origin token.Position) {
	d.Text, d.TextPos = rest, origin
	if rest == "" && spec.TextNeeded {
		s.diags.Errorf(origin, subject(d), "text is missing").Hint = "write for example " + spec.Example
	} else if d.Word == "ignore" && len(strings.Fields(rest)) == 1 {
		s.diags.Errorf(shift(origin, len(rest)), subject(d), "the reason is missing").Hint = "write after the rule why it does not apply: " + spec.Example
	}
	if _, ok := unquote(rest); ok {
		s.diags.Warnf(origin, subject(d), "the quotes become part of the text").Hint = "leave them out: the rest of the line is the text"
	}
}

// distribute copies the directives of groups to their members.
func (s *scanner) distribute() {
	grouped := false
	for _, g := range s.file.Comments {
		if group := s.decls[g]; group != nil && group.target == VarGroup && s.sets[group.node] != nil {
			s.toMembers(group)
			grouped = true
		}
	}
	if !grouped {
		return
	}
	s.order = slices.DeleteFunc(s.order, func(set *Set) bool { return set.Target == VarGroup })
	slices.SortStableFunc(s.order, func(a, b *Set) int { return cmp.Compare(a.Node.Pos(), b.Node.Pos()) })
}

// toMembers copies the directives of one group to its members.
func (s *scanner) toMembers(group *declaration) {
	whole := s.sets[group.node]
	if s.damaged[whole] {
		for _, member := range group.each {
			s.damage(member)
		}
	}
	s.checkSet(whole)
	tool := whole.Get("tool")
	if tool == nil {
		return
	}
	tool.Args = slices.DeleteFunc(tool.Args, func(a Arg) bool {
		if !slices.Contains(memberKeys, a.Key) {
			return false
		}
		s.diags.Errorf(a.Pos, subject(tool), "%s= is about one tool, and this is a group", a.Key).Hint =
			"put //mcp:tool " + a.Key + "=... directly above the variable that it is about"
		return true
	})
	for _, member := range group.each {
		set := s.set(member)
		own := set.Get("tool")
		if own == nil {
			own = &Directive{Word: "tool", Pos: set.Pos}
			set.Directives = append(set.Directives, own)
		}
		own.Group = tool.Args
	}
}

// memberKeys are the keys of //mcp:tool that are not allowed above a group.
var memberKeys = []string{"name", "title", "description", "alias"}

// checkSet reports directives of one declaration that contradict each other.
func (s *scanner) checkSet(set *Set) {
	first := map[string]*Directive{}
	for _, d := range set.Directives {
		id := subject(d)
		if spec := Lookup(d.Word); spec.Repeat && d.Word != "arg" {
			continue
		}
		if other := first[id]; other != nil {
			e := s.diags.Errorf(d.Pos, id, "given twice on %s", set.Symbol)
			e.Hint = "put everything into one line"
			e.Related = []diag.Related{{Pos: other.Pos, Message: "the other one"}}
			continue
		}
		first[id] = d
	}
	set.Damaged = s.damaged[set]
	for _, word := range []string{"arg", "params", "result"} {
		if word == "arg" && (set.Target == Func || set.Target == Type || set.Target == Package) {
			continue // inject= may name the function; the other directives apply to several features
		}
		if d := set.Get(word); d != nil && !s.damaged[set] && set.Get("tool") == nil && set.Get("resource") == nil && set.Get("prompt") == nil {
			NotFeature(set, d, s.diags)
			break
		}
	}
}

// NotFeature reports a directive for features on another declaration.
func NotFeature(set *Set, d *Directive, diags *diag.List) {
	diags.Errorf(d.Pos, subject(d), "%s is not a feature", set.Symbol).Hint = "add //mcp:tool, //mcp:resource or //mcp:prompt above it"
}

// Doc returns the text in the //mcp:doc lines of a comment, read like the lines of a doc comment.
// The items of a list need no indentation. ok is false if the comment, which may be nil, contains
// no such line.
func Doc(g *ast.CommentGroup) (text string, ok bool) {
	if g == nil {
		return "", false
	}
	var lines []string
	for _, c := range g.List {
		line, found := strings.CutPrefix(c.Text, "//mcp:doc")
		if trimmed := strings.TrimLeftFunc(line, unicode.IsSpace); !found || line != "" && trimmed == line {
			continue
		}
		line = strings.TrimRightFunc(strings.TrimPrefix(line, " "), unicode.IsSpace)
		if listItem.MatchString(line) {
			line = "  " + line
		}
		lines = append(lines, line)
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n"), lines != nil
}

// listItem matches a line that begins a list item without indentation.
var listItem = regexp.MustCompile(`^([-*+•]|[0-9]{1,9}[.)])[ \t]`)
