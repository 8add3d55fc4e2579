package schema

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/internal/pattern"
)

// decode reads one JSON text with its numbers as they are written.
func decode(text string) (any, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if dec.More() {
		return nil, fmt.Errorf("more than one value")
	}
	return v, nil
}

func isJSON(text string) bool { return json.Valid([]byte(text)) && utf8.ValidString(text) }

// compact takes the white space out of a JSON text, and the escapes of < and the
// like stay as they are.
func compact(text string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil {
		return text
	}
	return b.String()
}

// jsonArray returns the elements of a JSON array, each as compact JSON text.
func jsonArray(text string) ([]string, bool) {
	var raw []json.RawMessage
	if !strings.HasPrefix(strings.TrimSpace(text), "[") || json.Unmarshal([]byte(text), &raw) != nil {
		return nil, false
	}
	out := make([]string, len(raw))
	for i, e := range raw {
		out[i] = compact(string(e))
	}
	return out, true
}

// number reads a decimal number as JSON writes it. Exponents beyond those of
// float64 are refused, since exact arithmetic on them does not end.
func number(text string) (*big.Rat, bool) {
	if text == "" || text[0] != '-' && (text[0] < '0' || text[0] > '9') || !isJSON(text) {
		return nil, false
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		if e, err := strconv.Atoi(text[i+1:]); err != nil || e < -400 || e > 400 {
			return nil, false
		}
	}
	return new(big.Rat).SetString(text)
}

// unfit says why a JSON text is no value of a plan under rules, "" if it is one.
func unfit(t *model.Type, rules *model.Rules, text string) string {
	v, err := decode(text)
	if err != nil {
		return text + " is not JSON"
	}
	return mismatch(t, rules, v)
}

// mismatch is unfit for a decoded value.
func mismatch(t *model.Type, rules *model.Rules, v any) string {
	if rules == nil {
		rules = &model.Rules{}
	}
	if v == nil && t.IsOptional() {
		return "" // of an element; a field has been asked before
	}
	t = base(t)
	switch t.Kind {
	case model.Any, model.RawJSON, model.JSON, model.Reflect, model.Error, model.Interface:
		return ""
	case model.Union:
		return unionMismatch(t, v)
	case model.Bool:
		if _, ok := v.(bool); !ok {
			return wrongType(t, v)
		}
		return ""
	case model.Int, model.Uint, model.Float, model.Number:
		n, ok := v.(json.Number)
		if !ok {
			return wrongType(t, v)
		}
		return numberMismatch(t, rules, string(n))
	case model.String, model.Bytes, model.Time, model.Duration, model.Text:
		s, ok := v.(string)
		if !ok {
			return wrongType(t, v)
		}
		return stringMismatch(t, rules, s)
	case model.Slice, model.Array:
		list, ok := v.([]any)
		if !ok {
			return wrongType(t, v)
		}
		return listMismatch(t, rules, list)
	}
	object, ok := v.(map[string]any)
	if !ok {
		return wrongType(t, v)
	}
	if t.Kind == model.Map {
		return mapMismatch(t, rules, object)
	}
	return structMismatch(t, object)
}

func wrongType(t *model.Type, v any) string { return show(v) + " is not " + article(t) }

// show is a value as JSON text, for messages.
func show(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return "the value"
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// intRange is the range of an integer kind.
func intRange(t *model.Type) (low, high *big.Rat) {
	one := big.NewInt(1)
	if t.Kind == model.Uint {
		top := new(big.Int).Lsh(one, uint(t.Bits))
		return new(big.Rat), new(big.Rat).SetInt(top.Sub(top, one))
	}
	half := new(big.Int).Lsh(one, uint(t.Bits-1))
	return new(big.Rat).SetInt(new(big.Int).Neg(half)), new(big.Rat).SetInt(new(big.Int).Sub(half, one))
}

func numberMismatch(t *model.Type, rules *model.Rules, text string) string {
	n, ok := number(text)
	if !ok {
		return text + " is out of range"
	}
	switch t.Kind {
	case model.Int, model.Uint:
		if !n.IsInt() {
			return text + " is not an integer"
		}
		if low, high := intRange(t); n.Cmp(low) < 0 || n.Cmp(high) > 0 {
			return text + " is out of the range of the Go type"
		}
	case model.Float:
		if _, err := strconv.ParseFloat(text, t.Bits); err != nil {
			return text + " is out of the range of the Go type"
		}
	}
	bound := func(limit string, bad func(int) bool) bool {
		l, ok := number(limit)
		return ok && bad(n.Cmp(l))
	}
	switch {
	case bound(rules.Minimum, func(c int) bool { return c < 0 }):
		return text + " is less than the minimum " + rules.Minimum
	case bound(rules.Maximum, func(c int) bool { return c > 0 }):
		return text + " is more than the maximum " + rules.Maximum
	case bound(rules.ExclusiveMinimum, func(c int) bool { return c <= 0 }):
		return text + " is not more than " + rules.ExclusiveMinimum
	case bound(rules.ExclusiveMaximum, func(c int) bool { return c >= 0 }):
		return text + " is not less than " + rules.ExclusiveMaximum
	}
	if of, ok := number(rules.MultipleOf); ok && of.Sign() > 0 && !new(big.Rat).Quo(n, of).IsInt() {
		return text + " is not a multiple of " + rules.MultipleOf
	}
	return enumMismatch(t, rules, text)
}

// enumMismatch looks a scalar up among the values that are allowed.
func enumMismatch(t *model.Type, rules *model.Rules, text string) string {
	allowed := rules.Enum
	if len(allowed) == 0 {
		allowed = enumTexts(t.Enum.Closed())
	}
	if len(allowed) == 0 || slices.ContainsFunc(allowed, func(a string) bool { return equalScalar(a, text) }) {
		return ""
	}
	if near := diag.Nearest(strings.Trim(text, `"`), unquoted(allowed)); near != "" {
		return text + " is not one of the allowed values; did you mean " + near + "?"
	}
	return text + " is not one of the allowed values " + strings.Join(allowed, ", ")
}

func enumTexts(values []model.EnumValue) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = v.JSON
	}
	return out
}

func unquoted(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = strings.Trim(t, `"`)
	}
	return out
}

// equalScalar compares two JSON texts of scalars as JSON Schema does: 1 and 1.0
// are equal.
func equalScalar(a, b string) bool {
	x, ok1 := number(a)
	y, ok2 := number(b)
	if ok1 && ok2 {
		return x.Cmp(y) == 0
	}
	u, err1 := decode(a)
	v, err2 := decode(b)
	return err1 == nil && err2 == nil && show(u) == show(v)
}

func stringMismatch(t *model.Type, rules *model.Rules, s string) string {
	text := quote(s)
	switch t.Kind {
	case model.Time:
		if !formats["date-time"](s) {
			return text + " is not a date and time such as 2006-01-02T15:04:05Z"
		}
	case model.Duration:
		if _, err := time.ParseDuration(s); err != nil {
			return text + ` is not a duration such as "1h30m"`
		}
	case model.Bytes:
		if _, err := base64.StdEncoding.Strict().DecodeString(s); err != nil || strings.ContainsAny(s, "\r\n") {
			return text + " is not base64"
		}
	case model.Text:
		if t.Schema != "" {
			return ""
		}
		if t.Format != "" && !formats[t.Format](s) {
			return text + " is not of the format " + t.Format
		}
	}
	n := utf8.RuneCountInString(s)
	if rules.MinLength != nil && n < *rules.MinLength {
		return fmt.Sprintf("%s is shorter than minLength %d", text, *rules.MinLength)
	}
	if rules.MaxLength != nil && n > *rules.MaxLength {
		return fmt.Sprintf("%s is longer than maxLength %d", text, *rules.MaxLength)
	}
	if rules.Pattern != "" {
		if m, err := pattern.Compile(rules.Pattern); err == nil && !m.Match(s) {
			return text + " does not match the pattern " + rules.Pattern
		}
	}
	if check := formats[rules.Format]; check != nil && !check(s) {
		return text + " is not of the format " + rules.Format
	}
	return enumMismatch(t, rules, text)
}

func listMismatch(t *model.Type, rules *model.Rules, list []any) string {
	switch {
	case t.Kind == model.Array && int64(len(list)) != t.Len:
		return fmt.Sprintf("%s does not have exactly %d items", show(list), t.Len)
	case rules.MinItems != nil && len(list) < *rules.MinItems:
		return fmt.Sprintf("%s has fewer items than minItems %d", show(list), *rules.MinItems)
	case rules.MaxItems != nil && len(list) > *rules.MaxItems:
		return fmt.Sprintf("%s has more items than maxItems %d", show(list), *rules.MaxItems)
	}
	for i, e := range list {
		if problem := mismatch(t.Elem, rules.Elem, e); problem != "" {
			return problem
		}
		if rules.UniqueItems && slices.ContainsFunc(list[:i], func(other any) bool { return equalScalar(show(other), show(e)) }) {
			return show(e) + " stands in it twice, against uniqueItems"
		}
	}
	return ""
}

func mapMismatch(t *model.Type, rules *model.Rules, object map[string]any) string {
	switch {
	case rules.MinProperties != nil && len(object) < *rules.MinProperties:
		return fmt.Sprintf("%s has fewer entries than minProperties %d", show(object), *rules.MinProperties)
	case rules.MaxProperties != nil && len(object) > *rules.MaxProperties:
		return fmt.Sprintf("%s has more entries than maxProperties %d", show(object), *rules.MaxProperties)
	}
	for _, key := range sortedKeys(object) {
		if t.Key.Kind == model.Int || t.Key.Kind == model.Uint {
			if !regexp.MustCompile(keyPattern(t.Key)).MatchString(key) {
				return quote(key) + " is not an integer key"
			}
			if problem := numberMismatch(t.Key, &model.Rules{}, key); problem != "" {
				return problem
			}
		}
		if problem := mismatch(t.Elem, rules.Elem, object[key]); problem != "" {
			return problem
		}
	}
	return ""
}

// unionMismatch looks at the variant that the discriminator names.
func unionMismatch(t *model.Type, v any) string {
	object, ok := v.(map[string]any)
	if !ok {
		return show(v) + " is not an object"
	}
	for _, variant := range t.Union.Variants {
		if object[t.Union.Discriminator] == variant.Name {
			return structMismatch(variant.Type, object, t.Union.Discriminator)
		}
	}
	return show(object) + " does not say which kind of object it is by its member " + t.Union.Discriminator
}

func structMismatch(t *model.Type, object map[string]any, others ...string) string {
	known := map[string]bool{}
	for _, name := range others {
		known[name] = true
	}
	for _, f := range t.Fields {
		known[f.Name] = true
		v, ok := object[f.Name]
		switch {
		case !ok && f.Required:
			return show(object) + " lacks the member " + f.Name
		case !ok || v == nil && (f.Nullable || !f.Required):
			continue
		}
		if problem := fieldMismatch(f, v); problem != "" {
			return problem
		}
	}
	for _, name := range sortedKeys(object) {
		if !known[name] {
			return show(object) + " has the unknown member " + name
		}
	}
	return ""
}

// fieldMismatch is mismatch for the value of a field, which the option ",string"
// puts into a string.
func fieldMismatch(f *model.Field, v any) string {
	if !f.Quoted {
		return mismatch(f.Type, &f.Rules, v)
	}
	s, ok := v.(string)
	if !ok {
		return show(v) + " is not a string"
	}
	inner, err := decode(s)
	if err != nil {
		return show(v) + " does not hold JSON"
	}
	return mismatch(f.Type, &f.Rules, inner)
}

// maxFloat is the largest value of a float of 32 or 64 bits.
func maxFloat(bits int) *big.Rat {
	if bits == 32 {
		return new(big.Rat).SetFloat64(math.MaxFloat32)
	}
	return new(big.Rat).SetFloat64(math.MaxFloat64)
}
