package mcpskill_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpskill"
)

// TestWithBlock puts the published block in front of a text, and refuses any other block.
func TestWithBlock(t *testing.T) {
	const block = "---\nname: \"daily\"\ndescription: \"Does daily.\"\n---\n"
	for text, want := range map[string]string{
		"":                              block,
		"# Daily\n":                     block + "# Daily\n",
		block + "# Daily\n":             block + "# Daily\n",
		"----\n":                        block + "----\n",
		"---\nname: daily\n---\n":       "",
		"---\r\nname: daily\r\n---\r\n": "",
		"\ufeff---\nname: daily\n---\n": "",
	} {
		got, err := mcpskill.WithBlock(block, func(context.Context) (string, error) { return text, nil })(t.Context())
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
	if _, err := mcpskill.WithBlock(block, func(context.Context) (string, error) { return "", io.ErrUnexpectedEOF })(t.Context()); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
	// What it returns is what a skill needs.
	f := mcpskill.Dynamic(mcpskill.Info{URI: "skill://reports/daily", Frontmatter: front("daily")},
		mcpskill.WithBlock(block, func(context.Context) (string, error) { return "# Daily\n", nil }))
	if r := connect(t, server([]mcp.Feature{f})).Read("skill://reports/daily/SKILL.md"); r.Contents[0].Text != block+"# Daily\n" {
		t.Errorf("%+v", r)
	}
}
