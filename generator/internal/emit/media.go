package emit

import (
	"go/types"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// media returns a blob or a stream as the result of a tool.
func (b *body) media(t types.Type) {
	args := []jen.Code{b.local("req"), jen.Lit(b.mime), b.result().value()}
	switch b.tool.Result.Kind {
	case model.ResultBlob:
		b.done(b.impl("BlobResult").Call(args...))
	case model.ResultReader:
		b.notNil(t)
		b.add(jen.Return(b.impl("ReaderResult").Call(args...)))
	case model.ResultSeq:
		b.stream("Stream")
	case model.ResultSeqError:
		b.stream("StreamErr")
	}
}

// stream returns the items of a sequence.
func (b *body) stream(maker string) {
	w := b.plan.Output
	if w == nil || w.Elem == nil {
		b.fail("stream of %s has no items", b.tool.Func.Symbol)
		return
	}
	b.add(jen.Return(b.impl(maker).Call(b.local("ctx"), b.local("req"), b.result().value(), b.fn(*w.Elem))))
}
