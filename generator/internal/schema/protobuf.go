package schema

import (
	"errors"
	"go/types"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/protofile"
)

// finder returns the finder of protobuf descriptors, made on the first call.
func (r *Resolver) finder() *protofile.Finder {
	if r.protobuf == nil {
		var pkgs []*load.Package
		for _, p := range r.sources {
			pkgs = append(pkgs, p)
		}
		r.protobuf = protofile.New(pkgs...)
	}
	return r.protobuf
}

// refuseMessage reports a type that is a protobuf message, with its name in the .proto file, or
// with the reason why its descriptor cannot be read.
func (r *Resolver) refuseMessage(s site, t *types.Named) {
	const hint = "structs and json.RawMessage are supported, messages are not: use a struct of your own and convert, " +
		"or take the message as json.RawMessage and use protojson"
	md, err := r.finder().Message(t)
	if err == nil {
		r.errorf(s, hint, "type %s is the protobuf message %s of %s, which encoding/json does not write as its JSON mapping requires",
			r.typeString(t), md.FullName(), md.ParentFile().Path())
		return
	}
	var related []diag.Related
	if problem, ok := errors.AsType[*protofile.Error](err); ok {
		related = append(related, diag.Related{Pos: problem.Pos, Message: problem.Message})
	}
	r.report(s, diag.Error, hint, "type "+r.typeString(t)+" is a protobuf message, which encoding/json does not write as its JSON mapping requires", related...)
}
