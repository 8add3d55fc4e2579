package analyze

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/schema"
)

// runtimePath is the package with the types for results.
const runtimePath = "github.com/mcpgen/mcpgen/runtime/mcp"

// result sets the role of each Go result, and the result that clients receive for the values. For
// one value it depends on the feature. result returns false if it reported a diagnostic.
func (a *analyzer) result(d declared, fn *types.Func, single singleResult, at diag.Place) (model.Result, bool) {
	res, ok := a.wholeResult(d, fn, single, at)
	dir := d.set.Get("result")
	if !ok || dir == nil || !dir.Has("omit") && !dir.Has("only") {
		return res, ok
	}
	at = at.At(dir.Pos).In("result")
	if res.Output == nil {
		a.diags.Errorf(at.Pos, at.Subject, "the result has no members that could be left out").Hint = "delete omit= and only="
		return res, false
	}
	res.Output, ok = a.types.Part(res.Output, dir, schema.Result, at)
	return res, ok
}

func (a *analyzer) wholeResult(d declared, fn *types.Func, single singleResult, at diag.Place) (model.Result, bool) {
	var res model.Result
	tuple := fn.Signature().Results()
	n := tuple.Len()
	for i := range n {
		v := tuple.At(i)
		res.Values = append(res.Values, &model.ResultValue{Name: v.Name(), Published: v.Name(), Type: v.Type(), Pos: a.positionOf(v, d)})
	}
	rest := res.Values
	if n > 0 && fails(rest[len(rest)-1].Type) {
		rest[len(rest)-1].Role = model.RoleError
		rest = rest[:len(rest)-1]
	}
	if len(rest) > 1 && isCleanup(rest[len(rest)-1].Type) {
		rest[len(rest)-1].Role = model.RoleCleanup
		rest = rest[:len(rest)-1]
	}
	if dir := d.set.Get("result"); dir != nil && (len(dir.Words()) > 0 || len(dir.Args) == 0) && !(len(rest) == 1 && a.isMember(rest[0], dir)) {
		if !a.nameResults(rest, dir, at) {
			return res, false
		}
		rest = slices.DeleteFunc(slices.Clone(rest), func(v *model.ResultValue) bool { return v.Role == model.RoleLeftOut })
	}
	if len(rest) == 2 && isFound(rest[1]) {
		rest[1].Role = model.RoleFound
		rest = rest[:1]
	}
	if a.misplacedError(res.Values, rest, at) {
		return res, false
	}
	switch len(rest) {
	case 0:
		res.Kind = model.ResultNone
		return res, true
	case 1:
		if dir := d.set.Get("result"); dir != nil && a.isMember(rest[0], dir) {
			return res, a.memberResult(&res, rest[0].Type, d, single, at.In("result"))
		}
		ok := single(&res, rest[0].Type, at.In("result"))
		return res, ok
	}
	return res, a.namedResults(&res, rest, at)
}

// misplacedError reports a result that looks like the error of the call, but would be part of a
// success. rest are the values that clients would receive. A named one may be intended if the
// function also returns an error at the end.
func (a *analyzer) misplacedError(all, rest []*model.ResultValue, at diag.Place) bool {
	failing := all != nil && all[len(all)-1].Role == model.RoleError
	for _, v := range rest {
		i := slices.Index(all, v)
		switch {
		case i == len(all)-1 && types.Implements(v.Type, errorType):
			a.diags.Errorf(at.Pos, at.Subject, "result %d of %d is of type %s, an error type without nil, so no value means that a call has succeeded", i+1, len(all), a.shortType(v.Type)).
				Hint = "annotate a function that calls this one, and returns nil as an error where it has succeeded; if it is not an error, let it return another type"
			return true
		case !isError(v.Type):
			continue
		case failing && v.Name != "" && v.Name != "_" && v.Name != "err":
			continue
		}
		d := a.diags.Errorf(at.Pos, at.Subject, "result %d of %d is an error, and a call fails by its last result only", i+1, len(all))
		d.Hint = "the error must be the last result"
		if failing {
			d.Hint = "join it with the last one, or return its text"
		}
		return true
	}
	return false
}

// fails reports whether a last result is the error of the call: an error that may be nil. A list of
// errors is not, since an empty one may mean success, too.
func fails(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface:
		return types.Implements(t, errorType)
	}
	return false
}

// singleResult determines the result of a function with one value.
type singleResult func(res *model.Result, t types.Type, at diag.Place) bool

// structuredResult sets the plan of one value of a tool that is neither a stream nor a blob.
func (a *analyzer) structuredResult(res *model.Result, t types.Type, at diag.Place) bool {
	switch kind, inner := a.runtimeResult(t); kind {
	case model.ResultContent, model.ResultContents, model.ResultTool, model.ResultText:
		res.Kind = kind
		return true
	case model.ResultTyped:
		res.Kind = kind
		res.Output = a.resolve(inner, at)
		return res.Output != nil
	}
	if a.types.EncodesText(t) {
		return a.encodedText(res, t, at)
	}
	res.Kind = model.ResultStructured
	res.Output = a.resolve(t, at)
	return res.Output != nil
}

// encodedText handles one value that functions with //mcp:encode convert to a string. For clients
// it is text, not JSON, like a string that a function returns.
func (a *analyzer) encodedText(res *model.Result, t types.Type, at diag.Place) bool {
	res.Kind, res.Text = model.ResultText, a.resolve(t, at)
	return res.Text != nil
}

// namedResults makes an object from several named values.
func (a *analyzer) namedResults(res *model.Result, rest []*model.ResultValue, at diag.Place) bool {
	object := &model.Type{Kind: model.Struct}
	ok := true
	for i, v := range rest {
		if v.Name == "" || v.Name == "_" {
			d := a.diags.Errorf(at.Pos, at.Subject, "result %d of %d has no name, so it cannot become a member of the result object", i+1, len(rest))
			d.Hint = "name the results in their order: //mcp:result total books; or return a struct"
			return false
		}
		t := a.resolve(v.Type, at.In(fmt.Sprintf("result %s", v.Published)))
		if t == nil {
			ok = false
			continue
		}
		object.Fields = append(object.Fields, &model.Field{
			Name: v.Published, Type: t, Path: []model.Selector{{Name: v.Name}}, Required: true, Pos: v.Pos,
		})
	}
	res.Kind, res.Output, res.Object = model.ResultStructured, object, true
	return ok
}

// runtimeResult recognises string and the result types of the runtime. For mcp.Result[T] inner is
// T.
func (a *analyzer) runtimeResult(t types.Type) (kind model.ResultKind, inner types.Type) {
	t = types.Unalias(t)
	if b, ok := t.(*types.Basic); ok && b.Kind() == types.String {
		return model.ResultText, nil
	}
	if named := runtimeType(t); named != nil {
		switch named.Obj().Name() {
		case "Content":
			return model.ResultContent, nil
		case "Result":
			if named.TypeArgs().Len() == 1 {
				return model.ResultTyped, named.TypeArgs().At(0)
			}
		}
		if a.implementsContent(named) {
			return model.ResultContent, nil
		}
	}
	switch u := t.(type) {
	case *types.Slice:
		if named := runtimeType(types.Unalias(u.Elem())); named != nil && named.Obj().Name() == "Content" {
			return model.ResultContents, nil
		}
	case *types.Pointer:
		if named := runtimeType(types.Unalias(u.Elem())); named != nil && named.Obj().Name() == "ToolResult" {
			return model.ResultTool, nil
		}
	}
	return model.ResultStructured, nil
}

// implementsContent reports whether a type of the runtime is a kind of content, so that a function
// may return it directly.
func (a *analyzer) implementsContent(named *types.Named) bool {
	// This happens only with an alias in another package.
	if a.pkg.Complete(named.Obj().Pkg()) != nil {
		return false
	}
	content := named.Obj().Pkg().Scope().Lookup("Content")
	if content == nil {
		return false
	}
	iface, ok := content.Type().Underlying().(*types.Interface)
	return ok && types.Implements(named, iface)
}

func runtimeType(t types.Type) *types.Named {
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != runtimePath {
		return nil
	}
	return named
}

func isError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// isCleanup recognises func(), which is called after the result is encoded.
func isCleanup(t types.Type) bool {
	sig, ok := t.Underlying().(*types.Signature)
	return ok && sig.Params().Len() == 0 && sig.Results().Len() == 0
}

// isFound recognises the second value of (T, bool): unnamed, or named ok or found.
func isFound(v *model.ResultValue) bool {
	b, ok := types.Unalias(v.Type).(*types.Basic)
	return ok && b.Kind() == types.Bool && (v.Name == "" || v.Name == "_" || v.Name == "ok" || v.Name == "found")
}

func isContext(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "context" && named.Obj().Name() == "Context"
}

func (a *analyzer) position(pos token.Pos) token.Position { return a.pkg.Position(pos) }

// resolve returns the plan of a result's type, or nil after a diagnostic.
func (a *analyzer) resolve(t types.Type, at diag.Place) *model.Type {
	return a.types.Type(t, schema.Result, at)
}
