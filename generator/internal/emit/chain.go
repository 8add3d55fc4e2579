package emit

import (
	"go/types"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/codec"
)

// chains are the statements of an encoder. Calls of the encoder's methods that follow one another
// form a chain, as long as it fits on a line.
type chains struct {
	*generator
	done  []jen.Code
	chain code // the chain at the end, or nil
	width int
}

// link is the call of a method, and the width of its source.
type link struct {
	call  code
	width int
}

// newLink returns the call of a method whose arguments have so many characters.
func newLink(method string, argsWidth int, args ...jen.Code) *link {
	return &link{jen.Dot(method).Call(args...), len(".()") + len(method) + argsWidth}
}

// link appends a call.
func (l *chains) link(next *link) {
	const indent = 4
	if l.chain != nil && l.width+next.width <= lineWidth-indent {
		l.chain.Add(next.call)
		l.width += next.width
		return
	}
	l.add()
	e := l.locals.of("e")
	l.chain, l.width = jen.Id(e).Add(next.call), len(e)+next.width
}

// add appends statements.
func (l *chains) add(lines ...jen.Code) {
	if l.chain != nil {
		l.done, l.chain = append(l.done, l.chain), nil
	}
	l.done = append(l.done, lines...)
}

func (l *chains) lines() []jen.Code {
	l.add()
	return l.done
}

// linked maps functions of runtime/wire that write a value to the tests under which a method of the
// encoder writes a member of a plain type or omits it.
var linked = map[string]codec.Test{
	"PutBool": codec.TestTrue, "PutString": codec.TestNotBlank, "PutInt": codec.TestNotZero, "PutFloat": codec.TestNotZero,
	"PutTime": codec.TestNever,
}

// linkMember returns the call of a method of the encoder that writes a member, a field of an object
// whose expression has objectWidth characters. It returns nil if no method does.
func linkMember(m *codec.PutMember, v operand, objectWidth int) *link {
	w := m.Write
	test, ok := linked[w.Func.Name]
	if !ok || w.Func.Local || w.Deref || w.Flagged != "" {
		return nil
	}
	var method string
	value, n := v.value(), objectWidth
	for _, s := range m.Path {
		n += len(".") + len(s.Name)
	}
	switch basic, _ := types.Unalias(w.Go).(*types.Basic); {
	case test == codec.TestNever:
		method, value = "Time", v.addr()
		n += len("&")
	case test == codec.TestTrue:
		method = "Bool"
		if basic == nil {
			value = jen.Bool().Call(value)
			n += len("bool()")
		}
	case test == codec.TestNotBlank:
		method = "String"
		if basic == nil {
			value = jen.String().Call(value)
			n += len("string()")
		}
	case basic != nil && basic.Kind() == types.Int:
		method = "Int"
	case basic != nil && basic.Kind() == types.Int64:
		method = "Int64"
	case basic != nil && basic.Kind() == types.Float64:
		method = "Float64"
	default: // a conversion would need a name that a package may declare, such as int64
		return nil
	}
	switch {
	case len(m.When) == 0:
	case test != codec.TestNever && len(m.When) == 1 && len(m.When[0]) == 1 && len(m.When[0][0].Path) == 0 && m.When[0][0].Test == test:
		method += "If"
	default:
		return nil
	}
	name := escaped(m.Name)
	return newLink(method, len(strconv.Quote(name))+len(", ")+n, jen.Lit(name), value)
}
