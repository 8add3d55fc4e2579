package analyze

import (
	"go/types"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// settings contains the //mcp:defaults for a declaration: the package's, overridden by the receiver
// type's.
type settings struct {
	fromPrefix string // prefix of //mcp:from
	prefix     string
	asis       bool
	groups     []string
	scopes     []string
	timeout    time.Duration
	lenient    bool
	defs       bool
	hideErrors bool
	errorsSaid bool
	tagged     bool   // required=tagged
	tags       string // huma or none; "" means that the imports decide
	maxResult  int64
	output     model.OutputForm
	// receiverArgs is receiver=args; owner is the type whose members are the arguments of the
	// feature, or "".
	receiverArgs bool
	owner        string
	// byReflection is encode=json.
	byReflection bool
	hints        hintFlags
	icons        []model.Icon
	task         taskWords
}

// settingsFor returns the settings of a feature.
func (a *analyzer) settingsFor(d declared) settings {
	s := a.settingsOver(a.outermost(), d)
	if l := a.line(d); l != nil {
		s.fromPrefix = l.prefix
	}
	if word, set := d.dir.String("receiver"); set {
		s.receiverArgs = word == "args"
	}
	if fn, ok := a.object(d.set).(*types.Func); ok && s.receiverArgs {
		if named := declaredType(a.receiverType(d, fn)); named != nil {
			s.owner = upperFirst(named.Name())
		}
	}
	return s
}

// settingsOver overrides settings by the package's and the receiver type's.
func (a *analyzer) settingsOver(s settings, d declared) settings {
	s = a.packageSettings(s)
	name := a.ownerName(d)
	for _, d := range a.declared("defaults") {
		if d.set.Target == directive.Type && d.set.Name == name && name != "" {
			s = s.with(d.dir)
		}
	}
	return s
}

// outermost returns the settings that apply if the package sets none: the settings of the package
// that emits its features.
func (a *analyzer) outermost() settings {
	if a.from == nil {
		return settings{}
	}
	return a.root().packageDefaults()
}

// packageDefaults returns the settings of the package comment.
func (a *analyzer) packageDefaults() settings { return a.packageSettings(a.outermost()) }

// packageSettings overrides settings by the package comment's.
func (a *analyzer) packageSettings(s settings) settings {
	for _, d := range a.declared("defaults") {
		if d.set.Target == directive.Package {
			s = s.with(d.dir)
		}
	}
	return s
}

// with overrides the settings by one directive.
func (s settings) with(d *directive.Directive) settings {
	if v, set := d.String("prefix"); set {
		s.prefix = v
	}
	if v, set := d.String("naming"); set {
		s.asis = v == "asis"
	}
	if v, set := d.List("group"); set {
		s.groups = v
	}
	if v, set := d.Duration("timeout"); set {
		s.timeout = v
	}
	if v, set := d.Flag("lenient"); set {
		s.lenient = v
	}
	if v, set := d.Flag("defs"); set {
		s.defs = v
	}
	if v, set := d.String("errors"); set {
		s.hideErrors, s.errorsSaid = v == "declared", true
	}
	if v, set := d.String("required"); set {
		s.tagged = v == "tagged"
	}
	if v, set := d.String("tags"); set {
		s.tags = v
	}
	if v, set := d.String("receiver"); set {
		s.receiverArgs = v == "args"
	}
	if v, set := d.Size("maxresult"); set {
		s.maxResult = v
	}
	if v, set := d.String("output"); set {
		s.output = outputForm(v)
	}
	if v, set := d.String("encode"); set {
		s.byReflection = v == "json"
	}
	if v, set := d.Get("icon"); set {
		s.icons, _ = readIcons(v) // checkDefaultIcons reports errors
	}
	if v, set := d.Get("scopes"); set {
		s.scopes, _ = readScopes(v) // checkDefaultScopes reports errors
	}
	s.hints = hintsOf(d).over(s.hints)
	s.task = s.task.with(d)
	return s
}

// outputForm returns the form for a word of output=.
func outputForm(word string) model.OutputForm {
	return model.OutputForm(slices.Index(model.OutputForms, word))
}

// publishedName returns the name of a feature: the name in the directive, unchanged, or else a name
// made from the function's name, after the prefix.
func (s settings) publishedName(d declared) string {
	name, set := d.dir.String("name")
	if !set {
		name = d.set.Name + s.owner
		if !s.asis {
			name = snake(name)
		}
		if s.prefix != "" {
			name = s.prefix + "_" + name
		}
	}
	return s.withPrefix(name)
}

// withPrefix returns a published name with the prefix of //mcp:from.
func (s settings) withPrefix(name string) string {
	if s.fromPrefix == "" {
		return name
	}
	return s.fromPrefix + "_" + name
}

// ownerName returns the name of the type of this package that declares a method, or "".
func (a *analyzer) ownerName(d declared) string {
	if c := a.calleeOf(d); c != nil {
		if owner := declaredType(c.recv); owner != nil && owner.Pkg() == a.pkg.Types {
			return owner.Name()
		}
		return ""
	}
	if fn, ok := a.object(d.set).(*types.Func); ok {
		return receiverName(fn)
	}
	return ""
}

// declaredType returns the name of a type, or of the type that it points to, or nil.
func declaredType(t types.Type) *types.TypeName {
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if named, ok := t.(*types.Named); ok {
		return named.Obj()
	}
	return nil
}

// receiverName returns the name of the type that a method belongs to, or "" for a function.
func receiverName(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return ""
	}
	t := types.Unalias(recv.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if named, ok := t.(*types.Named); ok {
		return named.Obj().Name()
	}
	return ""
}
