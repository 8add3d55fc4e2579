package schema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// LargeSchema is the total size, in bytes, of one tool's schemas above which there is a warning:
// some APIs of models refuse larger ones, and each client reads them in every session.
const LargeSchema = 16 << 10

// Weight is the size of the published schemas of one tool.
type Weight struct {
	Input, Output int      // in bytes
	Parts         []string // the largest members, largest first: "result [].owner 4,120"
}

// Total returns the size of both schemas, in bytes.
func (w *Weight) Total() int { return w.Input + w.Output }

// String returns the sizes for people.
func (w *Weight) String() string {
	text := fmt.Sprintf("its schemas have %s bytes (arguments %s, result %s)", thousands(w.Total()), thousands(w.Input), thousands(w.Output))
	if len(w.Parts) > 0 {
		text += "; largest: " + strings.Join(w.Parts, ", ")
	}
	return text
}

// Hint returns a hint how to reduce the schemas of a tool that is too large.
func (w *Weight) Hint(t *model.Tool) string {
	var ways []string
	if w.Output > 0 {
		ways = append(ways, "output=text or output=untyped publishes no schema of the result")
	}
	if !t.Defs {
		ways = append(ways, "//mcp:defaults defs writes types that repeat once")
	}
	return strings.Join(append(ways, "otherwise take or return less"), "; ")
}

// WeightOf returns the size of the schemas of a tool.
func WeightOf(t *model.Tool) *Weight { return weigh(InputOf(t), OutputOf(t)) }

func weigh(input, output string) *Weight {
	w := &Weight{Input: len(input), Output: len(output)}
	if w.Total() <= LargeSchema {
		return w // only the warning needs the parts
	}
	parts := append(partsOf("argument", input), partsOf("result", output)...)
	for range maxOpened {
		slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.size(), a.size()) })
		// A part that is most of the whole is not informative: its members are shown instead.
		at := slices.IndexFunc(parts, func(p part) bool { return p.size() > w.Total()/2 && len(p.members()) > 0 })
		if at < 0 {
			break
		}
		parts = slices.Concat(parts[:at], parts[at].members(), parts[at+1:])
	}
	for _, p := range parts[:min(3, len(parts))] {
		w.Parts = append(w.Parts, fmt.Sprintf("%s %s", p.name(), thousands(p.size())))
	}
	return w
}

// maxOpened limits the number of parts that are replaced by their members.
const maxOpened = 100

// part is the schema of a member.
type part struct {
	root, path string
	text       json.RawMessage
}

func (p part) size() int { return len(p.text) }

func (p part) name() string {
	if p.path == "" {
		return p.root
	}
	return p.root + " " + p.path
}

// partsOf returns the members of a schema, or the schema itself if it has none.
func partsOf(root, text string) []part {
	if text == "" {
		return nil
	}
	whole := part{root: root, text: json.RawMessage(text)}
	if parts := whole.members(); len(parts) > 0 {
		return parts
	}
	return []part{whole}
}

// members returns the schemas directly inside one: properties, elements, alternatives and
// definitions.
func (p part) members() []part {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Defs       map[string]json.RawMessage `json:"$defs"`
		Items      json.RawMessage            `json:"items"`
		Values     json.RawMessage            `json:"additionalProperties"`
		AnyOf      []json.RawMessage          `json:"anyOf"`
		OneOf      []json.RawMessage          `json:"oneOf"`
	}
	if json.Unmarshal(p.text, &s) != nil {
		return nil // an author's schema may be true
	}
	var all []part
	for _, name := range sortedKeys(s.Properties) {
		path := name
		if p.path != "" {
			path = p.path + "." + name
		}
		all = append(all, part{p.root, path, s.Properties[name]})
	}
	for _, name := range sortedKeys(s.Defs) {
		all = append(all, part{p.root, "$defs." + name, s.Defs[name]})
	}
	if len(s.Items) > 0 {
		all = append(all, part{p.root, p.path + "[]", s.Items})
	}
	if len(s.Values) > 0 && s.Values[0] == '{' {
		all = append(all, part{p.root, p.path + ".*", s.Values})
	}
	for _, text := range slices.Concat(s.AnyOf, s.OneOf) {
		all = append(all, part{p.root, p.path, text})
	}
	return all
}

// thousands writes a number with commas.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
