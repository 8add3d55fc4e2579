// Package jsonhash hashes JSON values by their meaning: the order of members, white space, and the
// spelling of numbers and strings make no difference. Package mcp binds a request state to the
// arguments of its request by such a hash.
package jsonhash

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"math"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Hash is the hash of a sequence of values and texts. Each part begins with its kind and its
// length, so no two sequences hash the same bytes.
type Hash struct {
	h hash.Hash
}

// New returns an empty hash.
func New() *Hash { return &Hash{sha256.New()} }

// Sum returns the hash of all parts so far.
func (d *Hash) Sum() (sum [sha256.Size]byte) {
	d.h.Sum(sum[:0])
	return sum
}

// Text adds a text. Kinds of the caller must differ from the kinds of values: a, k, l, n, o, s.
func (d *Hash) Text(kind byte, text []byte) {
	b := strconv.AppendInt([]byte{kind}, int64(len(text)), 10)
	d.h.Write(append(b, ':'))
	d.h.Write(text)
}

// Value adds a JSON value, which must be valid.
func (d *Hash) Value(v []byte) {
	v = bytes.TrimSpace(v)
	switch v[0] {
	case '{':
		d.object(v)
	case '[':
		n := 0
		jsonrpc.Elements(v, func([]byte) bool { n++; return true })
		d.Text('a', strconv.AppendInt(nil, int64(n), 10))
		jsonrpc.Elements(v, func(element []byte) bool { d.Value(element); return true })
	case '"':
		text, _ := jsonrpc.Bytes(v)
		d.Text('s', text)
	case 't', 'f', 'n':
		d.Text('l', v)
	default:
		d.Text('n', canonicalNumber(v))
	}
}

func (d *Hash) object(v []byte) {
	type member struct{ name, value []byte }
	var members []member
	jsonrpc.Members(v, func(name, value []byte) bool {
		members = append(members, member{name, value})
		return true
	})
	slices.SortFunc(members, func(a, b member) int { return bytes.Compare(a.name, b.name) })
	d.Text('o', strconv.AppendInt(nil, int64(len(members)), 10))
	for _, m := range members {
		d.Text('k', m.name)
		d.Value(m.value)
	}
}

// canonicalNumber returns one spelling for each number: significant digits, e, and the power of
// ten; 0 for zero. An exponent that does not fit into 32 bits is left as it is.
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
