package directive

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// WriteList writes a table of all directives for the documents, with one line for each. Errors of
// the writer are ignored.
func WriteList(w io.Writer) {
	var out strings.Builder
	out.WriteString("| directive | what it does |\n|---|---|\n")
	for _, s := range table() {
		fmt.Fprintf(&out, "| [%s](#%s) | %s |\n", code("//mcp:"+s.Word), anchor("//mcp:"+s.Word), cell(s.Help))
	}
	_, _ = io.WriteString(w, out.String())
}

// WriteMarkdown writes the reference of the documents: a section for each directive with its keys,
// and one for the keys that several directives share, so that each key is in one table. Keywords of
// //mcp:arg are in the table of package keyword. Errors of the writer are ignored.
func WriteMarkdown(w io.Writer) {
	var out strings.Builder
	shared := sharedKeys()
	for _, s := range table() {
		s.writeSection(&out, shared)
	}
	out.WriteString("## Keys of several directives\n\n| key | of | value | meaning |\n|---|---|---|---|\n")
	for _, k := range shared {
		of := make([]string, len(k.of))
		for i, word := range k.of {
			of[i] = code(word)
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %s |\n", code(k.Name), strings.Join(of, ", "), k.value(), cell(k.Help))
	}
	_, _ = io.WriteString(w, out.String())
}

// sharedKey is a key with the same meaning in several directives.
type sharedKey struct {
	Key
	of []string // the words of the directives
}

// sharedKeys returns the keys that several directives share, without the keywords of //mcp:arg.
// They are in the order of their first use in the table.
func sharedKeys() []sharedKey {
	var all []sharedKey
	for _, s := range table() {
		if s.Word == "arg" {
			continue
		}
		for _, k := range s.Keys {
			same := func(other sharedKey) bool { return other.Name == k.Name && other.Help == k.Help }
			if i := slices.IndexFunc(all, same); i >= 0 {
				all[i].of = append(all[i].of, s.Word)
			} else {
				all = append(all, sharedKey{k, []string{s.Word}})
			}
		}
	}
	return slices.DeleteFunc(all, func(k sharedKey) bool { return len(k.of) < 2 })
}

func (s *Spec) writeSection(out *strings.Builder, shared []sharedKey) {
	fmt.Fprintf(out, "## %s\n\n", code("//mcp:"+s.Word))
	if !s.Built {
		out.WriteString("Not built yet: using it is an error.\n\n")
	}
	fmt.Fprintf(out, "%s.\n", sentence(s.Help))
	if s.Note != "" {
		fmt.Fprintf(out, "%s.\n", sentence(s.Note))
	}
	if s.Synopsis != "" {
		fmt.Fprintf(out, "\nForm: %s.\n", code(s.heading()))
	}
	fmt.Fprintf(out, "\nApplies to %s.", s.targets())
	switch {
	case s.Repeat:
		out.WriteString(" May be repeated.")
	case s.OncePerPackage:
		out.WriteString(" Once in a package comment.")
	}
	fmt.Fprintf(out, "\n\n```go\n%s\n```\n\n", s.Example)
	if s.Word == "arg" {
		out.WriteString("Its keys are the [keywords](types.md#the-tag-jsonschema), most of which the tag `jsonschema` has too.\n\n")
		return
	}
	var own, links []string
	for _, k := range s.Keys {
		isShared := slices.ContainsFunc(shared, func(other sharedKey) bool { return other.Name == k.Name && other.Help == k.Help })
		if isShared {
			links = append(links, code(k.Name))
		} else {
			own = append(own, fmt.Sprintf("| %s | %s | %s%s |\n", code(k.Name), k.value(), cell(k.Help), unbuilt(k.Built || !s.Built)))
		}
	}
	if len(own) > 0 {
		out.WriteString("| key | value | meaning |\n|---|---|---|\n" + strings.Join(own, "") + "\n")
	}
	if len(links) > 0 {
		fmt.Fprintf(out, "[Keys of several directives](#keys-of-several-directives): %s.\n\n", strings.Join(links, ", "))
	}
}

// value describes the value of a key, with an example.
func (k *Key) value() string {
	text := cell(k.Kind.describe(k.Values))
	if k.Example != "" && k.Kind != KindWord {
		text += ", " + cell(code(k.Name+"="+k.Example))
	}
	return text
}

func (k Kind) describe(values []string) string {
	switch k {
	case KindFlag:
		return "flag"
	case KindWord:
		quoted := make([]string, len(values))
		for i, v := range values {
			quoted[i] = code(v)
		}
		return either(quoted)
	case KindName:
		return "name"
	case KindDuration:
		return "duration"
	case KindSize:
		return "size in bytes"
	case KindNumber:
		return "number"
	case KindInteger:
		return "whole number"
	case KindJSON:
		return "JSON"
	case KindList:
		return "list, with commas"
	case KindNames:
		return "names, with commas or spaces"
	case KindFlagOrNames:
		return "flag, or names with commas"
	}
	return "text"
}

// anchor returns GitHub's anchor for a heading of one word in code.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, heading)
}

// code returns s as inline code, even if it contains backquotes.
func code(s string) string {
	if strings.Contains(s, "`") {
		return "`` " + s + " ``"
	}
	return "`" + s + "`"
}

// cell escapes a text for a cell of a table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
