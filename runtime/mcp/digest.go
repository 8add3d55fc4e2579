package mcp

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"math"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// requestDigest identifies what a request asks for: its method, the name or URI
// of the feature, and the arguments, whatever the order of members, the spelling
// of numbers and strings, and the white space. It says nothing of the rest.
func (x *exchange) requestDigest() ([sha256.Size]byte, error) {
	p := &x.buffers.msg.Params
	arguments := p.Get("arguments")
	if arguments == nil {
		arguments = emptyObject
	}
	if err := wire.Valid(arguments, max(1, x.conn.server.limits.Depth-2)); err != nil {
		return [sha256.Size]byte{}, err
	}
	d := digester{h: sha256.New()}
	d.text('m', []byte(x.call.method))
	for _, name := range []string{"name", "uri"} {
		if value := p.Get(name); value != nil {
			d.text('p', []byte(name))
			d.value(value)
		}
	}
	d.value(arguments)
	var sum [sha256.Size]byte
	d.h.Sum(sum[:0])
	return sum, nil
}

// digester hashes JSON values by what they mean. Each part begins with its kind
// and its length, so that no two values hash the same text.
type digester struct {
	h hash.Hash
}

func (d *digester) text(kind byte, text []byte) {
	b := strconv.AppendInt([]byte{kind}, int64(len(text)), 10)
	d.h.Write(append(b, ':'))
	d.h.Write(text)
}

// value hashes a value that was found valid.
func (d *digester) value(v []byte) {
	v = bytes.TrimSpace(v)
	switch v[0] {
	case '{':
		d.object(v)
	case '[':
		n := 0
		jsonrpc.Elements(v, func([]byte) bool { n++; return true })
		d.text('a', strconv.AppendInt(nil, int64(n), 10))
		jsonrpc.Elements(v, func(element []byte) bool { d.value(element); return true })
	case '"':
		text, _ := jsonrpc.Bytes(v)
		d.text('s', text)
	case 't', 'f', 'n':
		d.text('l', v)
	default:
		d.text('n', canonicalNumber(v))
	}
}

func (d *digester) object(v []byte) {
	type member struct{ name, value []byte }
	var members []member
	jsonrpc.Members(v, func(name, value []byte) bool {
		members = append(members, member{name, value})
		return true
	})
	slices.SortFunc(members, func(a, b member) int { return bytes.Compare(a.name, b.name) })
	d.text('o', strconv.AppendInt(nil, int64(len(members)), 10))
	for _, m := range members {
		d.text('k', m.name)
		d.value(m.value)
	}
}

// canonicalNumber returns one spelling for each number: significant digits, e,
// and the power of ten; 0 for zero. An exponent that nothing can hold stays as it
// is.
func canonicalNumber(text []byte) []byte {
	mantissa, exponent := text, 0
	if i := bytes.IndexAny(text, "eE"); i >= 0 {
		n, err := strconv.Atoi(string(bytes.TrimPrefix(text[i+1:], []byte("+"))))
		if err != nil || n > math.MaxInt32 || n < math.MinInt32 {
			return text
		}
		mantissa, exponent = text[:i], n
	}
	negative := mantissa[0] == '-'
	mantissa = bytes.TrimPrefix(mantissa, []byte("-"))
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	digits := append(append(make([]byte, 0, len(text)+12), whole...), fraction...)
	exponent -= len(fraction)
	digits = bytes.TrimLeft(digits, "0")
	for len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
		exponent++
	}
	if len(digits) == 0 {
		return []byte("0")
	}
	var b []byte
	if negative {
		b = append(b, '-')
	}
	b = append(append(b, digits...), 'e')
	return strconv.AppendInt(b, int64(exponent), 10)
}
