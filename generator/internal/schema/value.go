package schema

import (
	"cmp"
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

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// unfit returns the reason why a JSON text is not a value of a plan with rules, or "" if it is one.
func unfit(t *model.Type, rules *model.Rules, text string) string {
	v, err := jsontext.Decode(text)
	if err != nil {
		return text + " is not JSON"
	}
	return mismatch(t, rules, v)
}

// mismatch is like unfit, for a decoded value.
func mismatch(t *model.Type, rules *model.Rules, v any) string {
	if rules == nil {
		rules = &model.Rules{}
	}
	if v == nil && t.IsOptional() {
		return "" // for an element; the caller checks fields
	}
	t = base(t)
	switch t.Kind {
	case model.Any:
		return violated(t, rules, v)
	case model.JSON:
		return refusedByMethod(t, v)
	case model.RawJSON, model.Reflect, model.Error, model.Interface:
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
		if n, ok := v.(json.Number); ok && t.UnixUnit() > 0 {
			return numberMismatch(&model.Type{Kind: model.Int, Bits: 64}, rules, string(n))
		}
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

func wrongType(t *model.Type, v any) string { return jsontext.Show(v) + " is not " + article(t) }

// intRange returns the range of an integer kind.
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
	n, ok := jsontext.Number(text)
	if !ok {
		return text + " is out of range"
	}
	if jsonType(t) == "integer" && !n.IsInt() {
		return text + " is not an integer"
	}
	switch t.Kind {
	case model.Int, model.Uint:
		if low, high := intRange(t); n.Cmp(low) < 0 || n.Cmp(high) > 0 {
			return text + " is out of the range of the Go type"
		}
	case model.Float:
		if _, err := strconv.ParseFloat(text, t.Bits); err != nil {
			return text + " is out of the range of the Go type"
		}
	}
	if problem := violated(t, rules, json.Number(text)); problem != "" {
		return problem
	}
	return enumMismatch(t, rules, text)
}

// enumMismatch looks a scalar up among the allowed values.
func enumMismatch(t *model.Type, rules *model.Rules, text string) string {
	allowed := rules.Enum
	if len(allowed) == 0 {
		allowed = enumTexts(t.Enum.Closed())
	}
	if len(allowed) == 0 || slices.ContainsFunc(allowed, func(a string) bool { return jsontext.Equal(a, text) }) {
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

func stringMismatch(t *model.Type, rules *model.Rules, s string) string {
	text := jsontext.Quote(s)
	switch t.Kind {
	case model.Time:
		if t.Layout != "" {
			if _, err := time.Parse(t.Layout, s); err != nil {
				return text + " is not a time such as " + t.Layout
			}
			return ""
		}
		if !keyword.IsFormat("date-time", s) {
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
		if problem := refusedByMethod(t, s); problem != "" || t.Schema != "" {
			return problem
		}
		if !keyword.IsFormat(t.Format, s) {
			return text + " is not of the format " + t.Format
		}
	}
	if problem := violated(t, rules, s); problem != "" {
		return problem
	}
	return enumMismatch(t, rules, text)
}

// violated returns the constraint that a decoded value violates, or "".
func violated(t *model.Type, rules *model.Rules, v any) string {
	for _, k := range keyword.Rules() {
		limit := cmp.Or(k.Limit(rules), t.Limits[k.Name])
		if _, err := k.Func(t); limit == "" || err != nil {
			continue
		}
		if problem := k.Wrong(v, limit); problem != "" {
			return problem
		}
	}
	return ""
}

func listMismatch(t *model.Type, rules *model.Rules, list []any) string {
	if t.Kind == model.Array && int64(len(list)) != t.Len {
		return fmt.Sprintf("%s does not have exactly %d items", jsontext.Show(list), t.Len)
	}
	if problem := violated(t, rules, list); problem != "" {
		return problem
	}
	for _, e := range list {
		if problem := mismatch(t.Elem, rules.Elem, e); problem != "" {
			return problem
		}
	}
	return ""
}

func mapMismatch(t *model.Type, rules *model.Rules, object map[string]any) string {
	if problem := violated(t, rules, object); problem != "" {
		return problem
	}
	for _, key := range sortedKeys(object) {
		if t.Key.Kind == model.Int || t.Key.Kind == model.Uint {
			if !regexp.MustCompile(keyPattern(t.Key)).MatchString(key) {
				return jsontext.Quote(key) + " is not an integer key"
			}
			if problem := numberMismatch(t.Key, &model.Rules{}, key); problem != "" {
				return problem
			}
		}
		if t.Key.Kind == model.Text {
			if problem := refusedByMethod(t.Key, key); problem != "" {
				return problem
			}
		}
		if problem := mismatch(t.Elem, rules.Elem, object[key]); problem != "" {
			return problem
		}
	}
	return ""
}

// unionMismatch checks the variant that the discriminator names.
func unionMismatch(t *model.Type, v any) string {
	object, ok := v.(map[string]any)
	if !ok {
		return jsontext.Show(v) + " is not an object"
	}
	for _, variant := range t.Union.Variants {
		if object[t.Union.Discriminator] == variant.Name {
			return structMismatch(variant.Type, object, t.Union.Discriminator)
		}
	}
	return jsontext.Show(object) + " does not have its kind in the member " + t.Union.Discriminator
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
			return jsontext.Show(object) + " lacks the member " + f.Name
		case !ok || v == nil && (f.Nullable || !f.Required):
			continue
		}
		if problem := fieldMismatch(f, v); problem != "" {
			return problem
		}
	}
	for _, name := range sortedKeys(object) {
		if !known[name] {
			return jsontext.Show(object) + " has the unknown member " + name
		}
	}
	return ""
}

// fieldMismatch is like mismatch, for the value of a field, which is in a string with the option
// ",string".
func fieldMismatch(f *model.Field, v any) string {
	if !f.Quoted {
		return mismatch(f.Type, &f.Rules, v)
	}
	s, ok := v.(string)
	if !ok {
		return jsontext.Show(v) + " is not a string"
	}
	inner, err := jsontext.Decode(s)
	if err != nil {
		return jsontext.Show(v) + " does not hold JSON"
	}
	return mismatch(f.Type, &f.Rules, inner)
}

// maxFloat returns the largest value of a float of 32 or 64 bits.
func maxFloat(bits int) *big.Rat {
	if bits == 32 {
		return new(big.Rat).SetFloat64(math.MaxFloat32)
	}
	return new(big.Rat).SetFloat64(math.MaxFloat64)
}
