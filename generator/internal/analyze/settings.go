package analyze

import (
	"go/types"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// settings are what //mcp:defaults say for a declaration: those of the package, and over them those
// of the receiver type.
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
	tags       string // huma or none; "" follows the imports
	maxResult  int64
	output     model.OutputForm
	// receiverArgs is receiver=args, and owner the type whose members are the arguments of the
	// feature, "" for others.
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

// settingsOver puts those of the package and of the receiver type over others.
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

// outermost are the settings that apply where the package says nothing: those of the package that
// emits its features.
func (a *analyzer) outermost() settings {
	if a.from == nil {
		return settings{}
	}
	return a.root().packageDefaults()
}

// packageDefaults are the settings of the package comment.
func (a *analyzer) packageDefaults() settings { return a.packageSettings(a.outermost()) }

// packageSettings puts those of the package comment over others.
func (a *analyzer) packageSettings(s settings) settings {
	for _, d := range a.declared("defaults") {
		if d.set.Target == directive.Package {
			s = s.with(d.dir)
		}
	}
	return s
}

// with puts one directive over the settings.
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
		s.icons, _ = readIcons(v) // checkDefaultIcons reports what is wrong
	}
	if v, set := d.Get("scopes"); set {
		s.scopes, _ = readScopes(v) // checkDefaultScopes reports what is wrong
	}
	s.hints = hintsOf(d).over(s.hints)
	s.task = s.task.with(d)
	return s
}

// outputForm is the form that a word of output= names.
func outputForm(word string) model.OutputForm {
	return model.OutputForm(slices.Index(model.OutputForms, word))
}

// publishedName is the name of a feature: the one that the directive gives, unchanged, otherwise
// made from the function's with the prefix in front.
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

// withPrefix is a published name with the prefix of //mcp:from.
func (s settings) withPrefix(name string) string {
	if s.fromPrefix == "" {
		return name
	}
	return s.fromPrefix + "_" + name
}

// ownerName is the name of the type of this package that a method is called on, "" for others.
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

// declaredType is the name of a type, or of what it points to, nil if it has none.
func declaredType(t types.Type) *types.TypeName {
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if named, ok := t.(*types.Named); ok {
		return named.Obj()
	}
	return nil
}

// receiverName is the name of the type that a method belongs to, "" for a function.
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
