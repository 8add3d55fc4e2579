package schema

import (
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// tagPair is one key:"value" of the tag of a field.
type tagPair struct {
	key, value string
	broken     bool // the value contains an escape that Go does not know, and package reflect returns no value
}

// tagPairs reads a tag like package reflect. rest is the part that reflect does not read: it stops
// at the first syntax error.
func tagPairs(tag string) (pairs []tagPair, rest string) {
	for {
		if tag = strings.TrimLeft(tag, " "); tag == "" {
			return pairs, ""
		}
		colon := strings.IndexFunc(tag, func(r rune) bool { return r <= ' ' || r == ':' || r == '"' || r == 0x7f })
		if colon < 1 || !strings.HasPrefix(tag[colon:], `:"`) {
			return pairs, tag
		}
		end := colon + 2
		for end < len(tag) && tag[end] != '"' {
			if tag[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(tag) {
			return pairs, tag
		}
		value, err := strconv.Unquote(tag[colon+1 : end+1])
		pairs = append(pairs, tagPair{tag[:colon], value, err != nil})
		tag = tag[end+1:]
	}
}

// readableTags refuses tags that package reflect reads only in part, since everything behind the
// error is lost: a constraint, or the json:"-" of a field. Tags in other modules are read as
// encoding/json reads them. seen contains the structs that were examined.
func (r *Resolver) readableTags(s site, u *types.Struct, seen map[*types.Struct]bool) bool {
	if seen[u] {
		return true
	}
	seen[u] = true
	ok := true
	for i := range u.NumFields() {
		v, tag := u.Field(i), u.Tag(i)
		if !v.Exported() && !v.Embedded() || r.isForeign(v.Pkg()) || reflect.StructTag(tag).Get("json") == "-" {
			continue
		}
		pairs, rest := tagPairs(tag)
		if rest != "" {
			r.errorf(r.atField(s, v), tagHint(rest), "the tag has %s, which package reflect cannot read, and nothing behind it", shortened(rest))
			ok = false
		}
		for i, p := range pairs {
			if slices.ContainsFunc(pairs[:i], func(before tagPair) bool { return before.key == p.key }) {
				r.errorf(r.atField(s, v), "join them into one", "the tag has the key %s twice, and package reflect reads the first alone", p.key)
				ok = false
			}
			if p.broken {
				r.errorf(r.atField(s, v), `write \\ for a backslash`, "package reflect cannot read the tag %s, whose value has an escape that Go does not have", p.key)
				ok = false
			}
		}
		name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		if inner, isStruct := pointedTo(v.Type()).Underlying().(*types.Struct); v.Embedded() && isStruct && !validName(name) {
			ok = r.readableTags(r.atField(s, v), inner, seen) && ok
		}
	}
	return ok
}

// tagHint returns a hint how to correct a tag. rest is the part that package reflect does not read.
func tagHint(rest string) string {
	key, value, isPair := strings.Cut(rest, ":")
	switch {
	case rest[0] == ',':
		return "put options inside of the quotes: `json:\"name,omitempty\"`"
	case rest[0] < ' ':
		return "separate the pairs by a space, on one line"
	case isPair && key != "" && !strings.ContainsAny(key, " \t\"") && strings.HasPrefix(strings.TrimLeft(value, " \t"), `"`):
		if value[0] != '"' {
			return "write the value directly behind the colon: `" + key + ":\"…\"`"
		}
		return "close the quotes of " + key + `, and write \" for quotes inside of them`
	}
	return "write pairs such as `json:\"name\" jsonschema:\"minLength=1\"`, separated by a space"
}

// shortened shortens a text for a message.
func shortened(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return text
}
