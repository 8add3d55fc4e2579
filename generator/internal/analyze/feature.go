package analyze

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/internal/valid"
)

// function describes the Go function behind a feature. It returns false if it reported a
// diagnostic.
func (a *analyzer) function(fn *types.Func, d declared, at diag.Place) (f model.Func, ok bool) {
	if c := a.calleeOf(d); c != nil {
		return a.calleeFunc(c, d, at)
	}
	f = model.Func{Pkg: a.pkgOf(), Name: fn.Name(), Variadic: fn.Signature().Variadic(), Symbol: a.symbol(d.set.Symbol)}
	if a.settingsFor(d).receiverArgs {
		f.Receiver, ok = a.receiverOfArgs(d, fn, at)
	} else {
		f.Receiver, ok = a.receiver(fn, at)
	}
	if !ok {
		return f, false
	}
	what := "the function"
	if f.Receiver != nil {
		what = "the method"
	}
	return f, a.exported(fn, what, at) && a.spellable(fn, at)
}

// annotated returns the function that a directive of a feature applies to, or nil if it reported a
// diagnostic.
func (a *analyzer) annotated(d declared, at diag.Place) *types.Func {
	fn, ok := a.object(d.set).(*types.Func)
	if !ok {
		a.diags.Errorf(at.Pos, at.Subject, "the function could not be type-checked").Hint = "make the package compile without mcp_gen.go"
		return nil
	}
	if !a.usable(d, fn, at) {
		return nil
	}
	return fn
}

// feature sets the fields that resources and prompts share. Their names follow different rules.
func (a *analyzer) feature(d declared, s settings, named func(string, diag.Place) bool, at diag.Place) (f model.Feature, ok bool) {
	f = model.Feature{Name: s.publishedName(d), Pos: d.dir.Pos, Groups: s.groups, HideErrors: s.hideErrors, ErrorsSaid: s.errorsSaid, Timeout: s.timeout}
	ok = named(f.Name, at.At(valuePos(d.dir, "name")))
	f.Title, _ = d.dir.String("title")
	f.Description = a.featureDescription(d)
	if groups, set := d.dir.List("group"); set {
		f.Groups = groups
	}
	f.Icons, ok = a.iconsOver(s.icons, d.dir, at, ok)
	f.Scopes, ok = a.scopesOver(s.scopes, d.dir, at, ok)
	f.Meta, ok = a.meta(d.dir, at, ok)
	if timeout, set := d.dir.Duration("timeout"); set {
		f.Timeout = timeout
	}
	return f, a.requires(&f.Requires, d.dir, at) && ok
}

// capabilities maps the words of requires= to the runtime's constants.
var capabilities = map[string]model.Capability{
	"elicitation":      "CapabilityElicitation",
	"elicitation.url":  "CapabilityElicitationURL",
	"sampling":         "CapabilitySampling",
	"sampling.tools":   "CapabilitySamplingTools",
	"sampling.context": "CapabilitySamplingContext",
	"roots":            "CapabilityRoots",
}

// requires reads requires=.
func (a *analyzer) requires(out *[]model.Capability, dir *directive.Directive, at diag.Place) bool {
	arg, set := dir.Get("requires")
	if !set {
		return true
	}
	ok := true
	for _, item := range arg.Names() {
		c, known := capabilities[item.Value]
		if !known {
			names := sortedKeys(capabilities)
			d := a.diags.Errorf(item.Pos, at.Subject, "there is no capability %q", item.Value)
			d.Hint = "the capabilities are " + strings.Join(names, ", ")
			if near := diag.Nearest(item.Value, names); near != "" {
				d.Hint = "did you mean " + near + "?"
			}
			ok = false
			continue
		}
		if !slices.Contains(*out, c) {
			*out = append(*out, c)
		}
	}
	return ok
}

// mediaType reads mime=.
func (a *analyzer) mediaType(dir *directive.Directive, at diag.Place) (value string, ok bool) {
	arg, set := dir.Get("mime")
	if !set {
		return "", true
	}
	if !valid.IsMediaType(arg.Value) {
		a.diags.Errorf(arg.ValuePos, at.Subject, "%q is not a media type", arg.Value).Hint = "write a type and a subtype, such as image/png"
		return "", false
	}
	return arg.Value, true
}

// claims finds names that are published twice. The later of two in the source is the one to change.
type claims struct {
	a     *analyzer
	first map[string]claim
}

// claim is a published name, and the feature that publishes it.
type claim struct {
	subject, symbol string
	pos             token.Position
}

func (a *analyzer) claims() *claims { return &claims{a: a, first: map[string]claim{}} }

// take adds a published name, and reports one that is published already.
func (c *claims) take(key, what, hint string, by claim) {
	other, taken := c.first[key]
	if !taken {
		c.first[key] = by
		return
	}
	later, earlier := by, other
	if cmp.Or(cmp.Compare(later.pos.Filename, earlier.pos.Filename), cmp.Compare(later.pos.Offset, earlier.pos.Offset)) < 0 {
		later, earlier = earlier, later
	}
	c.a.diags.Errorf(later.pos, later.subject, "%s by %s", what, earlier.symbol).Relate(earlier.pos, "the other one").Hint = hint
}
