package analyze

import (
	"go/types"
	"time"

	"github.com/mcpgen/mcpgen/generator/directive"
)

// settings are what //mcp:defaults say for a declaration: those of the package,
// and over them those of the receiver type.
type settings struct {
	prefix     string
	asis       bool
	groups     []string
	timeout    time.Duration
	lenient    bool
	defs       bool
	hideErrors bool
	tagged     bool // required=tagged
	maxResult  int64
	hints      hintFlags
}

// settingsFor returns the settings of a function or method.
func (a *analyzer) settingsFor(fn *types.Func) settings {
	s := a.packageDefaults()
	name := receiverName(fn)
	for _, d := range a.declared("defaults") {
		if d.set.Target == directive.Type && d.set.Name == name && name != "" {
			s = s.with(d.dir)
		}
	}
	return s
}

// packageDefaults are the settings of the package comment.
func (a *analyzer) packageDefaults() settings {
	var s settings
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
		s.hideErrors = v == "declared"
	}
	if v, set := d.String("required"); set {
		s.tagged = v == "tagged"
	}
	if v, set := d.Size("maxresult"); set {
		s.maxResult = v
	}
	s.hints = hintsOf(d).over(s.hints)
	return s
}

// publishedName is the name of a feature: the one that the directive gives, as
// it stands, otherwise made from the function's with the prefix in front.
func (s settings) publishedName(d declared) string {
	if name, set := d.dir.String("name"); set {
		return name
	}
	name := d.set.Name
	if !s.asis {
		name = snake(name)
	}
	if s.prefix != "" {
		name = s.prefix + "_" + name
	}
	return name
}

// receiverName is the name of the type that a method belongs to, "" for a
// function.
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
