package analyze

import (
	"go/token"
	"go/types"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// media reads mime= of a tool.
func (a *analyzer) media(tool *model.Tool, d declared, at diag.Place) (ok bool) {
	tool.MIME, ok = a.mediaType(d.dir, at)
	return ok
}

// toolResult determines the result for one value of a tool: blobs if mime= gives their type,
// streams, and all other values.
func (a *analyzer) toolResult(mime string) singleResult {
	return func(res *model.Result, t types.Type, at diag.Place) bool {
		switch {
		case mime != "" && isBytes(t):
			res.Kind = model.ResultBlob
			return true
		case mime != "" && isReader(t):
			res.Kind = model.ResultReader
			return true
		case mime != "":
			a.diags.Errorf(at.Pos, at.Subject, "mime= is for []byte and io.Reader, this is %s", a.shortType(t)).
				Hint = "leave mime= out, or return the bytes"
			return false
		case isReaderType(t):
			a.diags.Errorf(at.Pos, at.Subject, "the media type of the content of %s is not set", a.shortType(t)).
				Hint = "add mime= to the directive, for instance mime=image/png or mime=text/csv"
			return false
		}
		elem, withError, ok := sequence(t)
		if !ok {
			return a.structuredResult(res, t, at)
		}
		if elem == nil {
			a.diags.Errorf(at.Pos, at.Subject, "%s is a sequence of pairs, and only iter.Seq[T] and iter.Seq2[T, error] can be streamed", a.shortType(t)).
				Hint = "make the pair a struct, or return a map"
			return false
		}
		if res.Kind = model.ResultSeq; withError {
			res.Kind = model.ResultSeqError
		}
		res.Output = a.resolve(types.NewSlice(elem), at)
		return res.Output != nil
	}
}

// sequence returns the item type of iter.Seq[T] and iter.Seq2[T, error], or nil for any other
// iter.Seq2.
func sequence(t types.Type) (elem types.Type, withError, ok bool) {
	named, isNamed := types.Unalias(t).(*types.Named)
	if !isNamed || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != "iter" {
		return nil, false, false
	}
	args := named.TypeArgs()
	switch {
	case named.Obj().Name() == "Seq" && args.Len() == 1:
		return args.At(0), false, true
	case named.Obj().Name() == "Seq2" && args.Len() == 2 && isError(args.At(1)):
		return args.At(0), true, true
	}
	return nil, false, true
}

// isBytes recognises []byte and types made from it that have no JSON form of their own.
func isBytes(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	if !ok || hasMethod(t, "MarshalJSON") || hasMethod(t, "MarshalText") {
		return false
	}
	b, ok := types.Unalias(s.Elem()).(*types.Basic)
	return ok && b.Kind() == types.Uint8
}

// isText recognises string and types made from it that have no JSON form of their own.
func isText(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0 && !hasMethod(t, "MarshalJSON") && !hasMethod(t, "MarshalText")
}

func hasMethod(t types.Type, name string) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	_, ok := obj.(*types.Func)
	return ok
}

// reader is io.Reader.
var reader = func() *types.Interface {
	param := func(t types.Type) *types.Var { return types.NewParam(token.NoPos, nil, "", t) }
	sig := types.NewSignatureType(nil, nil, nil,
		types.NewTuple(param(types.NewSlice(types.Typ[types.Uint8]))),
		types.NewTuple(param(types.Typ[types.Int]), param(types.Universe.Lookup("error").Type())), false)
	i := types.NewInterfaceType([]*types.Func{types.NewFunc(token.NoPos, nil, "Read", sig)}, nil)
	i.Complete()
	return i
}()

// isReader reports whether a value can be read from.
func isReader(t types.Type) bool { return types.Implements(t, reader) }

// isReaderType recognises the interfaces of package io that are read from.
func isReaderType(t types.Type) bool {
	_, ok := t.Underlying().(*types.Interface)
	return ok && isReader(t)
}
