package schema

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// constants has the expressions of the constants of a package whose source is read, which
// distinguish units and flags from enumerations.
type constants struct {
	pkg   *load.Package
	exprs map[string]ast.Expr // by name
}

// newConstants collects the constants declared at package level. A constant
// without an expression repeats that of the one before it.
func newConstants(pkg *load.Package) *constants {
	c := &constants{pkg: pkg, exprs: map[string]ast.Expr{}}
	for _, file := range pkg.Files {
		for _, decl := range file.Decls {
			group, ok := decl.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			var values []ast.Expr
			for _, spec := range group.Specs {
				spec := spec.(*ast.ValueSpec)
				if len(spec.Values) > 0 {
					values = spec.Values
				}
				for i, name := range spec.Names {
					if i < len(values) {
						c.exprs[name.Name] = values[i]
					}
				}
			}
		}
	}
	return c
}

// computed reports whether a constant of such a package is a shift or is made from
// another constant of its type, as flags and units are.
func (r *Resolver) computed(k *types.Const) bool {
	c := r.sources[k.Pkg()]
	if c == nil || c.exprs[k.Name()] == nil {
		return false
	}
	expr := c.exprs[k.Name()]
	found := false
	ast.Inspect(expr, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if !ok {
			return !found
		}
		switch b.Op {
		case token.SHL, token.OR:
			found = true
		case token.MUL:
			found = found || c.mentions(b, k.Type())
		}
		return !found
	})
	return found
}

// mentions reports whether an expression names a constant of the type.
func (c *constants) mentions(expr ast.Expr, t types.Type) bool {
	found := false
	ast.Inspect(expr, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if k, ok := c.pkg.Types.Scope().Lookup(id.Name).(*types.Const); ok && types.Identical(k.Type(), t) {
				found = true
			}
		}
		return !found
	})
	return found
}

// constantsOf returns the constants of a declared type in its own package, in the
// order of the source.
func (r *Resolver) constantsOf(s site, t types.Type) (all []*types.Const, ok bool) {
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.TypeArgs().Len() > 0 {
		return nil, true
	}
	all, err := declared(r, named.Obj().Pkg(), func(k *types.Const) bool { return types.Identical(k.Type(), t) })
	if err != nil {
		r.unread(s, named.Obj().Pkg(), err)
	}
	return all, err == nil
}

// enumeration returns the values of a named type if the constants of it that
// its package declares are an enumeration, or are said to be one, otherwise nil.
func (r *Resolver) enumeration(s site, t *types.Named, form *EnumForm) (values *model.Enum, ok bool) {
	if form != nil && form.Mode == "off" {
		return nil, true
	}
	all, ok := r.constantsOf(s, t)
	all = withoutSentinels(all)
	if !ok || form == nil && (slices.ContainsFunc(all, r.computed) || !distinctEnough(all)) {
		return nil, ok
	}
	if len(all) == 0 {
		if form != nil {
			r.enumErrorf(t, form, "declare constants of the type, or drop the directive", "type %s has no constants in its package", r.typeString(t))
		}
		return nil, true
	}
	e := &model.Enum{Open: form != nil && form.Mode == "open"}
	seen := map[string]bool{}
	for _, k := range all {
		text := jsonConstant(k.Val())
		if seen[text] {
			continue
		}
		seen[text] = true
		value := model.EnumValue{Const: k, JSON: text, Doc: constantDoc(k.Name(), r.docs.Of(k))}
		if !r.visible(k) || !Importable(r.pkg.Path, k.Pkg().Path()) {
			value.Const = nil // it cannot be referred to
		}
		e.Values = append(e.Values, value)
	}
	return e, true
}

func (r *Resolver) enumErrorf(t *types.Named, form *EnumForm, hint, format string, args ...any) {
	r.errorf(site{Place: diag.Place{Pos: form.Pos, Subject: "//mcp:enum of " + t.Obj().Name()}}, hint, format, args...)
}

// textEnumeration returns the values of a type with MarshalText, whose texts only the
// directive has.
func (r *Resolver) textEnumeration(s site, t *types.Named, form *EnumForm) (values *model.Enum, ok bool) {
	if form.Mode == "off" {
		return nil, true
	}
	all, ok := r.constantsOf(s, t)
	e := &model.Enum{Open: form.Mode == "open"}
	var missing []string
	for _, k := range withoutSentinels(all) {
		text, ok := textOf(form.Texts, k.Name())
		if !ok {
			missing = append(missing, k.Name())
			continue
		}
		e.Values = append(e.Values, model.EnumValue{JSON: jsontext.Quote(text), Doc: constantDoc(k.Name(), r.docs.Of(k))})
	}
	if len(missing) > 0 {
		r.enumErrorf(t, form, "write what MarshalText returns for each: "+missing[0]+"=text", "no text is given for %s, and only MarshalText returns it", strings.Join(missing, ", "))
	}
	return e, ok
}

// counting are exported names at the end of a group that count its members.
var counting = regexp.MustCompile(`^(Num|Count)[A-Z_]|(Count|_COUNT)$`)

// bounding are unexported names that mark an end of a group of which every name
// is unexported.
var bounding = regexp.MustCompile(`^_*(num|max|min|last|first|end|begin|count|sentinel)([A-Z_0-9]|$)|(Count|Sentinel|_count|_end)$`)

// withoutSentinels takes the constants off both ends that mark an end rather
// than being a value: unexported ones of a group that has exported ones, and
// those whose name says so.
func withoutSentinels(all []*types.Const) []*types.Const {
	exported := slices.ContainsFunc(all, (*types.Const).Exported)
	isEnd := func(k *types.Const) bool {
		if k.Exported() {
			return false
		}
		return exported || isInteger(k) && bounding.MatchString(k.Name())
	}
	for len(all) > 0 && isEnd(all[0]) {
		all = all[1:]
	}
	for len(all) > 0 && isEnd(all[len(all)-1]) {
		all = all[:len(all)-1]
	}
	if n := len(all); n > 0 && all[n-1].Exported() && isInteger(all[n-1]) && counting.MatchString(all[n-1].Name()) {
		all = all[:n-1]
	}
	return all
}

func isInteger(k *types.Const) bool { return k.Val().Kind() == constant.Int }

// distinctEnough reports whether the values can be an enumeration: there are
// two at least, and integers are neither flags (1, 2, 4) nor units, where each
// is a multiple of the one before and they span a factor of 60 or more.
func distinctEnough(all []*types.Const) bool {
	values := map[string]bool{}
	var numbers []*big.Int
	for _, k := range all {
		values[k.Val().ExactString()] = true
		if isInteger(k) {
			n, _ := new(big.Int).SetString(k.Val().ExactString(), 10)
			numbers = append(numbers, n)
		}
	}
	if len(values) < 2 {
		return false
	}
	return len(numbers) == 0 || !isScale(numbers)
}

// isScale recognises flags and units by their values.
func isScale(numbers []*big.Int) bool {
	slices.SortFunc(numbers, (*big.Int).Cmp)
	numbers = slices.CompactFunc(numbers, func(a, b *big.Int) bool { return a.Cmp(b) == 0 })
	if numbers[0].Sign() < 0 {
		return false
	}
	if numbers[0].Sign() == 0 {
		numbers = numbers[1:]
	}
	if len(numbers) < 2 {
		return false
	}
	flags := len(numbers) > 2
	for _, n := range numbers {
		flags = flags && n.TrailingZeroBits() == uint(n.BitLen()-1)
	}
	if flags {
		return true
	}
	for i := 1; i < len(numbers); i++ {
		if new(big.Int).Rem(numbers[i], numbers[i-1]).Sign() != 0 {
			return false
		}
	}
	span := new(big.Int).Quo(numbers[len(numbers)-1], numbers[0])
	return span.Cmp(big.NewInt(60)) >= 0
}

// jsonConstant is the JSON text of a string or integer constant.
func jsonConstant(v constant.Value) string {
	if v.Kind() == constant.String {
		return jsontext.Quote(constant.StringVal(v))
	}
	return v.ExactString()
}

// constantDoc is the comment of a constant as a remark on its value: the Go name at its
// start is removed.
func constantDoc(name, doc string) string {
	doc = strings.Join(strings.Fields(doc), " ")
	if rest, ok := strings.CutPrefix(doc, name+" "); ok {
		doc = rest
		for _, verb := range []string{"is ", "are ", "means "} {
			if rest, ok := strings.CutPrefix(doc, verb); ok {
				doc = rest
				break
			}
		}
	}
	return doc
}
