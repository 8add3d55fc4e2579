package main

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

func TestServer(t *testing.T) {
	c := mcptest.New(t, newServer(), mcptest.Options{})
	type counted struct{ Count int }
	if got := mcptest.Call[counted](c, "count_words", map[string]any{"text": " one two\nthree "}); got.Count != 3 {
		t.Errorf("counted %d", got.Count)
	}
	for _, arguments := range []any{nil, map[string]any{"text": 1}, map[string]any{"words": "a"}} {
		if text := c.CallError("count_words", arguments); text != "text: a string is required" {
			t.Errorf("%v: %q", arguments, text)
		}
	}
	if text := c.Read("words:///help").Contents[0].Text; text != "Words are separated by white space." {
		t.Errorf("help is %q", text)
	}
	prompt := c.Prompt("shorten", map[string]string{"text": "A b."})
	if text := prompt.Text(); text != "user: Say this with half as many words: A b." {
		t.Errorf("the prompt is %q", text)
	}
}
