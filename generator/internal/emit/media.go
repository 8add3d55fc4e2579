package emit

import (
	"go/types"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// media returns a blob or a stream as the result of a tool.
func (b *body) media(t types.Type) {
	result := id(b.value())
	mime := id(strconv.Quote(b.mime))
	switch b.tool.Result.Kind {
	case model.ResultBlob:
		b.add(id("return").Add(call(b.impl("BlobResult"), b.local("req"), mime, result)).Op(",").Id("nil"))
	case model.ResultReader:
		b.notNil(t)
		b.add(id("return").Add(call(b.impl("ReaderResult"), b.local("req"), mime, result)))
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
	put := b.fn(*w.Elem)
	b.add(id("return").Add(call(b.impl(maker), []jen.Code{b.local("ctx"), b.local("req"), id(b.value()), put}...)))
}
