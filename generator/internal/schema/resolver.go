package schema

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/protofile"
)

// Docs finds the source of a type, field or constant of any package: its doc comment, or "", and
// its position, with the column. *load.Docs implements it.
type Docs interface {
	Of(obj types.Object) string
	// Directives returns the directives of a declared type, or nil.
	Directives(obj *types.TypeName) *directive.Set
	Position(obj types.Object) token.Position
	// Constraint returns the build constraint of the file that declares an object, or "" if every
	// build includes it, or if it equals shared, the constraint of the generated file.
	Constraint(obj types.Object, shared string) string
	// Elsewhere reports whether a file that this build excludes declares a name.
	Elsewhere(pkg *types.Package, name string) bool
	// Constant returns the expression of a constant, or nil if the source is not available.
	Constant(k *types.Const) ast.Expr
}

// Use is the direction in which a value is converted.
type Use int

const (
	Anywhere Use = iota // it must be readable and writable
	Argument            // it is only read
	Result              // it is only written
)

// Resolver makes the plans of one package's types. Plans of named types are made once and shared by
// all features, so that a type that contains itself finds its plan. Therefore a plan must be copied
// before it is changed for one feature (see copyOf): the others would be published with the change.
// A Resolver is not safe for concurrent use.
type Resolver struct {
	// TaggedOnly makes only those fields of arguments required that a tag or //mcp:arg requires. It
	// applies to the types that are resolved while it is set.
	TaggedOnly bool
	// Tags selects the tags that name, describe and constrain members. It applies to the types that
	// are resolved while it is set.
	Tags Tags
	// Foreign returns the form that directives set for the types of other packages; it may be nil.
	// It must be set before the first type is resolved.
	Foreign func(*types.TypeName) *Form
	// Outside is set if the code for the package is generated into other packages, which can name
	// only exported declarations. It must be set before the first type is resolved.
	Outside bool

	pkg   *load.Package // the package that is generated for
	docs  Docs
	diags *diag.List
	// lasting receives the diagnostics that remain if an attempt fails.
	lasting *diag.List
	trying  bool // during an attempt

	huma bool // huma's tags apply to a feature

	shared string // the constraint of the generated file, or ""

	growing map[*model.Type]bool // the structs in progress
	late    []lateCheck

	// plans contains the shared plans, *model.Type, including those in progress, by type. The plan
	// of a type depends on the direction if it has methods for one only.
	plans      map[plansKey]*typeutil.Map
	order      []types.Type    // keys of plans, oldest first
	files      map[string]bool // names of the package's own files
	reported   map[string]bool
	sources    map[*types.Package]*load.Package // the packages that are read as source
	modules    []string                         // modules of these packages
	forms      map[*types.TypeName]*Form
	converters typeutil.Map // types to *converter
	// origins contains the names that fields had before //mcp:arg renamed them.
	origins map[*model.Field]string
	roots   []types.Type   // see AddRoot
	aliases model.Aliases  // see Aliases
	renamed *model.Aliases // all possible aliases; nil until requested
	// own contains the copies that //mcp:arg made, which may be changed.
	own map[*model.Type]bool
	// parts contains the plans without some members, see part.
	parts    map[partKey]*model.Type
	protobuf *protofile.Finder // nil until requested
	// ineffective contains the parts of tags without effect, see Unread.
	ineffective []model.UnreadTag
}

// New returns a resolver for the types that the package uses. Errors are added to diags.
func New(pkg *load.Package, docs Docs, diags *diag.List) *Resolver {
	r := &Resolver{
		pkg: pkg, docs: docs, diags: diags, lasting: diags, shared: pkg.SharedConstraint(),
		files:    map[string]bool{},
		reported: map[string]bool{},
		forms:    map[*types.TypeName]*Form{},
		sources:  map[*types.Package]*load.Package{},
		origins:  map[*model.Field]string{},
		own:      map[*model.Type]bool{},
		parts:    map[partKey]*model.Type{},
		growing:  map[*model.Type]bool{},
		plans:    map[plansKey]*typeutil.Map{},
	}
	r.AddSource(pkg)
	return r
}

// AddSource adds a package whose functions are called by the code that is generated for the
// resolver's own package. It must be called before the first type is resolved.
func (r *Resolver) AddSource(pkg *load.Package) {
	r.sources[pkg.Types] = pkg
	r.modules = append(r.modules, pkg.Module)
	for _, f := range pkg.Files {
		r.files[pkg.Fset.Position(f.FileStart).Filename] = true
	}
}

// Type returns the plan of a type, or nil after adding at least one error that explains why it has
// none; an error in a field of a struct is added only for the first use of the struct.
func (r *Resolver) Type(t types.Type, use Use, at diag.Place) *model.Type {
	return r.typeAt(site{Place: at, use: use}, t)
}

// plansOf returns the shared plans for a direction. Required fields matter only in arguments. input
// is set for the input of an operation of huma, see isInput.
func (r *Resolver) plansOf(use Use, input bool) *typeutil.Map {
	key := plansKey{use, r.tagging(use), input, r.Tags}
	r.huma = r.huma || r.Tags == HumaTags
	if r.plans[key] == nil {
		r.plans[key] = new(typeutil.Map)
	}
	return r.plans[key]
}

// plansKey contains all values, except the type, that the plan of a type depends on.
type plansKey struct {
	use    Use
	tagged bool
	input  bool
	tags   Tags
}

func (r *Resolver) tagging(use Use) bool { return r.TaggedOnly && use != Result }

func (r *Resolver) typeAt(s site, t types.Type) *model.Type {
	plan := r.resolve(s, t)
	if plan == nil || !r.travels(s, plan, map[*model.Type]bool{}) {
		return nil
	}
	r.warnEmpty(s, plan)
	return plan
}

// Param returns the field for a plain parameter: an argument named like the parameter. It is
// required unless it is variadic or a pointer; a pointer to a struct is required, since functions
// take such pointers for efficiency and do not expect nil. A time.Duration is text there, "1h30m".
// For a variadic parameter t is the slice. The caller sets the description. Param returns nil like
// [Resolver.Type].
func (r *Resolver) Param(name string, t types.Type, variadic bool, at diag.Place) *model.Field {
	s := site{Place: at, use: Argument, param: name, variadic: variadic}
	plan := r.typeAt(s, t)
	if plan == nil {
		return nil
	}
	plan = r.textDurations(plan)
	r.warnName(s, name)
	return &model.Field{
		Name:     name,
		Path:     []model.Selector{{Name: name}},
		Type:     plan,
		Required: !variadic && (!plan.IsOptional() || plan.Kind == model.Pointer && r.expectsValue(plan.Elem)),
		Variadic: variadic,
		Pos:      at.Pos,
	}
}

// expectsValue reports whether a pointer parameter of a type is expected not to be nil: a pointer
// to a struct, whatever its JSON form, except structs of other modules that their authors pass by
// value, such as time.Time and netip.Addr. A pointer to one of these represents an optional value.
func (r *Resolver) expectsValue(t *model.Type) bool {
	if _, isStruct := t.Go.Underlying().(*types.Struct); !isStruct || t.Kind == model.Flagged {
		return false
	}
	named, ok := types.Unalias(t.Go).(*types.Named)
	if t.Kind == model.Struct || !ok {
		return true
	}
	foreign := r.isStandard(named.Obj().Pkg().Path()) || r.isForeign(named.Obj().Pkg())
	return !foreign || !writesItself(named)
}

// writesItself reports whether the method that writes a type is in the method set of the type
// itself, not only of its pointer.
func writesItself(t *types.Named) bool {
	for _, name := range []string{"MarshalJSON", "MarshalText"} {
		if obj, _, _ := types.LookupFieldOrMethod(t, false, nil, name); obj != nil {
			_, isMethod := obj.(*types.Func)
			return isMethod
		}
	}
	return false
}

// IsObject reports whether a struct type, or a pointer to one, is read from an object with its
// fields.
func (r *Resolver) IsObject(t types.Type) bool {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if _, ok := t.Underlying().(*types.Struct); !ok {
		return false
	}
	if knownType(t) != nil || flaggedValue(t) != nil || r.converters.At(t) != nil {
		return false
	}
	if named, ok := t.(*types.Named); ok && r.formOf(named.Obj()).Schema != nil {
		return false
	}
	m := methodsOf(t)
	return !m.unmarshalJSON && !m.unmarshalText && !m.protoReflect
}

// Tags selects the tags that apply in addition to this module's, encoding/json's and the
// validator's.
type Tags int

const (
	AnyTags  Tags = iota // gin's in structs with a tag binding, which no other framework uses
	HumaTags             // huma's
	GinTags              // gin's
	NoTags
)

// site is a place inside a type, for the subject and position of a diagnostic.
type site struct {
	diag.Place // of the innermost field in the package itself
	use        Use
	// param is the name of the parameter that is a direct argument, or "".
	param    string
	variadic bool           // the parameter is variadic
	far      token.Position // of the field in question, if it is in another package
	path     string         // Filter.Items[].Ch, Shape.(Circle).Radius; "" for the type itself
	deep     int
	// union is the sealed interface of another package around the place, or nil.
	union *types.Named
	// member is the innermost field, see [Resolver.memberKey].
	member string
}

func (s site) field(name string) site {
	if s.path != "" {
		name = s.path + "." + name
	}
	s.path = name
	return s
}

func (s site) element() site {
	if s.path != "" {
		s.path += "[]"
	}
	return s
}

// atField moves to the position of a field.
func (r *Resolver) atField(s site, v *types.Var) site {
	s = s.field(v.Name())
	pos := r.pkg.Fset.Position(v.Pos())
	if v.Name() != "_" { // a tag of a blank field applies to the struct
		s.member = r.memberKey(pos, v.Name())
	}
	switch {
	case r.sources[v.Pkg()] != nil && pos.IsValid():
		s.Pos, s.far = pos, token.Position{}
	case pos.IsValid():
		s.far = pos
	}
	return s
}

// errorf adds an error. An error in a field is added once, since many places share the type around
// it.
func (r *Resolver) errorf(s site, hint, format string, args ...any) {
	r.report(s, diag.Error, hint, fmt.Sprintf(format, args...))
}

func (r *Resolver) warnf(s site, hint, format string, args ...any) {
	r.report(s, diag.Warning, hint, fmt.Sprintf(format, args...))
}

func (r *Resolver) report(s site, severity diag.Severity, hint, message string, related ...diag.Related) {
	if s.path != "" {
		// The field without the path to it, which differs between uses.
		key := fmt.Sprint(s.Pos, s.far, message)
		if r.reported[key] && !(r.trying && severity == diag.Error) { // an attempt also fails for known errors
			return
		}
		r.reported[key] = true
		message = "field " + s.path + ": " + message
	}
	d := &diag.Diagnostic{Pos: s.Pos, Severity: severity, Subject: s.Subject, Message: message, Hint: hint}
	if severity != diag.Error {
		d.Member = s.member
	}
	if s.far.IsValid() {
		d.Related = append(d.Related, diag.Related{Pos: s.far, Message: "the field"})
	}
	d.Related = append(d.Related, related...)
	r.diags.Add(d)
}

// typeString writes a type as the package's own source would write it.
func (r *Resolver) typeString(t types.Type) string {
	return types.TypeString(spelled(t), func(p *types.Package) string {
		if p == r.pkg.Types {
			return ""
		}
		return p.Name()
	})
}

// warnName warns about a property name that known clients refuse.
func (r *Resolver) warnName(s site, name string) {
	if !goodProperty(name) {
		r.warnf(s, "use at most 64 letters, digits, _, . and - in the name",
			"some clients refuse the property name %q", name)
	}
}

// goodProperty reports whether every known client accepts the name of a property.
func goodProperty(name string) bool {
	if len(name) == 0 || len(name) > 64 {
		return false
	}
	for i := range len(name) {
		c := name[i]
		if c != '_' && c != '.' && c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return true
}
