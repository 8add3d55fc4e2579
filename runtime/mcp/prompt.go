package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/jsonobject"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// PromptInfo describes a prompt. Generated code points to variables of this type, which nothing
// changes.
type PromptInfo struct {
	Name        string // as for a tool
	Title       string
	Description string
	Symbol      string // the Go function, for diagnostics
	Groups      []string
	Scopes      []string // scopes that a caller needs, all of them
	Icons       []Icon
	Arguments   []PromptArgument
	// ReadOnly are names that no client may send, since only results have them. The refusal names
	// that reason.
	ReadOnly []string
	// Meta is published with the prompt, from revision 2025-06-18 on.
	Meta Meta

	// Embeds means that messages may contain an [EmbeddedResource]. The server then declares the
	// capability resources, even if its lists are empty (server/prompts, embedded resources).
	// [NewPrompt] sets it.
	Embeds bool

	// Requires are capabilities without which a client cannot get the prompt.
	Requires []Capability
	// Errors returns the message of an error for clients, and whether it has one.
	Errors func(error) (text string, ok bool)
	// HideErrors hides the messages of all other errors from clients.
	HideErrors bool
	// Timeout limits the time of the function; 0 means [WithTimeout].
	Timeout time.Duration

	choices map[string]*wire.Choices // choices of arguments, by their functions
}

// PromptArgument is an argument of a prompt. Its value is a string for the client, which gets the
// first four fields.
type PromptArgument struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"` // from revision 2025-06-18 on
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
	// NotBlank means that an empty string is not a valid value of the argument, as for a number or
	// a choice. If the argument is not required, an empty string counts as absent: clients send it
	// for empty fields of a form.
	NotBlank bool `json:"-"`
	// Values are all values of an enumeration, for completion.
	Values []string `json:"-"`
	// Complete finds values, instead of Values.
	Complete CompleteFunc `json:"-"`
}

// promptFunc makes the messages of a prompt.
type promptFunc = func(ctx context.Context, req *Request) (*PromptResult, error)

// NewPrompt returns a hand-written prompt. f gets only declared arguments, and all required ones.
func NewPrompt(info PromptInfo, f func(ctx context.Context, arguments map[string]string) (*PromptResult, error)) Feature {
	info.Embeds = true // f may return any message
	return newPrompt(&info, func(ctx context.Context, req *Request) (*PromptResult, error) {
		return f(ctx, req.promptArguments())
	}, nil)
}

// prompt is the feature type of generated and hand-written prompts.
type prompt struct {
	info     *PromptInfo
	name     string
	get      promptFunc
	complete map[string]CompleteFunc // by argument; takes precedence over info
	traits   traits
	listed   listings
}

func newPrompt(info *PromptInfo, get promptFunc, complete map[string]CompleteFunc) *prompt {
	return &prompt{
		info: info, name: info.Name, get: get, complete: complete,
		traits: traits{help: wire.Leniency(), choices: info.choices, description: info.Description},
	}
}

func (p *prompt) Info() FeatureInfo {
	return FeatureInfo{
		Kind: KindPrompt, Name: p.name, Title: p.info.Title, Description: p.info.Description,
		Groups: p.info.Groups, Symbol: p.info.Symbol, Scopes: p.info.Scopes,
	}
}

func (p *prompt) renamed(prefix string) Feature {
	return &prompt{info: p.info, name: prefix + "_" + p.name, get: p.get, complete: p.complete, traits: p.traits}
}

func (p *prompt) check(declared map[string]json.RawMessage) {
	checkName(KindPrompt, p.name)
	checkPublished(declared, KindPrompt, p.name, "", p.info.Scopes, nil, p.info.Icons, p.info.Meta)
	for i, a := range p.info.Arguments {
		if a.Name == "" {
			panic(fmt.Sprintf("mcp: an argument of prompt %q has no name", p.name))
		}
		if first, _ := p.argument(a.Name); first != i {
			panic(fmt.Sprintf("mcp: prompt %q has the argument %q twice", p.name, a.Name))
		}
	}
	for name := range p.complete {
		if _, ok := p.argument(name); !ok {
			panic(fmt.Sprintf("mcp: prompt %q has no argument %q", p.name, name))
		}
	}
}

func (p *prompt) argument(name string) (int, bool) {
	for i := range p.info.Arguments {
		if p.info.Arguments[i].Name == name {
			return i, true
		}
	}
	return 0, false
}

func (p *prompt) names() []string { return []string{p.name} }

func (p *prompt) completes() bool {
	for _, a := range p.info.Arguments {
		if a.Complete != nil || len(a.Values) > 0 {
			return true
		}
	}
	return len(p.complete) > 0
}

// completer returns the function or the values that complete an argument, and whether the argument
// is completed.
func (p *prompt) completer(argument string) (CompleteFunc, []string, bool) {
	i, ok := p.argument(argument)
	if !ok {
		return nil, nil, false
	}
	if f := p.complete[argument]; f != nil {
		return f, nil, true
	}
	return p.info.Arguments[i].Complete, p.info.Arguments[i].Values, true
}

func (p *prompt) listing(rev *protocol.Revision) []byte { return p.listed.get(p, rev) }

func (p *prompt) listingSize() int {
	n := 150 + len(p.name) + len(p.info.Title) + len(p.info.Description)
	for _, a := range p.info.Arguments {
		n += 60 + len(a.Name) + len(a.Title) + len(a.Description)
	}
	return n
}

func (p *prompt) appendListing(b []byte, rev *protocol.Revision) []byte {
	b = append(b, `{"name":`...)
	b = wire.AppendString(b, p.name)
	if rev.Fields.Title {
		b = jsonobject.AppendText(b, "title", p.info.Title)
	}
	b = jsonobject.AppendText(b, "description", p.info.Description)
	if len(p.info.Arguments) > 0 {
		b = append(b, `,"arguments":[`...)
		for i, a := range p.info.Arguments {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, `{"name":`...)
			b = wire.AppendString(b, a.Name)
			if rev.Fields.Title {
				b = jsonobject.AppendText(b, "title", a.Title)
			}
			b = jsonobject.AppendText(b, "description", a.Description)
			if a.Required {
				b = append(b, `,"required":true`...)
			}
			b = append(b, '}')
		}
		b = append(b, ']')
	}
	return closeListing(b, nil, p.info.Icons, nil, p.info.Meta, rev)
}
