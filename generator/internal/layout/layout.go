// Package layout formats declarations like gofmt. It knows the few forms that most generated
// declarations consist of, which it formats without a syntax tree, in a fraction of the time of
// go/parser and go/printer. These format the others.
package layout

import (
	"go/token"
	"strings"
	"unicode/utf8"
)

// Printer formats declarations, one after the other. Its zero value is ready for use.
type Printer struct {
	out    []byte
	items  []item
	frames []frame
	level  int // frames whose content is indented

	statement
	header int  // where the text of the last function type or literal begins
	unary  bool // the last token is a unary operator
	closed kind // of the last frame that ended
	names  []Name

	declared []string
}

// Name is a name in a declaration.
type Name struct {
	Qualifier string // the name in front of it and a dot, if that is not selected itself
	Name      string
}

// Names returns the names in the last declaration that Append has formatted, without the keys of
// composite literals and without the members of other values than names. The next call of Append
// overwrites them.
func (p *Printer) Names() []Name { return p.names }

// Declared returns the names that the last declaration declares. The next call of Append overwrites
// them.
func (p *Printer) Declared() []string { return p.declared }

// statement is the state of the innermost statement or declaration.
type statement struct {
	keyword token.Token // its first token
	base    int         // frames around it
	open    bool        // its block has not begun
	list    bool        // it has several values
	broken  bool        // a value has several lines

	function  bool // a function type or literal, whose body may follow, has begun
	functions int  // frames around that
}

// kind is the kind of a bracket.
type kind int

const (
	none      kind = iota
	block          // of statements
	cases          // of switch
	inline         // of one statement on the same line
	composite      // of elements
	fields         // of a struct
	field          // of a struct, on the same line
	group          // of arguments, or around an expression
	params
	index
	prefix // of a type: [], or the key of a map
)

// frame is a bracket that is open.
type frame struct {
	kind      kind
	indented  bool // the content begins on the next line
	continued bool // the content begins on the same line, and continues on others
	start     int  // where the element on the present line begins, or 0
	cell      int  // where its second column begins, or 0
	keyed     bool // the element has a key, or one of several results ends
	results   bool // of a function
	section   []cell
	size      int       // of an inline block, without the statement in it; where the type of a field begins
	around    statement // for a frame with statements
}

// cell is the end of a first column, whose second column is aligned with those around it.
type cell struct{ end, width int }

// maxKey is the size of keys above which gofmt compares sizes before it aligns values.
const maxKey = 40

// maxInline is the size up to which gofmt keeps a function on one line, and maxType that of the
// type of a field.
const maxInline, maxType = 100, 29

// Append appends a declaration with its doc comment, formatted as between empty lines, to a text.
// An error is one of the syntax.
func (p *Printer) Append(to []byte, declaration string) ([]byte, error) {
	if out, ok := p.known(to, declaration); ok {
		return out, nil
	}
	return p.parse(to, declaration)
}

// known is Append for the known forms. For others it returns false, and the text unchanged.
func (p *Printer) known(to []byte, declaration string) ([]byte, bool) {
	before := len(to)
	to, rest, ok := comments(to, declaration)
	if !ok {
		return to[:before], false
	}
	items, ok := scan(p.items[:0], rest)
	if p.items = items; !ok || len(items) < 2 {
		return to[:before], false
	}
	*p = Printer{out: to, items: items, frames: p.frames[:0], names: p.names[:0], declared: p.declared[:0]}
	for i := range items {
		if !p.next(i) {
			return p.out[:before], false
		}
	}
	if len(p.frames) > 0 {
		return p.out[:before], false
	}
	p.declared = append(p.declared, items[1].text)
	return append(p.out, '\n'), true
}

// comments appends the lines of a doc comment without markup.
func comments(to []byte, text string) (out []byte, rest string, ok bool) {
	text = strings.TrimLeft(text, "\n")
	for strings.HasPrefix(text, "//") {
		line, after, _ := strings.Cut(text, "\n")
		if len(line) < 4 || line[2] != ' ' || !letter(line[3]) && line[3] != '"' && line[3] != '(' || strings.HasSuffix(line, " ") || strings.ContainsAny(line, "\t\r[`") || strings.Contains(line, "''") {
			return to, "", false
		}
		to, text = append(append(to, line...), '\n'), after
	}
	return to, text, true
}

func (p *Printer) top() *frame {
	if len(p.frames) == 0 {
		return &frame{}
	}
	return &p.frames[len(p.frames)-1]
}

// next prints the i-th token.
func (p *Printer) next(i int) bool {
	t, before := p.items[i], item{}
	if i > 0 {
		before = p.items[i-1]
	}
	closing := t.kind == token.RPAREN || t.kind == token.RBRACK || t.kind == token.RBRACE
	if i == 0 {
		return p.first(t)
	}
	if t.lines > 1 || !p.breakBefore(t, before, closing) {
		return false
	}
	if closing {
		return p.close(t)
	}
	if p.begins(t, before) && !p.begin(t, before) {
		return false
	}
	spaced, ok := p.space(i, t, before)
	if !ok {
		return false
	}
	if spaced && t.lines == 0 {
		p.out = append(p.out, ' ')
	}
	at := len(p.out)
	p.out = append(p.out, t.text...)
	return p.after(i, t, at)
}

// first prints the first token, a keyword.
func (p *Printer) first(t item) bool {
	switch t.kind {
	case token.FUNC:
		p.open, p.header = true, len(p.out)
		if p.items[1].kind != token.IDENT || len(p.items) < 3 || p.items[2].kind != token.LPAREN {
			return false // a method, or type parameters
		}
	case token.VAR, token.CONST, token.TYPE:
		if p.items[1].kind != token.IDENT || len(p.items) < 3 || p.items[2].kind == token.COMMA || p.items[2].kind == token.LBRACK && t.kind == token.TYPE {
			return false
		}
	default:
		return false
	}
	p.keyword = t.kind
	p.out = append(p.out, t.text...)
	return t.lines == 0
}

// begin begins a statement.
func (p *Printer) begin(t, before item) bool {
	switch before.kind {
	case token.LBRACE, token.COLON, token.INC, token.DEC, token.BREAK, token.CONTINUE, token.RETURN:
	default:
		if !before.operand() {
			return false // the rest of a statement
		}
	}
	p.statement = statement{keyword: t.kind, base: len(p.frames)}
	switch t.kind {
	case token.IF, token.FOR, token.SWITCH:
		p.open = true
	case token.CASE, token.DEFAULT, token.IDENT, token.RETURN, token.VAR, token.MUL, token.DEFER, token.BREAK, token.CONTINUE:
	default:
		return false
	}
	return true
}

// begins reports whether a token begins a statement.
func (p *Printer) begins(t, before item) bool {
	k := p.top().kind
	more := before.kind == token.ADD || k == cases && before.kind == token.COMMA
	return (k == block || k == cases) && t.lines > 0 && !more || k == inline && before.kind == token.LBRACE
}

// breakBefore begins the line of a token.
func (p *Printer) breakBefore(t, before item, closing bool) bool {
	f := p.top()
	if t.lines == 0 {
		// The bracket of an indented frame has a line of its own, and gofmt deletes a last comma.
		return !closing || !f.indented && before.kind != token.COMMA
	}
	indent, statements := p.level, f.kind == block || f.kind == cases
	switch opening := before.kind == token.LPAREN || before.kind == token.LBRACE; {
	case before.kind == token.ADD:
		// Only a constant that continues on the next line.
		if p.keyword == token.RETURN || !statements && f.kind != none && (f.kind != composite || !f.keyed) || !p.several() {
			return false
		}
		indent++
	case opening && closing && !statements:
		return false
	case opening:
		if !p.several() {
			return false
		}
		f.indented = true
		p.level++
		indent = p.level
	case f.indented && before.kind == token.COMMA && f.kind == cases:
		// More values of a case, whose own line is not indented.
		if p.keyword != token.CASE || closing {
			return false
		}
	case f.indented && (statements || f.kind == fields || before.kind == token.COMMA):
	case f.kind == group && before.kind == token.COMMA && !closing:
		if !p.several() {
			return false
		}
		if !f.continued {
			f.continued = true
			p.level++
		}
		indent = p.level
	default:
		return false
	}
	if closing {
		if indent = p.level - 1; !statements && f.kind != fields && before.kind != token.COMMA {
			return false
		}
	}
	if before.kind == token.COMMA || f.kind == fields {
		p.endElement(f)
	}
	if t.kind == token.CASE || t.kind == token.DEFAULT {
		if f.kind != cases {
			return false
		}
		indent--
	}
	p.out = append(p.out, '\n')
	for range indent {
		p.out = append(p.out, '\t')
	}
	if !closing && before.kind != token.ADD {
		f.start = len(p.out)
	}
	return true
}

// several notes that the elements around this place have several lines. It returns false if one of
// them is on the line of its opening bracket with others.
func (p *Printer) several() bool {
	p.header = -1 << 20 // a function on several lines
	p.broken = true
	if p.keyword == token.RETURN && p.list {
		return false // gofmt may indent them once more
	}
	for i := range p.frames {
		f := &p.frames[i]
		inner := i < len(p.frames)-1
		if f.kind == inline || f.kind == field || inner && (f.kind == fields || f.kind == composite && !f.indented) {
			return false
		}
		if f.cell > 0 {
			f.cell = 0
			p.align(f)
		}
		f.start = 0
	}
	return true
}

// endElement ends the element on the present line.
func (p *Printer) endElement(f *frame) {
	if f.cell > 0 {
		f.section = append(f.section, cell{f.cell, utf8.RuneCount(p.out[f.start:f.cell])})
	} else {
		p.align(f)
	}
	f.start, f.cell, f.keyed = 0, 0, false
}

// align inserts spaces between the columns of a section.
func (p *Printer) align(f *frame) {
	section := f.section
	f.section = f.section[:0]
	if len(section) < 2 {
		return
	}
	widest := 0
	for _, c := range section {
		widest = max(widest, c.width)
	}
	missing := 0
	for _, c := range section {
		missing += widest - c.width
	}
	end := len(p.out)
	for range missing {
		p.out = append(p.out, ' ')
	}
	for i := len(section) - 1; i >= 0; i-- {
		c := section[i]
		copy(p.out[c.end+missing:], p.out[c.end:end])
		end = c.end
		n := widest - c.width
		missing -= n
		for j := range n {
			p.out[c.end+missing+j] = ' '
		}
	}
}

// close prints a closing bracket.
func (p *Printer) close(t item) bool {
	if len(p.frames) == 0 {
		return false
	}
	f := p.top()
	p.align(f)
	want := token.RPAREN
	switch f.kind {
	case block, cases, inline, composite, fields, field:
		want = token.RBRACE
	case index, prefix:
		want = token.RBRACK
	}
	if t.kind != want {
		return false
	}
	switch {
	case f.results && !f.keyed:
		return false // gofmt deletes the parentheses around one type
	case f.kind == inline && f.size+len(p.out) > maxInline, f.kind == field && (f.size == 0 || len(p.out)-f.size > maxType):
		return false
	case f.kind == inline || f.kind == field:
		p.out = append(p.out, ' ')
	}
	if f.indented || f.continued {
		p.level--
	}
	p.closed, p.unary = f.kind, false
	if len(p.frames)-1 < p.functions {
		p.function = false
	}
	p.frames = p.frames[:len(p.frames)-1]
	p.out = append(p.out, t.text...)
	if p.closed == block || p.closed == cases || p.closed == inline {
		p.statement = f.around
	}
	return true
}
