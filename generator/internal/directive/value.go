package directive

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
)

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// checkValue returns the problem with the value of a key, or nil. Its offset counts in the value's
// source text.
func checkValue(k *Key, a Arg) *problem {
	wrong := func(hint, format string, args ...any) *problem {
		return &problem{0, k.Name + " " + fmt.Sprintf(format, args...), hint}
	}
	switch k.Kind {
	case KindFlag:
		if a.Value != "true" && a.Value != "false" {
			return wrong(fmt.Sprintf("write %s, or %s=false", k.Name, k.Name), "is a flag and takes true or false, got %q", a.Value)
		}
	case KindWord:
		for _, v := range k.Values {
			if v == a.Value {
				return nil
			}
		}
		return wrong(didYouMean(a.Value, k.Values), "must be %s, got %q", either(k.Values), a.Value)
	case KindName:
		if a.Value == "" {
			return wrong(exampleHint(k), "is empty")
		}
		if strings.ContainsFunc(a.Value, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
			return wrong(exampleHint(k), "must be one word, got %q", a.Value)
		}
	case KindDuration:
		d, err := time.ParseDuration(a.Value)
		switch {
		case err != nil && jsonNumber.MatchString(a.Value):
			return wrong(fmt.Sprintf("write %s=%ss for seconds", k.Name, a.Value), "must be a duration, got %q, which has no unit", a.Value)
		case err != nil:
			return wrong(exampleHint(k), "must be a duration such as 30s or 1h30m, got %q", a.Value)
		case d < 0:
			return wrong("", "must not be negative, got %q", a.Value)
		}
	case KindSize:
		if _, err := parseSize(a.Value); err != nil {
			return wrong(exampleHint(k), "must be a size in bytes: %s", strings.TrimPrefix(err.Error(), "size "))
		}
	case KindNumber:
		if !jsonNumber.MatchString(a.Value) {
			return wrong(exampleHint(k), "must be a number as JSON writes it, got %q", a.Value)
		}
	case KindInteger:
		if _, err := strconv.ParseUint(a.Value, 10, 31); err != nil {
			return wrong(exampleHint(k), "must be a whole number, 0 or more, got %q", a.Value)
		}
	case KindJSON:
		return checkJSON(k, a)
	case KindList:
		return checkItems(k, a, a.Items())
	case KindFlagOrNames:
		if a.Value != "true" && a.Value != "false" {
			return checkItems(k, a, a.Names())
		}
	case KindNames:
		return checkItems(k, a, a.Names())
	}
	return nil
}

// checkJSON checks unquoted arrays and objects, which can only be JSON. The meaning of other text
// depends on the type of the place, see [Arg.JSON].
func checkJSON(k *Key, a Arg) *problem {
	if a.Quoted || a.Value == "" || a.Value[0] != '[' && a.Value[0] != '{' {
		return nil
	}
	var v any
	err := json.Unmarshal([]byte(a.Value), &v)
	if err == nil {
		return nil
	}
	offset := 0
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = max(0, int(syntax.Offset)-1)
	}
	return &problem{offset, fmt.Sprintf("%s is not JSON: %v", k.Name, err), exampleHint(k)}
}

func checkItems(k *Key, a Arg, items []Item) *problem {
	if len(items) == 0 {
		return &problem{0, k.Name + " is empty", exampleHint(k)}
	}
	seen := map[string]bool{}
	for _, item := range items {
		at := item.Pos.Column - a.ValuePos.Column
		switch {
		case item.Value == "" && !item.Quoted:
			return &problem{at, k.Name + " has an empty item", "write items with commas and no spaces between them: a,b"}
		case seen[item.Value]:
			return &problem{at, fmt.Sprintf("%s has %q twice", k.Name, item.Value), ""}
		}
		seen[item.Value] = true
	}
	return nil
}

// JSON returns a value that takes JSON as JSON text. In a place that takes strings (text), a quoted
// value, and a bare word that is not JSON, are the string itself: default="x" and default=x are the
// string x, but default=20 is a number. In other places the value, quoted or not, must be JSON.
func (a Arg) JSON(text bool) (string, error) {
	if text && (a.Quoted || !json.Valid([]byte(a.Value))) {
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(a.Value); err != nil {
			return "", err
		}
		return strings.TrimSuffix(b.String(), "\n"), nil
	}
	if !json.Valid([]byte(a.Value)) {
		return "", fmt.Errorf("%q is not JSON", a.Value)
	}
	return strings.TrimSpace(a.Value), nil
}

func exampleHint(k *Key) string {
	if k.Example == "" {
		return ""
	}
	return fmt.Sprintf("write for example %s=%s", k.Name, k.Example)
}

func didYouMean(got string, candidates []string) string {
	if near := diag.Nearest(got, candidates); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}

// either joins words with commas and "or".
func either(words []string) string { return join(words, "or") }

func join(words []string, last string) string {
	switch n := len(words); n {
	case 0:
		return ""
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " " + last + " " + words[n-1]
	}
}
