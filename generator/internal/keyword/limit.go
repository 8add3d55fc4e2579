package keyword

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// Parse returns the limit that a text sets for values of a type, or "" if all values are within it.
// The hint of an error contains the text to write instead.
func (k *Keyword) Parse(t *model.Type, text string) (limit, hint string, err error) {
	if _, err := k.Func(t); err != nil {
		switch {
		case k.Name == AnySchema:
			hint = "the schema of other types is made from the Go type"
		case t.Kind == model.Any:
			hint = `describe the value, such as by schema={"type":"string","minLength":1} of //mcp:arg`
		default:
			hint = "leave it out, or check it in the function"
		}
		return "", hint, err
	}
	switch k.Value {
	case JSON:
		if limit, err = ParseSchema(text); err != nil {
			if e := (*SchemaError)(nil); errors.As(err, &e) {
				hint = e.Hint()
			}
			return "", hint, err
		}
		return limit, "", nil
	case Number:
		if _, ok := jsontext.Number(text); !ok {
			return "", "write a number as JSON has it, such as 5 or 0.25", fmt.Errorf("%s %q is not a number", k.Name, text)
		}
	case Count:
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return "", "write a count, such as 5", fmt.Errorf("%s %q is not a count", k.Name, text)
		}
		return strconv.Itoa(n), "", nil
	case Pattern:
		if err := CheckPattern(text); err != nil {
			return "", PatternHint(err), err
		}
	case Format:
		if t.Kind == model.Time {
			if text != "date-time" {
				return "", "leave it out, or use a string", fmt.Errorf("format %s cannot be used on time.Time, which is a date-time", text)
			}
			return "", "", nil
		}
		if FormatFunc(text) == "" {
			return "", FormatHint(text), fmt.Errorf("unknown format %q", text)
		}
	case Flag:
		return "true", "", nil
	}
	return text, "", nil
}
