package schema

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/jsontext"
	"github.com/mcpgen/mcpgen/generator/internal/keyword"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/internal/valid"
)

// headerKeyword names the HTTP header that repeats an argument. The specification of revision
// 2026-07-28 defines its value, in the section on the streamable HTTP transport.
const headerKeyword = "x-mcp-header"

// applyHeader sets the header that repeats an argument: a token (RFC 9110, section 5.6.2) on a
// string, integer or boolean.
func applyHeader(f *model.Field, k setting) (hint string, err error) {
	return "write a name such as X-Region", setHeader(f, k.value())
}

func setHeader(f *model.Field, name string) error {
	if !valid.IsHeaderName(name) {
		return fmt.Errorf("header %q is not a header name", name)
	}
	t := base(f.Type)
	switch t.Kind {
	case model.String, model.Int, model.Uint, model.Bool, model.Text, model.Time, model.Duration, model.Bytes:
	default:
		return fmt.Errorf("header cannot be used on %s: only strings, integers and booleans can be in one", keyword.KindName(t))
	}
	if t.Schema != "" && customSchema(t.Schema).Type != "string" {
		return fmt.Errorf("header cannot be used on %s: only strings, integers and booleans can be in one", keyword.KindName(t))
	}
	f.Rules.Header = name
	return nil
}

// checkHeader refuses values that a header cannot repeat, and bounds integers without explicit
// bounds.
func checkHeader(f *model.Field) (hint, problem string) {
	if f.Rules.Header == "" {
		return "", ""
	}
	if f.Nullable {
		return "drop one of them", "header and nullable exclude each other"
	}
	t := base(f.Type)
	if f.Quoted || t.Kind != model.Int && t.Kind != model.Uint || t.Bits <= 32 {
		return "", ""
	}
	limit := big.NewRat(valid.MaxHeaderInteger, 1)
	inside := func(text string) bool {
		n, ok := jsontext.Number(text)
		return !ok || n.Abs(n).Cmp(limit) <= 0
	}
	texts := slices.Clone(f.Rules.Enum)
	for _, k := range keyword.Rules() {
		if limit := k.Limit(&f.Rules); limit != "" && k.Bound != keyword.NoBound {
			texts = append(texts, limit)
		}
	}
	closed := f.Rules.Enum
	if len(closed) == 0 {
		closed = enumTexts(t.Enum.Closed())
		texts = append(texts, closed...)
	}
	for _, text := range texts {
		if !inside(text) {
			return "stay within 9007199254740991 on both sides", fmt.Sprintf("a client cannot write %s exactly into a header", text)
		}
	}
	if len(closed) > 0 {
		return "", ""
	}
	if f.Rules.Limit(keyword.Minimum) == "" && f.Rules.Limit(keyword.ExclusiveMinimum) == "" && t.Kind == model.Int {
		f.Rules.SetLimit(keyword.Minimum, strconv.FormatInt(-valid.MaxHeaderInteger, 10))
	}
	if f.Rules.Limit(keyword.Maximum) == "" && f.Rules.Limit(keyword.ExclusiveMaximum) == "" {
		f.Rules.SetLimit(keyword.Maximum, strconv.FormatInt(valid.MaxHeaderInteger, 10))
	}
	return "", ""
}

// CheckHeaders checks the headers of an arguments object: no two are equal, ignoring case, and each
// argument with a header is reached through objects only. With defs, repeated types are shared.
func (r *Resolver) CheckHeaders(object *model.Type, defs bool, at diag.Place) bool {
	h := &headers{r: r, at: at, names: map[string]string{}, shared: map[*model.Type]bool{}, closed: map[*model.Type]bool{}, ok: true}
	for _, t := range newGraph(object).references(defs) {
		h.shared[t] = true
	}
	h.open(base(object), "")
	return h.ok
}

type headers struct {
	r      *Resolver
	at     diag.Place
	names  map[string]string // arguments by their headers in lower case
	shared map[*model.Type]bool
	closed map[*model.Type]bool // visited by inside
	ok     bool
}

func (h *headers) errorf(f *model.Field, hint, format string, args ...any) {
	s := site{Place: h.at, use: Argument}
	if h.r.files[f.Pos.Filename] {
		s.Pos = f.Pos
	}
	h.r.errorf(s, hint, format, args...)
	h.ok = false
}

// open visits arguments reached through objects only.
func (h *headers) open(t *model.Type, path string) {
	for _, f := range t.Fields {
		name := strings.TrimPrefix(path+"."+f.Name, ".")
		if f.Rules.Header != "" {
			key := strings.ToLower(f.Rules.Header)
			if other := h.names[key]; other != "" {
				h.errorf(f, "give one of them another header", "argument %s has the header %s, which argument %s has already", name, f.Rules.Header, other)
			} else {
				h.names[key] = name
			}
		}
		if inner := base(f.Type); inner.Kind == model.Struct && !h.shared[inner] && !f.Nullable {
			h.open(inner, name)
		} else {
			h.inside(inner, name)
		}
	}
}

// inside visits the other arguments, which must not have a header.
func (h *headers) inside(t *model.Type, path string) {
	if t == nil || h.closed[t] {
		return
	}
	h.closed[t] = true
	h.inside(t.Elem, path)
	for _, f := range t.Fields {
		name := strings.TrimPrefix(path+"."+f.Name, ".")
		if f.Rules.Header != "" {
			h.errorf(f, "drop the header, or take the value out of the list, map or shared type it is in",
				"argument %s has the header %s, and is not reached by way of objects alone", name, f.Rules.Header)
		}
		h.inside(f.Type, name)
	}
	if t.Union != nil {
		for _, v := range t.Union.Variants {
			h.inside(v.Type, path)
		}
	}
}
