package analyze

import (
	"fmt"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// Members of a result beside its list.
const (
	listMember      = "items" // for a function that returns only the list
	truncatedMember = "truncated"
	totalMember     = "total"
	offsetMember    = "nextOffset"
)

// sizeMeta is the metadata in which Claude Code reads the maximum size of a result, in characters.
const (
	sizeMeta    = "anthropic/maxResultSizeChars"
	largestSize = 500_000 // maximum value that it accepts
)

// limits publishes a tool's limit for the size of results: the maximum size, and the arguments that
// make results smaller.
func limits(tool *model.Tool) {
	if tool.MaxResult == 0 && tool.Result.Short == nil {
		return
	}
	tool.Narrow = narrowing(tool.Input)
	if s := tool.Result.Short; s != nil && s.Offset != nil {
		tool.Narrow = slices.DeleteFunc(tool.Narrow, func(name string) bool { return name == s.Offset.Name })
	}
	if tool.MaxResult == 0 || slices.ContainsFunc(tool.Meta, func(m model.Meta) bool { return m.Key == sizeMeta }) {
		return
	}
	tool.Meta = append(slices.Clip(tool.Meta), model.Meta{Key: sizeMeta, JSON: strconv.FormatInt(min(tool.MaxResult, largestSize), 10)})
}

// shorten reads shorten and page= of a tool.
func (a *analyzer) shorten(tool *model.Tool, dir *directive.Directive, at diag.Place) bool {
	names, short := dir.List("shorten")
	page, paged := dir.Int("page")
	if value, _ := dir.String("shorten"); value == "false" {
		short = false
	} else if value == "true" {
		names = nil
	}
	if !short && !paged {
		return true
	}
	key := "shorten"
	if !short {
		key = "page"
	}
	at = at.At(valuePos(dir, key))
	refuse := func(hint, format string, args ...any) bool {
		a.diags.Errorf(at.Pos, at.Subject, format, args...).Hint = hint
		return false
	}
	s := &model.Short{Of: tool.Result.Output, Page: int64(page)}
	root := s.Of
	for root != nil && root.Kind == model.Pointer {
		root = root.Elem
	}
	switch kind := tool.Result.Kind; {
	case paged && page == 0:
		at = at.At(valuePos(dir, "page"))
		return refuse("write for example page=50", "page=0 leaves no elements")
	case kind == model.ResultSeq || kind == model.ResultSeqError:
		return refuse("return a slice, or leave "+key+" out", "a stream has no total, and its elements are on their way before its end is known")
	case root == nil || root.Kind != model.Slice && root.Kind != model.Struct:
		return refuse("return a list, or a struct with one", "%s is for lists, and the result has no list", key)
	case root.Kind == model.Slice && names != nil:
		return refuse("write shorten", "the result is the list, which has no name")
	}
	object := &model.Type{Kind: model.Struct, Doc: root.Doc}
	if root.Kind == model.Slice {
		object.Doc = ""
		s.List = &model.Field{Name: listMember, Type: root, Required: true, Pos: at.Pos}
	} else {
		var why, hint string
		if s.List, why, hint = listOf(root, names); s.List == nil {
			return refuse(hint, "%s", why)
		}
		object.Fields = slices.DeleteFunc(slices.Clone(root.Fields), func(f *model.Field) bool { return f == s.List })
	}
	if paged && !a.page(tool, s, object, at.At(valuePos(dir, "page"))) {
		return false
	}
	// A member that is added with the list must not exist already.
	own := []string{truncatedMember}
	if s.Offset != nil {
		own = append(own, offsetMember)
	}
	for _, f := range object.Fields {
		if f.Name == totalMember && (f.Type.Kind == model.Int || f.Type.Kind == model.Uint) {
			s.Own = true
		} else if slices.Contains(own, f.Name) || f.Name == totalMember && s.Cursor == nil {
			return refuse("leave it out: //mcp:result omit="+f.Name, "the result has a member %s of its own, and %s adds one", f.Name, key)
		}
	}
	list := *s.List
	list.Path = []model.Selector{{Name: list.Name}}
	list.Required, list.OmitEmpty, list.OmitZero = true, false, false
	object.Fields = append(object.Fields, &list, a.member(truncatedMember, types.Bool, true, "whether elements are left out behind these", at))
	if !s.Own && s.Cursor == nil {
		object.Fields = append(object.Fields, a.member(totalMember, types.Int, true, "how many elements there are", at))
	}
	if s.Next != nil {
		next := *s.Next
		next.Required, next.OmitEmpty, next.OmitZero = false, true, false
		object.Fields = append(object.Fields, &next)
	} else if s.Offset != nil {
		object.Fields = append(object.Fields, a.member(offsetMember, types.Int, false, "offset of the next page, if there is one", at))
	}
	tool.Result.Output, tool.Result.Short = object, s
	return true
}

// member returns a member that is added to a result with its list.
func (a *analyzer) member(name string, kind types.BasicKind, required bool, description string, at diag.Place) *model.Field {
	return &model.Field{
		OmitEmpty: !required,
		Name:      name, Path: []model.Selector{{Name: name}}, Type: a.resolve(types.Typ[kind], at),
		Description: description, Required: required, Pos: at.Pos,
	}
}

// listOf returns the list of a struct, or the reason why it finds none, and a hint.
func listOf(t *model.Type, names []string) (list *model.Field, why, hint string) {
	var all []string
	for _, f := range t.Fields {
		if f.Type.Kind != model.Slice || f.Quoted {
			continue
		}
		all = append(all, f.Name)
		if names == nil || len(names) == 1 && names[0] == f.Name {
			list = f
		}
	}
	switch {
	case len(all) == 0:
		return nil, "the result has no member that is a list", "return a list, or a struct with one"
	case len(names) > 1:
		return nil, "one list is cut, and these are " + strconv.Itoa(len(names)), "name one of " + strings.Join(all, ", ")
	case names == nil && len(all) > 1:
		return nil, "the result has several lists: " + strings.Join(all, ", "), "name the one that is cut: shorten=" + all[0]
	case list == nil:
		hint = "the lists are " + strings.Join(all, ", ")
		if near := diag.Nearest(names[0], all); near != "" {
			hint = "did you mean " + near + "?"
		}
		return nil, "the result has no list " + names[0], hint
	}
	return list, "", ""
}

// page determines the beginning of a page: by the cursor of the function, or else by an added
// argument. The function's next cursor is removed from the object.
func (a *analyzer) page(tool *model.Tool, s *model.Short, object *model.Type, at diag.Place) bool {
	refuse := func(hint, format string, args ...any) bool {
		a.diags.Errorf(at.Pos, at.Subject, format, args...).Hint = hint
		return false
	}
	in := tool.Input
	for _, f := range in.Object.Fields {
		switch f.Name {
		case "offset":
			return refuse("leave page= out; shorten alone cuts what does not fit", "the function has the argument offset already")
		case "cursor":
			s.Cursor = f
			if !in.Whole {
				f.Required = false // the zero value is the first page
			}
		}
	}
	if s.Cursor == nil {
		return a.offset(tool, s, at)
	}
	if s.Cursor.Type.Kind != model.String || slices.ContainsFunc(s.Cursor.Path, func(s model.Selector) bool { return s.Pointer != nil }) {
		return refuse("make it a string, empty for the first page", "the argument cursor is not a string")
	}
	for i, f := range object.Fields {
		name := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(f.Name))
		if f.Type.Kind == model.String && slices.Contains([]string{"nextcursor", "next", "cursor", "nextpage", "nextpagetoken"}, name) {
			s.Next = f
			object.Fields = slices.Delete(object.Fields, i, i+1)
			return true
		}
	}
	return refuse("return it as nextCursor, a string that is empty on the last page", "the function has the argument cursor, and its result no next cursor")
}

// offset adds the argument offset.
func (a *analyzer) offset(tool *model.Tool, s *model.Short, at diag.Place) bool {
	if i := slices.IndexFunc(tool.Func.Params, func(p *model.Param) bool { return p.Source == model.FromWhole }); i >= 0 {
		a.unwrap(&tool.Call, tool.Func.Params[i])
	}
	f := a.types.Param("offset", types.Typ[types.Int], false, at)
	if f == nil {
		return false
	}
	f.Required = false
	f.Description = fmt.Sprintf("how many elements to leave out before the page of %d: nextOffset of the page before", s.Page)
	f.Rules.SetLimit("minimum", "0")
	for i := 2; slices.ContainsFunc(tool.Func.Params, func(p *model.Param) bool { return p.Name == f.Path[0].Name }); i++ {
		f.Path[0].Name = "offset" + strconv.Itoa(i)
	}
	tool.Input.Object.Fields = append(slices.Clip(tool.Input.Object.Fields), f)
	s.Offset = f
	return true
}
