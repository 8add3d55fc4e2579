package schema

import (
	"go/types"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
)

// libraries are the modules of other implementations of the protocol. Their requests, results and
// contents are made for their own servers; as JSON values a failed result would look like a
// success.
var libraries = []string{
	"github.com/modelcontextprotocol/go-sdk",
	"github.com/mark3labs/mcp-go",
	"github.com/metoro-io/mcp-golang",
	"github.com/ThinkInAIXYZ/go-mcp",
	"github.com/riza-io/mcp-go",
	"github.com/localrivet/gomcp",
	"github.com/strowk/foxy-contexts",
	"trpc.group/trpc-go/trpc-mcp-go",
}

// libraryOf returns the module of such an implementation that declares a type, or "" for other
// types.
func libraryOf(t *types.Named) string {
	p := t.Obj().Pkg()
	if p == nil {
		return ""
	}
	for _, module := range libraries {
		if p.Path() == module || strings.HasPrefix(p.Path(), module+"/") {
			return module
		}
	}
	return ""
}

// refuseLibrary refuses the types of other implementations of the protocol.
func (r *Resolver) refuseLibrary(s site, t *types.Named) bool {
	module := libraryOf(t)
	if module == "" {
		return false
	}
	hint := "take the arguments as parameters or as one struct, and a context.Context, from which mcp.CallFrom returns the other parts of the request"
	if s.use == Result {
		hint = "return the value itself and an error, which fails the call; or *mcp.ToolResult or mcp.Content of github.com/mcpgen/mcpgen/runtime/mcp"
	}
	r.errorf(s, hint, "type %s belongs to servers of %s, and would be published as plain data", r.typeString(t), module)
	return true
}

// UsesLibrary reports whether a type contains a type of another implementation of the protocol.
func UsesLibrary(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return libraryOf(t) != ""
	case interface{ Elem() types.Type }: // pointers, lists, maps, channels
		return UsesLibrary(t.Elem())
	case *types.Signature:
		for _, list := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range list.Variables() {
				if UsesLibrary(v.Type()) {
					return true
				}
			}
		}
	}
	return false
}

// Unfillable returns the reason why no client can fill a variadic parameter, or "" if one can: its
// elements are functions, or other values without a JSON form. t is the slice.
func (r *Resolver) Unfillable(name string, t types.Type, at diag.Place) string {
	problem := r.attempt(Argument, func() bool { return r.Param(name, t, true, at) != nil })
	if problem == nil {
		return ""
	}
	return problem.Message
}
