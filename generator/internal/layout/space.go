package layout

import "go/token"

// space reports whether a token has a space in front of it on its line. It returns false for a form
// that is not known.
func (p *Printer) space(i int, t, before item) (spaced, ok bool) {
	switch t.kind {
	case token.COMMA, token.PERIOD:
		return false, before.operand()
	case token.COLON:
		return false, p.top().kind == composite || len(p.frames) == p.base && (p.keyword == token.CASE || p.keyword == token.DEFAULT)
	case token.SEMICOLON:
		return false, p.open && p.keyword != token.FUNC && len(p.frames) == p.base && before.kind != token.FOR && before.kind != token.SEMICOLON
	case token.INC, token.DEC:
		return false, before.operand()
	}
	if t.lines > 0 && before.kind != token.ADD {
		return false, t.kind != token.ADD && t.kind != token.ELLIPSIS
	}
	if before.operand() {
		return p.afterOperand(i, t, before)
	}
	switch t.kind {
	case token.ARROW, token.CHAN, token.INTERFACE, token.SELECT, token.GO, token.GOTO, token.FALLTHROUGH, token.IMPORT, token.PACKAGE:
		return false, false
	}
	if p.unary {
		return false, t.kind == token.IDENT || t.kind == token.LPAREN || t.kind == token.INT || t.kind == token.MUL || t.kind == token.NOT || t.kind == token.LBRACK
	}
	switch before.kind {
	case token.PERIOD:
		return false, t.kind == token.IDENT || t.kind == token.LPAREN
	case token.LPAREN, token.LBRACK, token.ELLIPSIS:
		return false, true
	case token.LBRACE:
		k := p.top().kind
		return k == inline || k == field, true
	case token.FUNC:
		return t.kind == token.IDENT, t.kind == token.IDENT && i == 1 || t.kind == token.LPAREN && i > 1
	case token.MAP:
		return false, t.kind == token.LBRACK
	case token.STRUCT:
		return i+1 < len(p.items) && p.items[i+1].lines > 0, t.kind == token.LBRACE
	case token.IF, token.FOR, token.SWITCH, token.CASE:
		return true, t.kind != token.LPAREN
	case token.VAR:
		return true, t.kind == token.IDENT
	}
	return true, true
}

// afterOperand is space for a token behind the end of an expression or a type.
func (p *Printer) afterOperand(i int, t, before item) (spaced, ok bool) {
	result := before.kind == token.RPAREN && p.closed == params
	typed := before.kind == token.RBRACK && p.closed == prefix
	name := before.kind == token.IDENT
	switch t.kind {
	case token.IDENT, token.FUNC, token.MAP, token.STRUCT:
		return !typed, name || result || typed
	case token.STRING, token.INT:
		return false, false
	case token.ELSE:
		return true, before.kind == token.RBRACE && p.closed == block
	case token.LPAREN:
		return result, !typed && before.kind != token.STRING && before.kind != token.INT
	case token.LBRACK:
		if i+1 < len(p.items) && p.items[i+1].kind == token.RBRACK {
			return !typed, name || result || typed
		}
		k := p.top().kind
		return false, !result && !typed && k != fields && k != field && k != params
	case token.LBRACE:
		k := p.braces(i, before)
		return k == block || k == cases || k == inline, k != none
	case token.MUL:
		k := p.top().kind
		declares := k == params || k == fields || k == field || i == 2 || p.keyword == token.VAR && len(p.frames) == p.base && p.items[i-2].kind == token.VAR
		return !typed, typed || result || name && declares
	case token.ELLIPSIS:
		return p.top().kind == params, name || p.top().kind != params
	case token.ADD:
		return true, i+1 < len(p.items) && p.items[i+1].lines > 0
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ, token.LAND, token.LOR, token.ASSIGN, token.DEFINE:
		return true, true
	}
	return false, false
}

// braces returns the kind of the frame that an opening brace begins, or none.
func (p *Printer) braces(i int, before item) kind {
	last := i+1 >= len(p.items)
	switch {
	case last:
		return none
	case before.kind == token.STRUCT && p.items[i+1].kind == token.RBRACE:
		return composite
	case before.kind == token.STRUCT && p.items[i+1].lines > 0:
		return fields
	case before.kind == token.STRUCT:
		return field
	case before.kind == token.ELSE:
		return p.statements(i, block)
	case p.function && len(p.frames) == p.functions && p.keyword != token.FUNC:
		return p.statements(i, inline)
	case p.open && len(p.frames) == p.base && p.keyword == token.SWITCH:
		return p.statements(i, cases)
	case p.open && len(p.frames) == p.base && p.keyword == token.FUNC:
		return p.statements(i, inline)
	case p.open && len(p.frames) == p.base:
		return p.statements(i, block)
	case before.kind == token.IDENT, before.kind == token.COMMA, before.kind == token.COLON, before.kind == token.LBRACE, before.kind == token.RBRACE && p.closed == composite:
		return composite
	}
	return none
}

// statements returns the kind of a block: several lines, or in a function also one statement.
func (p *Printer) statements(i int, one kind) kind {
	switch next := p.items[i+1]; {
	case next.lines > 0 && one == cases:
		return cases
	case next.lines > 0:
		return block
	case one == inline && next.kind != token.RBRACE:
		return inline
	}
	return none
}

// after notes what a token that was printed begins. at is the place of its text.
func (p *Printer) after(i int, t item, at int) bool {
	before := p.items[i-1]
	operator := t.kind.IsOperator()
	p.unary = operator && (!before.operand() || t.kind == token.MUL)
	f := p.top()
	switch t.kind {
	case token.LPAREN:
		p.unary = false
		k := group
		if before.kind == token.FUNC || before.kind == token.RPAREN && p.closed == params || i == 2 && p.items[0].kind == token.FUNC {
			k = params
		} else if before.kind == token.LPAREN || f.kind != none && f.kind != block && f.kind != cases && f.kind != inline && f.kind != composite && f.kind != group ||
			i == 2 && p.items[0].kind != token.FUNC || p.items[i-2].kind == token.VAR {
			return false // gofmt deletes some parentheses, such as those around types
		}
		p.frames = append(p.frames, frame{kind: k, results: before.kind == token.RPAREN && p.closed == params})
	case token.LBRACK:
		p.unary = false
		k := index
		if before.kind == token.MAP || i+1 < len(p.items) && p.items[i+1].kind == token.RBRACK {
			k = prefix
		} else if !before.operand() {
			return false // an array
		}
		p.frames = append(p.frames, frame{kind: k})
	case token.LBRACE:
		p.unary = false
		return p.brace(i, before)
	case token.FUNC:
		if p.function && p.keyword != token.FUNC {
			return false // a function type in the signature of a literal
		}
		p.function, p.functions, p.header = true, len(p.frames), at
	case token.ASSIGN, token.DEFINE, token.COMMA, token.PERIOD, token.COLON, token.SEMICOLON, token.RETURN, token.IF, token.FOR, token.SWITCH, token.CASE, token.DEFAULT, token.VAR, token.ELSE, token.RANGE, token.STRUCT, token.MAP, token.ELLIPSIS, token.DEFER:
		p.unary = false
		return p.between(i, t, f, at)
	case token.IDENT:
		p.name(i)
		if f.kind != fields && f.kind != field || f.cell > 0 || i+1 < len(p.items) && p.items[i+1].kind == token.COMMA {
			return true
		}
		if i+1 >= len(p.items) || p.items[i+1].lines > 0 || p.items[i+1].kind == token.PERIOD || p.items[i+1].kind == token.RBRACE {
			return false // an embedded field
		}
		f.cell = len(p.out)
		f.size = f.cell + 1
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ, token.LAND, token.LOR:
		return !p.unary
	case token.MUL, token.AND, token.SUB, token.NOT, token.XOR:
		return p.unary
	case token.ADD:
		return !p.unary
	case token.INC, token.DEC:
		p.unary = false
	case token.STRING, token.INT:
		return f.kind != fields && f.kind != field // a tag
	case token.TYPE:
		return before.kind == token.LPAREN
	case token.BREAK, token.CONTINUE:
		return i+1 < len(p.items) && p.items[i+1].lines > 0
	default:
		return false
	}
	return true
}

// name notes a name.
func (p *Printer) name(i int) {
	if p.items[i-1].kind != token.PERIOD {
		p.names = append(p.names, Name{Name: p.items[i].text})
		return
	}
	if x := p.items[i-2]; x.kind == token.IDENT && p.items[i-3].kind != token.PERIOD {
		p.names = append(p.names, Name{x.text, p.items[i].text})
	}
}

// between notes a token between the parts of a statement or the elements of a list.
func (p *Printer) between(i int, t item, f *frame, at int) bool {
	same := i+1 < len(p.items) && p.items[i+1].lines == 0 // the next token is on the same line
	if t.kind != token.PERIOD && len(p.frames) <= p.functions && t.kind != token.MAP && t.kind != token.STRUCT {
		p.function = false
	}
	switch t.kind {
	case token.IF:
		p.open = p.open || p.items[i-1].kind == token.ELSE
	case token.COMMA:
		if len(p.frames) == p.base {
			if p.list = true; p.keyword == token.RETURN && p.broken {
				return false // see several
			}
		}
		f.keyed = f.keyed || f.results
		if f.kind == composite && f.indented && same {
			if f.cell > 0 {
				return false // members on one line with others
			}
			f.start = 0
		}
	case token.COLON:
		if f.kind != composite {
			return !same
		}
		if p.items[i-1].kind == token.IDENT && p.items[i-2].kind != token.PERIOD {
			p.names = p.names[:len(p.names)-1]
		}
		if f.indented {
			if f.start == 0 || at-f.start > maxKey || !same {
				return false
			}
			f.cell, f.keyed = len(p.out), true
		}
		return same
	}
	return true
}

// brace begins a frame in braces.
func (p *Printer) brace(i int, before item) bool {
	k := p.braces(i, before)
	f := frame{kind: k, around: p.statement}
	switch k {
	case none:
		return false
	case inline:
		// The text of the function without brace and spaces, when that of the line is added.
		f.size = -p.header - len(" {") - len(" ")
	}
	f.around.open, f.around.function = false, false
	f.around.broken = f.around.broken || k == block || k == cases
	p.frames = append(p.frames, f)
	return true
}
