package limit

import (
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/bench/catalog"
)

func appendHits(b []byte, h *catalog.Hits) []byte {
	b = append(b, `{"total":`...)
	b = strconv.AppendInt(b, int64(h.Total), 10)
	b = append(b, `,"books":[`...)
	for i := range h.Books {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendBook(b, &h.Books[i])
	}
	b = append(b, `],"took":`...)
	return append(appendFloat(b, h.Took), '}')
}

func appendBook(b []byte, v *catalog.Book) []byte {
	b = append(b, `{"id":`...)
	b = strconv.AppendInt(b, v.ID, 10)
	b = append(b, `,"title":`...)
	b = appendString(b, v.Title)
	b = append(b, `,"authors":[`...)
	for i, s := range v.Authors {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, s)
	}
	b = append(b, `],"year":`...)
	b = strconv.AppendInt(b, int64(v.Year), 10)
	b = append(b, `,"price":`...)
	b = appendFloat(b, v.Price)
	b = append(b, `,"inPrint":`...)
	b = strconv.AppendBool(b, v.InPrint)
	if len(v.Tags) > 0 {
		b = append(b, `,"tags":{`...)
		var few [8]string
		names := few[:0]
		for name := range v.Tags {
			names = append(names, name)
		}
		slices.Sort(names)
		for i, name := range names {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, name), ':')
			b = appendString(b, v.Tags[name])
		}
		b = append(b, '}')
	}
	return append(b, '}')
}

func appendRecords(b []byte, v *catalog.Records) []byte {
	b = append(b, `{"items":[`...)
	for i := range v.Items {
		if i > 0 {
			b = append(b, ',')
		}
		v := &v.Items[i]
		b = append(b, `{"id":`...)
		b = strconv.AppendInt(b, v.ID, 10)
		b = append(b, `,"account":`...)
		b = appendString(b, v.Account)
		b = append(b, `,"amount":`...)
		b = appendFloat(b, v.Amount)
		b = append(b, `,"posted":`...)
		b = strconv.AppendBool(b, v.Posted)
		b = append(b, `,"note":`...)
		b = appendString(b, v.Note)
		b = append(b, '}')
	}
	return append(b, "]}"...)
}

// appendFloat appends a finite number like encoding/json.
func appendFloat(b []byte, f float64) []byte {
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(b, f, format, -1, 64)
}

// appendString appends a string; invalid UTF-8 becomes U+FFFD.
func appendString[T string | []byte](b []byte, s T) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; ; {
		for ; i+8 <= len(s); i += 8 {
			c := s[i : i+8]
			x := uint64(c[0]) | uint64(c[1])<<8 | uint64(c[2])<<16 | uint64(c[3])<<24 |
				uint64(c[4])<<32 | uint64(c[5])<<40 | uint64(c[6])<<48 | uint64(c[7])<<56
			if special(x) != 0 {
				break
			}
		}
		for i < len(s) && s[i] >= ' ' && s[i] != '"' && s[i] != '\\' && s[i] < utf8.RuneSelf {
			i++
		}
		if i == len(s) {
			break
		}
		c := s[i]
		if c >= utf8.RuneSelf {
			ch, size := utf8.DecodeRuneInString(string(s[i:min(i+4, len(s))]))
			switch {
			case ch == utf8.RuneError && size == 1:
				b = append(append(b, s[from:i]...), `\ufffd`...)
				from = i + 1
			case ch == '\u2028' || ch == '\u2029':
				b = append(append(b, s[from:i]...), `\u202`...)
				b = append(b, "89"[ch&1])
				from = i + size
			}
			i += size
			continue
		}
		b = append(b, s[from:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			const digits = "0123456789abcdef"
			b = append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
		i++
		from = i
	}
	return append(append(b, s[from:]...), '"')
}
