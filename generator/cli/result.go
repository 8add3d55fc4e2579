package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// printResult prints the result of a tool: data to standard output, and messages for people, above
// all errors, to standard error.
func (c *command) printResult(r *mcp.ToolResult) int {
	c.progress.clear()
	switch {
	case r.IsError:
		printContent(c.err, r.Content)
		return exitFound
	case r.Structured == nil:
		printContent(c.data, r.Content)
		return exitDone
	}
	var indented bytes.Buffer
	if json.Indent(&indented, r.Structured, "", "  ") != nil {
		indented.Reset()
		indented.Write(r.Structured)
	}
	fmt.Fprintf(c.data, "%s\n", indented.Bytes())
	// The text is usually the same JSON again; other text is for people.
	for _, block := range r.Content {
		if text, ok := block.(mcp.Text); !ok || !sameJSON(text.Text, r.Structured) {
			printContent(c.err, []mcp.Content{block})
		}
	}
	return exitDone
}

// sameJSON reports whether a text is a value's JSON form.
func sameJSON(text string, value json.RawMessage) bool {
	var a, b bytes.Buffer
	return json.Compact(&a, []byte(text)) == nil && json.Compact(&b, value) == nil && bytes.Equal(a.Bytes(), b.Bytes())
}

// printContent prints text unchanged and describes other content on a line.
func printContent(w io.Writer, content []mcp.Content) {
	for _, block := range content {
		switch b := block.(type) {
		case mcp.Text:
			printText(w, b.Text)
		case mcp.Image:
			fmt.Fprintf(w, "[image %s]\n", joined(b.MIMEType, size(b.Data)))
		case mcp.Audio:
			fmt.Fprintf(w, "[audio %s]\n", joined(b.MIMEType, size(b.Data)))
		case mcp.ResourceLink:
			fmt.Fprintf(w, "[resource link %s]\n", joined(b.URI, b.Name, b.MIMEType))
		case mcp.EmbeddedResource:
			if b.Blob != nil {
				fmt.Fprintf(w, "[resource %s]\n", joined(b.URI, b.MIMEType, size(b.Blob)))
				continue
			}
			fmt.Fprintf(w, "[resource %s]\n", joined(b.URI, b.MIMEType))
			printText(w, b.Text)
		case mcp.RawContent:
			fmt.Fprintf(w, "[%s %s]\n", b.Type, size(b.JSON))
		}
	}
}

func printText(w io.Writer, text string) {
	fmt.Fprintf(w, "%s\n", strings.TrimSuffix(text, "\n"))
}

func size(data []byte) string { return fmt.Sprint(len(data), " bytes") }

func joined(words ...string) string {
	var said []string
	for _, word := range words {
		if word != "" {
			said = append(said, word)
		}
	}
	return strings.Join(said, ", ")
}
