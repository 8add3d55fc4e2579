package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/schema"
	"github.com/mcpgen/mcpgen/internal/valid"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
)

// listing contains the features of a package as revision 2026-07-28 lists them, each kind in the
// order of the model.
type listing struct {
	tools, resources, templates, prompts, skills []json.RawMessage
}

// listed returns the features of a package. The runtime renders them, as it does for clients, so
// that the two cannot differ; their functions do nothing. The import of the runtime also lets "go
// mod vendor" find it before the first file is generated.
func listed(ctx context.Context, m *model.Package) (*listing, error) {
	s := mcp.NewServer(mcp.ServerInfo{Name: m.Name}, extensions(m)...)
	for _, f := range features(m) {
		if err := f.with(s); err != nil {
			return nil, err
		}
	}
	client, wait := s.Connect(ctx)
	defer wait() //nolint:errcheck // the answer is here, or an error that says more
	defer client.Close()
	l := &listing{}
	for _, one := range m.AllSkills() {
		l.skills = append(l.skills, skillEntry(one))
	}
	for _, list := range []struct {
		method, member string
		want           int
		out            *[]json.RawMessage
	}{
		{"tools/list", "tools", len(m.Tools), &l.tools},
		{"resources/list", "resources", len(m.Resources), &l.resources},
		{"resources/templates/list", "resourceTemplates", len(m.Templates), &l.templates},
		{"prompts/list", "prompts", len(m.Prompts), &l.prompts},
	} {
		if list.want == 0 {
			continue
		}
		var err error
		if *list.out, err = page(client, list.method, list.member); err == nil && len(*list.out) != list.want {
			err = fmt.Errorf("got %d of %d", len(*list.out), list.want)
		}
		if err != nil {
			return nil, fmt.Errorf("ask for %s: %w", list.method, err)
		}
	}
	return l, nil
}

// page reads all pages of a list.
func page(client jsonrpc.Conn, method, member string) (all []json.RawMessage, err error) {
	cursor := ""
	for {
		params := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
		if cursor != "" {
			params = `"cursor":` + cursor + `,` + params
		}
		if err := client.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + "}}\n")); err != nil {
			return nil, err
		}
		answer, err := client.Read()
		if err != nil {
			return nil, err
		}
		var reply struct {
			Result map[string]json.RawMessage `json:"result"`
		}
		var items []json.RawMessage
		if err := json.Unmarshal(answer, &reply); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(reply.Result[member], &items); err != nil {
			return nil, fmt.Errorf("%w: %s", err, bytes.TrimSpace(answer))
		}
		all = append(all, items...)
		if cursor = string(reply.Result["nextCursor"]); cursor == "" {
			return all, nil
		}
	}
}

var errListed = errors.New("only listed")

// registration is a feature with its place in the source, for errors of its registration.
type registration struct {
	pos     token.Position
	subject string
	feature func() mcp.Feature
}

// refusedFeature is the panic of a server that refuses to register a feature.
type refusedFeature struct{ diag.Diagnostic }

// Error returns the diagnostic's message.
func (e *refusedFeature) Error() string { return e.Text() }

// with registers the feature. A panic of the server becomes an error.
func (r *registration) with(s *mcp.Server) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = &refusedFeature{diag.Diagnostic{
				Pos: r.pos, Subject: r.subject, Message: fmt.Sprintf("a server does not register it: %v", reason),
				Hint: "correct it in the source; a program with the feature would panic with this reason when it starts",
			}}
		}
	}()
	s.Register(r.feature())
	return nil
}

// extensions declares extensions so that metadata with their prefixes can be listed: the options of
// a program determine which of them it declares.
func extensions(m *model.Package) []mcp.Option {
	var options []mcp.Option
	seen := map[string]bool{}
	for _, f := range metaOf(m) {
		if prefix, reserved := valid.ReservedPrefix(f.Key); reserved && !seen[prefix] {
			seen[prefix] = true
			options = append(options, mcp.WithExtension(mcp.Extension{Name: prefix + "/listed"}))
		}
	}
	return options
}

// metaOf returns the metadata of all features.
func metaOf(m *model.Package) []model.Meta {
	var all []model.Meta
	for _, t := range m.Tools {
		all = append(all, t.Meta...)
	}
	for _, r := range slices.Concat(m.Resources, m.Templates) {
		all = append(all, r.Meta...)
	}
	for _, p := range m.Prompts {
		all = append(all, p.Meta...)
	}
	return all
}

// features returns the features of a package, with everything that a list shows and registration
// checks.
func features(m *model.Package) []registration {
	var all []registration
	add := func(pos token.Position, subject string, feature func() mcp.Feature) {
		all = append(all, registration{pos, subject, feature})
	}
	for _, t := range m.Tools {
		add(t.Pos, "tool "+t.Name, func() mcp.Feature {
			return mcp.NewTool(toolInfo(t), func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
				return nil, errListed
			})
		})
	}
	read := func(context.Context, *mcp.Request) (*mcp.ResourceResult, error) { return nil, errListed }
	for _, r := range m.Resources {
		add(r.Pos, "resource "+r.URI, func() mcp.Feature {
			return mcpimpl.FuncResource(&mcp.ResourceInfo{
				URI: r.URI, Name: r.Name, Title: r.Title, Description: r.Description, Groups: r.Groups, Scopes: r.Scopes,
				MIMEType: r.MIME, Annotations: annotations(r), Icons: icons(r.Icons), UI: pageUI(r.UI), Meta: meta(r.Meta),
			}, read)
		})
	}
	for _, r := range m.Templates {
		add(r.Pos, "resource template "+r.Template(), func() mcp.Feature {
			return mcpimpl.FuncTemplate(&mcp.TemplateInfo{
				URITemplate: r.Template(), Name: r.Name, Title: r.Title, Description: r.Description, Groups: r.Groups, Scopes: r.Scopes,
				MIMEType: r.MIME, Annotations: annotations(r), Icons: icons(r.Icons), UI: pageUI(r.UI), Meta: meta(r.Meta),
			}, read)
		})
	}
	for _, p := range m.Prompts {
		info := &mcp.PromptInfo{
			Name: p.Name, Title: p.Title, Description: p.Description, Groups: p.Groups, Scopes: p.Scopes,
			Icons: icons(p.Icons), Meta: meta(p.Meta),
		}
		if p.Input != nil && p.Input.Object != nil {
			for _, f := range p.Input.Object.Fields {
				info.Arguments = append(info.Arguments, mcp.PromptArgument{
					Name: f.Name, Title: f.Title, Description: f.Description, Required: f.Required,
				})
			}
		}
		add(p.Pos, "prompt "+p.Name, func() mcp.Feature {
			return mcpimpl.FuncPrompt(info, func(context.Context, *mcp.Request) (*mcp.PromptResult, error) {
				return nil, errListed
			})
		})
	}
	return all
}

// annotations returns the annotations of a resource, or nil.
func annotations(r *model.Resource) *mcp.Annotations {
	if len(r.Audience) == 0 && r.Priority == "" {
		return nil
	}
	a := &mcp.Annotations{}
	for _, role := range r.Audience {
		a.Audience = append(a.Audience, mcp.Role(role))
	}
	if p, err := strconv.ParseFloat(r.Priority, 64); err == nil {
		a.Priority = &p
	}
	return a
}

// toolInfo returns the parts of a tool that a listing shows.
func toolInfo(t *model.Tool) mcp.ToolInfo {
	info := mcp.ToolInfo{
		Name: t.Name, Title: t.Title, Description: t.Description, Symbol: t.Func.Symbol,
		Hints: mcp.ToolHints(t.Hints), Icons: icons(t.Icons), Meta: meta(t.Meta),
		Groups: t.Groups, Scopes: t.Scopes, Aliases: t.Aliases,
	}
	if t.UI != nil {
		info.UI = &mcp.ToolUI{ResourceURI: t.UI.ResourceURI, Visibility: mcp.ToolVisibility(t.UI.Visibility)}
	}
	info.InputSchema = schema.InputOf(t)
	info.OutputSchema = schema.OutputOf(t)
	return info
}

// pageUI returns the description of a page, or nil if it leaves everything to the host.
func pageUI(ui *model.PageUI) *mcp.ResourceUI {
	if ui.Empty() {
		return nil
	}
	page := &mcp.ResourceUI{
		ConnectDomains: ui.Connect, ResourceDomains: ui.Load, FrameDomains: ui.Frames, BaseURIDomains: ui.Base,
		Domain: ui.Domain, PrefersBorder: ui.Border,
	}
	for _, p := range ui.Permissions {
		page.Permissions = append(page.Permissions, mcp.UIPermission(p))
	}
	return page
}

func icons(icons []model.Icon) []mcp.Icon {
	all := make([]mcp.Icon, 0, len(icons))
	for _, i := range icons {
		all = append(all, mcp.Icon(i))
	}
	return all
}

func meta(members []model.Meta) mcp.Meta {
	all := mcp.Meta{}
	for _, m := range members {
		all[m.Key] = json.RawMessage(m.JSON)
	}
	return all
}

// identity returns the server that the package describes, as far as it is known before the program
// runs.
func identity(m *model.Package) json.RawMessage {
	s := m.Server
	if s == nil {
		s = &model.Server{Name: m.Name}
	}
	type icon struct {
		Source   string   `json:"src"`
		MIMEType string   `json:"mimeType,omitempty"`
		Sizes    []string `json:"sizes,omitempty"`
		Theme    string   `json:"theme,omitempty"`
	}
	var sources []icon
	for _, i := range s.Icons {
		sources = append(sources, icon(i))
	}
	text, err := json.Marshal(struct {
		Name         string `json:"name"`
		Title        string `json:"title,omitempty"`
		Version      string `json:"version,omitempty"`
		Description  string `json:"description,omitempty"`
		Instructions string `json:"instructions,omitempty"`
		Website      string `json:"websiteUrl,omitempty"`
		Icons        []icon `json:"icons,omitempty"`
	}{s.Name, s.Title, s.Version, s.Description, s.Instructions, s.Website, sources})
	if err != nil {
		return json.RawMessage("{}") // strings always marshal
	}
	return text
}
