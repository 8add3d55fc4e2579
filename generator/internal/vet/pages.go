package vet

import "github.com/mcpgen/mcpgen/generator/internal/model"

// pagesWithoutText checks the rule page-without-text.
func (c *checker) pagesWithoutText() {
	for _, f := range c.features {
		if f.tool == nil || f.tool.UI == nil || f.tool.UI.ResourceURI == "" || f.tool.UI.Visibility == "app" {
			continue
		}
		switch f.tool.Result.Kind {
		case model.ResultBlob, model.ResultReader, model.ResultNone:
			c.report(f.set, f.pos, f.subject, "return what the page shows, as a text or a value",
				"its page shows a result that has no text, so other hosts show nothing, and the model reads nothing")
		}
	}
}
