package analyze

import (
	"go/types"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// textArguments refuses arguments that cannot be parsed from text, since prompts and templates
// receive only text. lists are the arguments that may occur several times.
func (a *analyzer) textArguments(call *model.Call, lists map[string]bool, what string, at diag.Place) bool {
	ok := true
	for _, f := range call.Input.Object.Fields {
		at := at.At(f.Pos).In("argument " + f.Name)
		t := f.Type
		if lists[f.Name] {
			if t.Kind != model.Slice {
				a.diags.Errorf(at.Pos, at.Subject, "{/%s*} is a list of path segments, and type %s is not a list", f.Name, a.goType(t)).
					Hint = "use []string, or {+" + f.Name + "} for a string with slashes"
				ok = false
				continue
			}
			t = t.Elem
		}
		if fromText(t) && !f.Quoted {
			continue
		}
		d := a.diags.Errorf(at.Pos, at.Subject, "%s is text, from which no %s can be made", what, a.goType(t))
		switch t.Kind {
		case model.Slice, model.Array:
			d.Hint = "take a string and split it"
		default:
			d.Hint = "use a string, number, boolean, enumeration, time, or a type with UnmarshalText"
		}
		ok = false
	}
	return ok
}

// fromText reports whether a value can be parsed from text.
func fromText(t *model.Type) bool {
	for t.Kind == model.Pointer || t.Kind == model.Flagged || t.Kind == model.Converted {
		t = t.Elem
	}
	switch t.Kind {
	case model.String, model.Int, model.Uint, model.Float, model.Bool, model.Time, model.Duration, model.Text, model.Number:
		return true
	}
	return false
}

// goType returns a plan's Go type for a message.
func (a *analyzer) goType(t *model.Type) string {
	if t.Go == nil {
		return "object"
	}
	return a.shortType(t.Go)
}

// shortType writes a type with the names of packages, not their paths.
func (a *analyzer) shortType(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == a.pkg.Types {
			return ""
		}
		return p.Name()
	})
}
