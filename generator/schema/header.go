package schema

import (
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/generator/model"
)

// applyHeader sets the header that repeats an argument: a token (RFC 9110,
// section 5.6.2) on a string, integer or boolean.
func applyHeader(f *model.Field, name string) error {
	if !isToken(name) {
		return fmt.Errorf("header %q is not a header name", name)
	}
	switch t := base(f.Type); t.Kind {
	case model.String, model.Int, model.Uint, model.Bool, model.Text, model.Time, model.Duration, model.Bytes:
	default:
		return fmt.Errorf("header cannot be used on %s: only strings, integers and booleans can travel in one", kindName(t))
	}
	f.Rules.Header = name
	return nil
}

func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}
