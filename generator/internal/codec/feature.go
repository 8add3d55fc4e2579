package codec

import (
	"fmt"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// Prefixes of the identifiers in the generated file, followed by the stem of a feature that is not
// a tool.
var (
	resourcePrefixes = []string{"mcpResource", "mcpTemplate", "mcpRead"}
	promptPrefixes   = []string{"mcpPrompt", "mcpGet"}
)

// Form plans the reading of the answer to a form.
type Form struct {
	Stem   string // the description's identifier is mcpForm followed by Stem
	Decode Func
}

// features plans resources, templates, prompts and forms.
func (b *builder) features(p *model.Package) error {
	subjects := map[*model.Call]string{}
	for _, list := range [][]*model.Resource{p.Resources, p.Templates} {
		for _, r := range list {
			b.plan.Calls[&r.Call] = &Tool{Stem: b.names.take(resourcePrefixes, Camel(r.Name))}
			subjects[&r.Call] = "resource " + r.Name
		}
	}
	for _, t := range p.Prompts {
		b.plan.Calls[&t.Call] = &Tool{Stem: b.names.take(promptPrefixes, Camel(t.Name))}
		subjects[&t.Call] = "prompt " + t.Name
	}
	for _, c := range p.Calls() {
		out := b.plan.Calls[c]
		if out == nil {
			continue // a tool
		}
		b.subject = subjects[c]
		if b.tool(c, out); b.err != nil {
			return fmt.Errorf("plan codecs of %s: %w", c.Func.Symbol, b.err)
		}
	}
	b.plan.Forms = map[*model.Form]*Form{}
	for _, f := range p.Forms {
		stem := typeStem(f.Type.Go)
		b.subject = "form " + stem
		b.plan.Forms[f] = &Form{Stem: b.names.table("mcpForm", stem), Decode: b.decodeFunc(f.Type, stem)}
		if b.err != nil {
			return fmt.Errorf("plan codecs of form %s: %w", stem, b.err)
		}
	}
	return nil
}
