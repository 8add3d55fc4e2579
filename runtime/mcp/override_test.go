package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// schemaOfTool contains a text in every place that allows one.
const schemaOfTool = `{"type":"object","title":"T","properties":{"title":{"type":"string","description":"D","default":"x"},` +
	`"n":{"$ref":"#/$defs/N"},"l":{"type":"array","items":{"anyOf":[{"type":"string"},{"const":1,"title":"one"}]}}},` +
	`"required":["n"],"additionalProperties":false,"$defs":{"N":{"type":"integer","minimum":1}}}`

// registerOverridden registers one feature of each kind, with everything that can be overridden.
func registerOverridden(r mcp.Registrar) {
	all := func(error) (string, bool) { return "declared", true }
	r.Register(mcp.NewTool(mcp.ToolInfo{
		Name: "tool", Title: "Tool", Description: "Of the program.", Symbol: "Tool", Groups: []string{"a"}, Aliases: []string{"old"},
		Icons: []mcp.Icon{{Source: "https://example.com/a.png", Sizes: []string{"1x1"}}}, Meta: mcp.Meta{"com.example/a": []byte("1")},
		InputSchema: schemaOfTool, OutputSchema: `{"type":"string","description":"D"}`, Errors: all, HideErrors: true,
	}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return nil, errors.New("hidden") }))
	r.Register(mcp.NewResource(mcp.ResourceInfo{
		URI: "test://resource", Name: "resource", Description: "Of the program.", Symbol: "Resource", MIMEType: "text/plain", Size: 7,
		Annotations: &mcp.Annotations{Audience: []mcp.Role{mcp.RoleUser}}, ReadInfo: mcp.ReadInfo{TTL: time.Second, Errors: all},
	}, func(context.Context, string) (*mcp.ResourceResult, error) { return mcp.TextContents("read"), nil }))
	r.Register(mcp.NewTemplate(mcp.TemplateInfo{
		URITemplate: "test://template/{x}", Name: "template", Symbol: "Template", Variables: []mcp.TemplateVariable{{Name: "x", Values: []string{"value"}}},
	}, func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) {
		return mcp.TextContents("read"), nil
	}))
	r.Register(mcp.NewPrompt(mcp.PromptInfo{
		Name: "prompt", Symbol: "Prompt", Arguments: []mcp.PromptArgument{{Name: "a", Required: true, Complete: func(context.Context, string, map[string]string) (mcp.Completion, error) {
			return mcp.Completion{Values: []string{"completed"}}, nil
		}}},
	}, func(_ context.Context, a map[string]string) (*mcp.PromptResult, error) {
		return mcp.PromptText(a["a"]), nil
	}))
}

// italian is a possible configuration of a deployment.
var italian = mcp.Overrides{
	Tool: func(i *mcp.ToolInfo) {
		i.Name, i.Title, i.Description = "strumento", "Strumento", "Della configurazione."
		i.Aliases[0], i.Groups[0] = "vecchio", "b"
		i.Icons[0].Source, i.Icons[0].Sizes[0], i.Meta["com.example/a"] = "https://example.com/b.png", "2x2", []byte(`2`)
		i.Hints.ReadOnly, i.Timeout, i.MaxResult = true, time.Minute, 1000
		i.InputSchema = strings.Replace(i.InputSchema, `"description":"D"`, `"description":"Quello.","examples":["a"]`, 1)
		i.OutputSchema = `{"type": "string"}`
		i.Errors = nil
	},
	Resource: func(i *mcp.ResourceInfo) {
		i.Name, i.Title, i.Description, i.Groups = "risorsa", "Risorsa", "Della configurazione.", []string{"b"}
		i.Annotations.Audience[0] = mcp.RoleAssistant
	},
	Template: func(i *mcp.TemplateInfo) { i.Name, i.Description = "modello", "Della configurazione." },
	Prompt: func(i *mcp.PromptInfo) {
		i.Name, i.Arguments[0].Description, i.Arguments[0].Complete = "domanda", "Quello.", nil
	},
}

func TestOverride(t *testing.T) {
	for _, rev := range protocol.All {
		synctest.Test(t, func(t *testing.T) {
			changed, other := mcp.NewServer(fixtureInfo(), quiet), mcp.NewServer(fixtureInfo(), quiet)
			// The same features are registered twice: the features of the program do not change.
			registerOverridden(both{mcp.Override(changed, italian), other})
			for _, test := range []struct {
				s    *mcp.Server
				list string
				want []string
				not  []string
			}{
				{changed, "tools/list", []string{`"strumento"`, "configurazione", `"Quello."`, `"examples":["a"]`, `"readOnlyHint":true`}, []string{"program", `"D"`, `"old"`}},
				{changed, "resources/list", []string{`"risorsa"`, "configurazione", `"size":7`, `["assistant"]`}, []string{"program"}},
				{changed, "resources/templates/list", []string{`"modello"`, "configurazione"}, nil},
				{changed, "prompts/list", []string{`"domanda"`, "Quello"}, nil},
				{other, "tools/list", []string{`"tool"`, "Of the program.", `"D"`, `"readOnlyHint":false`}, []string{"configurazione"}},
				{other, "resources/list", []string{`"resource"`, `["user"]`}, nil},
				{other, "prompts/list", []string{`"prompt"`}, []string{"Quello"}},
			} {
				p := dial(t, test.s, "memory")
				open(p, rev)
				p.send(requestIn(rev, 1, test.list, "") + "\n")
				synctest.Wait()
				got := strings.Join(p.received(), "")
				for _, want := range test.want {
					hints := strings.HasSuffix(want, "Hint\":true") || strings.HasSuffix(want, "Hint\":false")
					if !strings.Contains(got, want) && !(hints && rev.Version == "2024-11-05") && !(strings.Contains(want, `"size"`) && rev.Version == "2024-11-05") {
						t.Errorf("%s %s: %s is not in %s", rev.Version, test.list, want, got)
					}
				}
				for _, not := range test.not {
					if strings.Contains(got, not) {
						t.Errorf("%s %s: %s is in %s", rev.Version, test.list, not, got)
					}
				}
				p.hangUp()
			}
			if rev.PerRequest {
				return
			}
			p := dial(t, changed, "memory")
			open(p, rev)
			// The functions of the program are called by the new names.
			for _, name := range []string{"strumento", "vecchio"} {
				p.expect(call(1, name, `{"n":1}`), `declared`)
			}
			p.expect(call(2, "tool", `{"n":1}`), `unknown tool`)
			p.expect(request(3, "resources/read", `{"uri":"test://resource"}`), `"text":"read"`)
			p.expect(request(4, "prompts/get", `{"name":"domanda","arguments":{"a":"said"}}`), `said`)
			p.expect(request(5, "completion/complete", `{"ref":{"type":"ref/prompt","name":"domanda"},"argument":{"name":"a","value":""}}`), `completed`)
			p.expect(request(6, "completion/complete", `{"ref":{"type":"ref/resource","uri":"test://template/{x}"},"argument":{"name":"x","value":"v"}}`), `value`)
			p.hangUp()
		})
	}
}

// both registers features with two registrars.
type both struct{ a, b mcp.Registrar }

func (r both) Register(f mcp.Feature) { r.a.Register(f); r.b.Register(f) }

// Override combines with other Registrars, in any order.
func TestOverrideCombines(t *testing.T) {
	names := func(s *mcp.Server) (all []string) {
		for _, f := range s.Features() {
			all = append(all, f.Name)
			all = append(all, f.Aliases...)
		}
		return all
	}
	exclaim := mcp.Overrides{
		Tool:     func(i *mcp.ToolInfo) { i.Name += ".it" },
		Resource: func(i *mcp.ResourceInfo) { i.Name += " of the town" },
		Template: func(i *mcp.TemplateInfo) { i.Groups = []string{"kept"} },
	}
	for _, test := range []struct {
		wrap func(mcp.Registrar) mcp.Registrar
		want string
	}{
		{func(r mcp.Registrar) mcp.Registrar { return mcp.Override(r, mcp.Overrides{}) }, "[tool old resource template prompt]"},
		{func(r mcp.Registrar) mcp.Registrar { return mcp.Override(r, exclaim) }, "[tool.it old resource of the town template prompt]"},
		{func(r mcp.Registrar) mcp.Registrar { return mcp.Prefix(mcp.Override(r, exclaim), "x") }, "[x_tool.it x_old x_resource of the town x_template x_prompt]"},
		{func(r mcp.Registrar) mcp.Registrar { return mcp.Override(mcp.Prefix(r, "x"), exclaim) }, "[x_tool.it x_old x_resource of the town x_template x_prompt]"},
		{func(r mcp.Registrar) mcp.Registrar { return mcp.Override(mcp.Override(r, exclaim), exclaim) }, "[tool.it.it old resource of the town of the town template prompt]"},
		{func(r mcp.Registrar) mcp.Registrar {
			return mcp.Override(mcp.Select(r, func(f mcp.FeatureInfo) bool { return len(f.Groups) > 0 && f.Groups[0] == "kept" }), exclaim)
		}, "[template]"},
		{func(r mcp.Registrar) mcp.Registrar {
			return mcp.Select(mcp.Override(r, exclaim), func(f mcp.FeatureInfo) bool { return len(f.Groups) > 0 && f.Groups[0] == "kept" })
		}, "[]"},
	} {
		s := mcp.NewServer(fixtureInfo(), quiet)
		registerOverridden(test.wrap(s))
		if got := fmt.Sprint(names(s)); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}

// A function that stores or modifies its argument changes only the feature that is being
// registered.
func TestOverrideKeepsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := func(s *mcp.Server) (all string) {
			for _, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
				p := dial(t, s, "memory")
				open(p, protocol.Negotiate("2025-11-25"))
				p.send(request(1, method, `{}`) + "\n")
				synctest.Wait()
				all += strings.Join(p.received(), "") + "\n"
				p.hangUp()
			}
			return all
		}
		var keep []func()
		spoil := func(icons []mcp.Icon, meta mcp.Meta, groups []string) {
			for i := range icons {
				icons[i].Source, icons[i].Sizes[0] = "later", "later"
			}
			for key := range meta {
				meta[key][0] = '7'
				meta["com.example/later"] = []byte("1")
			}
			for i := range groups {
				groups[i] = "later"
			}
		}
		program, other := mcp.NewServer(fixtureInfo(), quiet), mcp.NewServer(fixtureInfo(), quiet)
		registerOverridden(both{program, mcp.Override(other, mcp.Overrides{
			Tool: func(i *mcp.ToolInfo) {
				*i = mcp.ToolInfo{
					Name: "other", Description: "Other.", Symbol: i.Symbol, InputSchema: i.InputSchema, OutputSchema: i.OutputSchema, Embeds: i.Embeds,
					Icons: i.Icons, Meta: i.Meta, Groups: i.Groups, HideErrors: true,
				}
				i.Meta["com.example/a"][0] = '2'
				keep = append(keep, func() { spoil(i.Icons, i.Meta, i.Groups); i.Description, i.Title = "later", "later" })
			},
			Resource: func(i *mcp.ResourceInfo) {
				keep = append(keep, func() { i.Description, i.Annotations.Audience[0] = "later", "later" })
			},
			Template: func(i *mcp.TemplateInfo) { keep = append(keep, func() { i.Description = "later" }) },
			Prompt: func(i *mcp.PromptInfo) {
				keep = append(keep, func() { i.Description, i.Arguments[0].Description = "later", "later" })
			},
		})})
		for _, f := range keep {
			f()
		}
		if got := list(program); len(keep) != 4 || !strings.Contains(got, `"com.example/a":1`) || strings.Contains(got, "later") {
			t.Errorf("the program has %s", got)
		}
		if got := list(other); !strings.Contains(got, `"com.example/a":2`) || strings.Contains(got, "later") {
			t.Errorf("the other server has %s", got)
		}
	})
}

// An override that makes a forbidden or invalid change panics with a message that names it.
func TestOverridePanics(t *testing.T) {
	tool := func(f func(*mcp.ToolInfo)) mcp.Overrides { return mcp.Overrides{Tool: f} }
	schema := func(old, replacement string) mcp.Overrides {
		return tool(func(i *mcp.ToolInfo) {
			if !strings.Contains(i.InputSchema, old) {
				t.Errorf("the schema has no %s", old)
			}
			i.InputSchema = strings.Replace(i.InputSchema, old, replacement, 1)
		})
	}
	hidden := "a\u200bb"
	for name, test := range map[string]struct {
		o    mcp.Overrides
		want string
	}{
		"symbol":       {tool(func(i *mcp.ToolInfo) { i.Symbol = "x" }), "changes Symbol"},
		"lenient":      {tool(func(i *mcp.ToolInfo) { i.Lenient = true }), "changes Lenient"},
		"hide":         {tool(func(i *mcp.ToolInfo) { i.HideErrors = false }), "changes HideErrors"},
		"embeds":       {tool(func(i *mcp.ToolInfo) { i.Embeds = false }), "changes Embeds"},
		"interface":    {tool(func(i *mcp.ToolInfo) { i.UI = &mcp.ToolUI{Visibility: mcp.VisibleToApp} }), "changes UI"},
		"requires":     {tool(func(i *mcp.ToolInfo) { i.Requires = []mcp.Capability{"sampling"} }), "changes Requires"},
		"no output":    {tool(func(i *mcp.ToolInfo) { i.OutputSchema = "" }), "changes OutputSchema"},
		"output":       {tool(func(i *mcp.ToolInfo) { i.OutputSchema = `{"type":"number"}` }), `OutputSchema at "/type"`},
		"not JSON":     {tool(func(i *mcp.ToolInfo) { i.InputSchema = `{` }), "InputSchema invalid"},
		"no object":    {tool(func(i *mcp.ToolInfo) { i.InputSchema = `{"type":"string"}` }), "InputSchema invalid"},
		"type":         {schema(`"type":"string"`, `"type":"number"`), `at "/properties/title/type"`},
		"default":      {schema(`"default":"x"`, `"default":"y"`), `at "/properties/title/default"`},
		"less":         {schema(`,"default":"x"`, ``), `at "/properties/title/default"`},
		"more":         {schema(`"minimum":1`, `"minimum":1,"maximum":2`), `at "/$defs/N/maximum"`},
		"bound":        {schema(`"minimum":1`, `"minimum":2`), `at "/$defs/N/minimum"`},
		"property":     {schema(`"title":{"type":"string","description":"D","default":"x"},`, ``), `at "/properties/title"`},
		"new property": {schema(`"properties":{`, `"properties":{"description":{},`), `at "/properties/description"`},
		"required":     {schema(`"required":["n"]`, `"required":[]`), `at "/required`},
		"const":        {schema(`"const":1`, `"const":2`), `at "/properties/l/items/anyOf/1/const"`},
		"choices":      {schema(`,{"const":1,"title":"one"}`, ``), `at "/properties/l/items/anyOf"`},
		"closed":       {schema(`"additionalProperties":false`, `"additionalProperties":true`), `at "/additionalProperties"`},

		"uri":               {mcp.Overrides{Resource: func(i *mcp.ResourceInfo) { i.URI += "2" }}, "changes URI"},
		"type of a file":    {mcp.Overrides{Resource: func(i *mcp.ResourceInfo) { i.MIMEType = "" }}, "changes MIMEType"},
		"size":              {mcp.Overrides{Resource: func(i *mcp.ResourceInfo) { i.Size++ }}, "changes Size"},
		"cache":             {mcp.Overrides{Resource: func(i *mcp.ResourceInfo) { i.Cache = mcp.CachePublic }}, "changes Cache"},
		"URI template":      {mcp.Overrides{Template: func(i *mcp.TemplateInfo) { i.URITemplate += "{y}" }}, "changes URITemplate"},
		"variable":          {mcp.Overrides{Template: func(i *mcp.TemplateInfo) { i.Variables[0].Name = "y" }}, "changes Variables"},
		"values":            {mcp.Overrides{Template: func(i *mcp.TemplateInfo) { i.Variables[0].Values[0] = "y" }}, "changes Variables"},
		"argument":          {mcp.Overrides{Prompt: func(i *mcp.PromptInfo) { i.Arguments[0].Name = "y" }}, "changes Arguments"},
		"required argument": {mcp.Overrides{Prompt: func(i *mcp.PromptInfo) { i.Arguments[0].Required = false }}, "changes Arguments"},
		"no arguments":      {mcp.Overrides{Prompt: func(i *mcp.PromptInfo) { i.Arguments = nil }}, "changes Arguments"},

		"name":           {tool(func(i *mcp.ToolInfo) { i.Name = "two words" }), "letters, digits"},
		"no name":        {tool(func(i *mcp.ToolInfo) { i.Name = "" }), "1 to 128"},
		"equal names":    {tool(func(i *mcp.ToolInfo) { i.Name = "there" }), "registered twice"},
		"icon":           {tool(func(i *mcp.ToolInfo) { i.Icons[0].Source = "icon.png" }), "icon"},
		"metadata":       {tool(func(i *mcp.ToolInfo) { i.Meta["com.example/a"] = []byte("{") }), "com.example/a"},
		"reserved":       {tool(func(i *mcp.ToolInfo) { i.Meta["io.modelcontextprotocol/x"] = []byte("1") }), "io.modelcontextprotocol/x"},
		"hidden title":   {tool(func(i *mcp.ToolInfo) { i.Title = hidden }), "U+200B in its title"},
		"hidden text":    {tool(func(i *mcp.ToolInfo) { i.Description = hidden }), "U+200B in its description"},
		"hidden alias":   {tool(func(i *mcp.ToolInfo) { i.Aliases = []string{hidden} }), "U+200B in its aliases"},
		"hidden group":   {tool(func(i *mcp.ToolInfo) { i.Groups[0] = hidden }), "U+200B in its groups"},
		"hidden meta":    {tool(func(i *mcp.ToolInfo) { i.Meta["com.example/a"] = []byte(`{"a":["\u200b"]}`) }), "U+200B in its metadata"},
		"hidden escape":  {schema(`"D"`, `"\u200b"`), "U+200B in its InputSchema"},
		"hidden control": {mcp.Overrides{Resource: func(i *mcp.ResourceInfo) { i.Name = "a\x1b[1m" }}, "U+001B in its name"},
		"hidden in argument": {mcp.Overrides{Prompt: func(i *mcp.PromptInfo) { i.Arguments[0].Description = hidden }},
			"U+200B in its argument a"},
	} {
		t.Run(name, func(t *testing.T) {
			s := mcp.NewServer(fixtureInfo(), quiet)
			s.Register(named("there", "There"))
			if got := panics(func() { registerOverridden(mcp.Override(s, test.o)) }); !strings.Contains(got, test.want) {
				t.Errorf("panics with %s, want %s", got, test.want)
			}
		})
	}
}
