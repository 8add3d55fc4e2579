package codec

import (
	"slices"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// Short plans the writing of a list that may contain fewer elements than the function returns. The
// other members are Tool.Results.
type Short struct {
	Path   []Step // from the value to the list; empty if the value is the list
	Elem   Func
	Cursor []Step // from the arguments to the cursor of the function; nil without a cursor
	Next   []Step // from the value to its next cursor
}

// short plans the writing of a result that may be shortened.
func (b *builder) short(s *model.Short, out *Tool) {
	root := s.Of
	for ; root.Kind == model.Pointer; root = root.Elem {
		out.Pointers++
	}
	place := out.Stem + "Result"
	w := b.write(s.List.Type, place+fieldStem(s.List))
	out.Short = &Short{Elem: *w.Elem}
	if len(s.List.Path) == 0 {
		return
	}
	if root.Go != nil {
		b.guard(root.Go)
	}
	rest := *root
	rest.Fields = slices.DeleteFunc(slices.Clone(root.Fields), func(f *model.Field) bool { return f == s.List || f == s.Next })
	out.Results = b.putMembers(&rest, place)
	out.Short.Path = b.steps(root, s.List)
	if s.Next != nil {
		out.Short.Next = b.steps(root, s.Next)
	}
}
