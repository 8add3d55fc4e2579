package mcpfind

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// This file writes the texts for models.

// longestInstructions limits the bytes of the text in the instructions: 300 tokens, as mcpgen list
// counts them.
const longestInstructions = 1200

// instructions returns the text for the instructions of a server, with the largest groups.
func instructions(groups map[string]int, all int) string {
	text := fmt.Sprintf("This server has %d tools, and lists only some. %s finds the others by plain words, "+
		"%s calls those that change nothing, and %s calls all.", all, SearchTools, UseReadOnlyTool, UseTool)
	if len(groups) == 0 {
		return text
	}
	names := slices.SortedFunc(maps.Keys(groups), func(a, b string) int {
		return cmp.Or(cmp.Compare(groups[b], groups[a]), cmp.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s (%d)", name, groups[name])
	}
	text += " Groups of tools, with their sizes: "
	return text + listed(names, longestInstructions-len(text)-len(".")) + "."
}

// listed returns a list of whole names, followed by the number of missing ones if most bytes are
// too few.
func listed(names []string, most int) string {
	var b strings.Builder
	for i, name := range names {
		rest := fmt.Sprintf("%d more", len(names)-i)
		if b.Len()+len(name)+len(", ")+len(rest) > most {
			return b.String() + rest
		}
		if b.WriteString(name); i < len(names)-1 {
			b.WriteString(", ")
		}
	}
	return b.String()
}

// longestSentence limits the bytes of the first sentence of a tool that a result does not describe
// in full.
const longestSentence = 80

// longestWhole is the length of a result in bytes after which no further tool is described in full.
const longestWhole = 8000

// searchResult returns a search result as text. It describes up to whole tools in full, fewer if
// they are long.
func searchResult(f found, whole int) string {
	var b strings.Builder
	whole = min(whole, len(f.tools))
	for i := range f.tools[:whole] {
		t := &f.tools[i]
		if i > 0 && b.Len()+len(t.Description)+len(t.InputSchema) > longestWhole {
			whole = i
			break
		}
		fmt.Fprintf(&b, "%s (by %s)\n", t.Name, caller(t))
		if t.Description != "" {
			b.WriteString(t.Description + "\n")
		}
		b.WriteString("Arguments: " + t.InputSchema + "\n\n")
	}
	if whole < len(f.tools) {
		b.WriteString("Further tools; search for the name of one to get its arguments:\n")
	}
	for i := range f.tools[whole:] {
		t := &f.tools[whole+i]
		b.WriteString(t.Name)
		if s := firstSentence(t); s != "" {
			b.WriteString(": " + s)
		}
		b.WriteString("\n")
	}
	if f.more {
		b.WriteString("There are more: search by other words or by a group.\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// caller returns the name of the tool that calls t.
func caller(t *mcp.FeatureInfo) string {
	if t.Hints.ReadOnly {
		return UseReadOnlyTool
	}
	return UseTool
}

// firstSentence returns the first sentence of a description, or else the title.
func firstSentence(t *mcp.FeatureInfo) string {
	text := strings.TrimSpace(t.Description)
	if text == "" {
		text = t.Title
	}
	text, _, _ = strings.Cut(text, "\n")
	if i := strings.Index(text, ". "); i >= 0 {
		text = text[:i+1]
	}
	if len(text) <= longestSentence {
		return text
	}
	end := longestSentence
	for !utf8.RuneStart(text[end]) {
		end--
	}
	if space := strings.LastIndexByte(text[:end], ' '); space > end/2 {
		end = space
	}
	return text[:end] + "…"
}
