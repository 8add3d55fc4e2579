package wire

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Rules of a [Violation]. They are named like the violated JSON Schema keyword; RuleUnknown is
// additionalProperties.
const (
	RuleType             = "type"
	RuleRequired         = "required"
	RuleUnknown          = "unknown"
	RuleEnum             = "enum"
	RuleMinimum          = "minimum"
	RuleMaximum          = "maximum"
	RuleExclusiveMinimum = "exclusiveMinimum"
	RuleExclusiveMaximum = "exclusiveMaximum"
	RuleMultipleOf       = "multipleOf"
	RuleMinLength        = "minLength"
	RuleMaxLength        = "maxLength"
	RulePattern          = "pattern"
	RuleFormat           = "format"
	RuleEncoding         = "contentEncoding"
	RuleMinItems         = "minItems"
	RuleMaxItems         = "maxItems"
	RuleUniqueItems      = "uniqueItems"
	RuleMinProperties    = "minProperties"
	RuleMaxProperties    = "maxProperties"
	RulePropertyNames    = "propertyNames"
	RuleConst            = "const"
	RuleAnyOf            = "anyOf"
	RuleOneOf            = "oneOf"
)

// Violation describes one way in which a value does not match its schema.
type Violation struct {
	// Path is the path of the value, such as `filters[2].field`; it quotes a name that is not
	// plain, as in `labels["a b"]`. It is empty for the whole value.
	Path string `json:"path"`
	// Rule is one of the Rule constants.
	Rule string `json:"rule"`
	// Message names the expected and the received value, and sometimes how to correct it.
	Message string `json:"message"`
}

// String returns the path and the message.
func (v Violation) String() string {
	if v.Path == "" {
		return v.Message
	}
	return v.Path + ": " + v.Message
}

// ArgumentsError is the error for a JSON value that does not match its schema. Its messages are
// meant for the model that sent the value.
type ArgumentsError struct {
	Problems []Violation // at least one, in the order in which they were found
	More     bool        // more problems exist; reading ended at the first of them
}

// Error returns the problems on one line.
func (e *ArgumentsError) Error() string {
	var b strings.Builder
	for i, p := range e.Problems {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(p.String())
	}
	if e.More {
		b.WriteString("; and more")
	}
	return b.String()
}

// Text returns a message for the model: a head that names the tool, and a line for each problem.
func (e *ArgumentsError) Text(tool string) string {
	var b strings.Builder
	if e.More {
		b.WriteString("more than ")
	}
	b.WriteString(count(len(e.Problems), "problem"))
	b.WriteString(" with the arguments of ")
	b.WriteString(tool)
	b.WriteByte(':')
	for _, p := range e.Problems {
		b.WriteString("\n- ")
		b.WriteString(p.String())
	}
	if e.More {
		b.WriteString("\n- and more")
	}
	return b.String()
}

// SyntaxError is the error for text that is not JSON as this package accepts it: RFC 8259 without
// duplicate names, invalid UTF-8, lone surrogates or excessive nesting.
type SyntaxError struct {
	Offset  int    // in bytes, from the start of the text that contains the error
	Path    string // of the value being read, as in Violation
	Message string
	// Duplicate is set if a member name occurs twice in one object, which RFC 8259 allows.
	Duplicate bool
}

// Error returns the message and the offset.
func (e *SyntaxError) Error() string {
	s := e.Message + " at offset " + strconv.Itoa(e.Offset)
	if e.Path != "" {
		s += " (in " + e.Path + ")"
	}
	return s
}

// count returns "1 thing", "2 things".
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if base, ok := strings.CutSuffix(thing, "y"); ok {
		thing = base + "ie"
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// Limits for values in messages, in characters and numbers of candidates.
const (
	shownError = 300 // in bytes
	shownText  = 60
	shownNames = 30
)

// shorten cuts a long s, and returns a note with its length.
func shorten(s string) (short, note string) {
	n := 0
	for i := range s {
		if n == shownText {
			return s[:i] + "…", " (" + strconv.Itoa(utf8.RuneCountInString(s)) + " characters)"
		}
		n++
	}
	return s, ""
}

// quote returns s as a JSON string, cut if it is long.
func quote(s string) string {
	short, note := shorten(s)
	return string(AppendString(nil, short)) + note
}

// described returns a description of a value, given as strict JSON.
func described(text []byte) string {
	switch text[0] {
	case '"':
		return "a string " + shown(text)
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 't', 'f':
		return "a boolean " + string(text)
	case 'n':
		return "null"
	}
	return "a number " + shown(text)
}

// shown formats a value, given as strict JSON, for a message.
func shown(text []byte) string {
	switch text[0] {
	case '"':
		return quote(unquoted(text))
	case '{', '[':
		return described(text)
	}
	short, note := shorten(string(text))
	return short + note
}

// unquoted returns the value of a JSON string.
func unquoted(text []byte) string {
	var d Decoder
	d.Reset(text, Options{})
	s, _ := d.readString()
	return string(s)
}
