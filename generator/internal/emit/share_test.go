package emit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// shareAll returns the roots and the constants as they are written.
func shareAll(roots []string, plans []*model.Type) (written []string, constants map[string]string) {
	s := newSharing(nil)
	for i, root := range roots {
		var plan *model.Type
		if plans != nil {
			plan = plans[i]
		}
		s.count(root, plan, fmt.Sprint("Tool", i))
	}
	s.name()
	constants = map[string]string{}
	for _, root := range roots {
		var used []*sharedText
		written = append(written, s.compose(root, false, &used))
		for i := 0; i < len(used); i++ {
			if k := used[i]; constants[k.name] == "" {
				constants[k.name] = s.compose(k.text, true, &used)
			}
		}
	}
	return written, constants
}

// joined returns a text with the constants that it refers to.
func joined(text string, constants map[string]string) string {
	var b strings.Builder
	for i, piece := range strings.Split(text, reference) {
		if i%2 == 1 {
			piece = joined(constants[piece], constants)
		}
		b.WriteString(piece)
	}
	return b.String()
}

// objects returns all objects in a text.
func objects(text string) (all []string) {
	if text == "" || text[0] != '{' && text[0] != '[' {
		return nil
	}
	if text[0] == '{' {
		all = append(all, text)
	}
	for _, m := range splitJSON(text) {
		if text[0] == '{' {
			_, m = cutMember(m)
		}
		all = append(all, objects(m)...)
	}
	return all
}

// TestSharedTexts makes schemas from a few parts: joined they are unchanged, and no two written
// texts contain the same object of more than 200 bytes.
func TestSharedTexts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var object func(depth int) string
	object = func(depth int) string {
		if depth == 0 {
			return fmt.Sprintf(`{"type":"string","description":%q}`, strings.Repeat("word, \"quoted\" {[ ", 2+random.IntN(2)*10))
		}
		keys := []string{`"items":`, `"anyOf":[`, `"properties":{"a":`, `"$defs":{"B":`}
		ends := []string{"", "]", "}", "}"}
		k := random.IntN(len(keys))
		return `{"type":"object",` + keys[k] + object(depth-1) + ends[k] + `,"note":` + object(random.IntN(depth)) + `}`
	}
	shared := 0
	for range 200 {
		var roots []string
		for range 6 {
			roots = append(roots, object(1+random.IntN(3)))
		}
		written, constants := shareAll(roots, nil)
		shared += len(constants)
		for i := range roots {
			if got := joined(written[i], constants); got != roots[i] {
				t.Fatalf("joined:\n%s\nwant\n%s", got, roots[i])
			}
		}
		seen := map[string]bool{}
		for _, text := range append(slices.Clone(written), slices.Collect(func(yield func(string) bool) {
			for _, c := range constants {
				if !yield(c) {
					return
				}
			}
		})...) {
			for _, o := range objects(text) {
				if whole := joined(o, constants); len(whole) > minShared && seen[whole] {
					t.Fatalf("written twice: %s", whole)
				} else if len(whole) > minShared {
					seen[whole] = true
				}
			}
		}
	}
	if shared < 200 {
		t.Errorf("only %d constants", shared)
	}
}

// TestSharedNames checks that the constants are named after the types that they describe.
func TestSharedNames(t *testing.T) {
	const long = `"description":"` + "a text of which there is enough to make its object longer than two hundred bytes, so that it is worth " +
		"a constant of its own wherever it comes up for the second time in a file of schemas" + `"`
	const book = `{"type":"object",` + long + `,"properties":{"title":{"type":"string"}}}`
	plan := &model.Type{Kind: model.Struct, Name: "book"}
	list := &model.Type{Kind: model.Struct, Fields: []*model.Field{
		{Name: "books", Type: &model.Type{Kind: model.Slice, Elem: &model.Type{Kind: model.Pointer, Elem: plan}}},
	}}
	roots := []string{`{"type":"object","properties":{"books":{"type":"array","items":` + book + `}}}`, book, `{"type":"array","items":{"x":` + book + `}}`}
	written, constants := shareAll(roots, []*model.Type{list, plan, nil})
	if len(constants) != 1 || constants["mcpSchemaBook"] != book {
		t.Errorf("constants: %v", constants)
	}
	if want := reference + "mcpSchemaBook" + reference; written[1] != want || !strings.Contains(written[0], `"items":`+want) {
		t.Errorf("written: %q", written)
	}
	if got, want := source(raw(`{"a":`+reference+"mcpSchemaBook"+reference+"`}")), "`{\"a\":` + mcpSchemaBook + \"`}\""; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
