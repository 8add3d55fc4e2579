package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/mcpgen/mcpgen/generator/internal/analyze"
	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/emit"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/schema"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// embedded replaces package embed: the type-checker needs only its type FS.
var embedded = sync.OnceValue(func() *packages.Package {
	pkg := types.NewPackage("embed", "embed")
	name := types.NewTypeName(token.NoPos, pkg, "FS", nil)
	types.NewNamed(name, types.NewStruct(nil, nil), nil)
	pkg.Scope().Insert(name)
	pkg.MarkComplete()
	return &packages.Package{PkgPath: "embed", Name: "embed", Types: pkg}
})

// analyzed analyses a package that is one file in memory. It returns the model if there is no
// error.
func analyzed(source string) (*model.Package, *diag.List, error) {
	base := &load.Package{
		Path: "example.com/p", Name: "p", Dir: "/p", Module: "example.com/p", ModuleDir: "/p", Fset: token.NewFileSet(),
		Sizes: types.SizesFor("gc", "amd64"), Imports: map[string]*packages.Package{"embed": embedded()}, Generated: "/p/mcp_gen.go",
	}
	pkg, err := base.With("p.go", []byte(source))
	if err != nil {
		return nil, nil, err
	}
	if len(pkg.TypeErrors) > 0 {
		return nil, nil, pkg.TypeErrors[0]
	}
	var diags diag.List
	m := analyze.Package(pkg, load.NewDocs(pkg), &diags)
	if diags.HasErrors() {
		return nil, &diags, nil
	}
	return m, &diags, nil
}

// generates generates for a file and registers its features, as the generated code does. It reports
// whether the generator accepts the file; then an error comes from printing or registration.
func generates(source string) (accepted bool, err error) {
	m, _, err := analyzed(source)
	if m == nil || err != nil {
		return false, nil
	}
	if _, err := emit.File(m, new(schema.Texts)); err != nil {
		return true, fmt.Errorf("print the file: %w", err)
	}
	return true, registers(m)
}

// registers registers all features of a package on a server with its identity.
func registers(m *model.Package) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("panic: %v", reason)
		}
	}()
	info := mcp.ServerInfo{Name: m.Name}
	if s := m.Server; s != nil {
		info = mcp.ServerInfo{Name: s.Name, Title: s.Title, Version: s.Version, Description: s.Description, Instructions: s.Instructions, Website: s.Website, Icons: icons(s.Icons)}
	}
	s := mcp.NewServer(info, extensions(m)...)
	for i, f := range features(m) {
		if i < len(m.Tools) && m.Tools[i].Task != nil {
			t, feature := m.Tools[i].Task, f.feature
			f.feature = func() mcp.Feature {
				return mcptask.Tool(feature(), mcptask.Support{Required: t.Required, Inline: t.Inline, TTL: t.TTL, Poll: t.Poll, Restart: t.Restart})
			}
		}
		if err := f.with(s); err != nil {
			return err
		}
	}
	_, err = listed(context.Background(), m)
	return err
}

// hostileValues are values that users and attackers write.
var hostileValues = slices.Concat([]string{
	"", " ", "a", "word", "two words", " a ", "a\nb", "a\tb", "a\x00b", "\x7f", "\xff", "\u200b", "\u2028", "\ufeff", "größe", "日本", "مرحبا", "नमस्ते", "😀", "e\u0301",
	"-", "_", ".", "..", "a.b", "a-b_c.d", "9", "-1", "0", "1", "0.5", "1.5", "1e400", "1e-400", "NaN", "Inf", "0x1p-2", "01", "1s", "-1s", "59s", "1m", "1h", "0s", "9999999999h", "1",
	"true", "false", "null", `"text"`, `"\ud800"`, `"\ud83d\ude00"`, "[]", "[1]", "{}", `{"a":1}`, `{"a":1,"a":2}`, `{"a":"\ud800"}`, `["\udc00\ud800"]`, "{", "[[", `{"a":}`,
	"text/plain", "text/plain; charset=utf-8", "text/plain;charset", "text", "/", "text/", "text/größe", "text/plain; a=\"\n\"", "text/plain; a=b; a=b", "TEXT/PLAIN", "text/plain;",
	"x:", "x:y", "doc:///größe", "doc:", "doc:///日本", "doc:///a b", "doc:///%", "doc:///%2", "doc:///%zz", "doc:///%c3%a9", "doc:///a|b", "doc:///a^b", "doc:///`", "doc:///<a>", `doc:///"`, `doc:///\`,
	"doc:///{", "doc:///}", "doc:///{word}", "doc:///{+word}", "doc:///größe/{word}", "größe:///{word}", "doc://größe/{word}", "{word}", "doc:{word}", "doc:///{word:3}", "doc:///{/word*}", "doc:///{größe}",
	"doc://[::1]/a", "doc://[::1", "doc://a:b/c", "doc://[x]/", "doc://[::1%25eth0]/", "http://a:b/{word}", "//example.com/a", "https://", "https:///a", "https://example.com/größe.png",
	"https://example.com/a|b", "https://example.com/a^b", "https://example.com/a b", "https://example.com/%zz", "https://exa mple.com", "https://example.com/a.png", "HTTPS://EXAMPLE.COM/A.PNG", "https://:80/",
	"javascript:alert(1)", "file:///a", "data:", "data:,", "data:image/png;base64,aGk=", `data:image/svg+xml,<svg/>`, "data:image/svg+xml,%3Csvg/%3E", "data:größe,a",
	`{"src":"https://example.com/a.png","sizes":["48x48"]}`, `{"src":"https://example.com/a.png","sizes":["48"]}`, `{"src":"https://example.com/a.png","sizes":["٤x٤"]}`, `{"src":"https://example.com/ö.png"}`,
	`{"src":"https://example.com/a.png","theme":"blue"}`, `{"src":"https://example.com/a.png","mimeType":"image/größe"}`, `[{"src":"data:image/png;base64,aGk="}]`, `{"src":""}`,
	`{"com.example/a":1}`, `{"com.example/größe":1}`, `{"größe":1}`, `{"a/b/c":1}`, `{"/a":1}`, `{"a/":1}`, `{"":1}`, `{"progressToken":1}`, `{"io.modelcontextprotocol/serverInfo":1}`,
	`{"io.modelcontextprotocol/related-task":1}`, `{"io.modelcontextprotocol/ui":1}`, `{"com.mcp.x/a":1}`, `{"traceparent":1}`, `{"traceparent":"a"}`, `{"baggage":"größe=1"}`, `{"tracestate":"a=1"}`, `{"1com.example/a":1}`,
	`{"a":{"b":{"a":1,"a":2}}}`, `{"type":"string","pattern":"("}`, `{"type":"string"}`, "(", "^[a-z]+$", "(?=a)", `\p{L}`, "[[:alpha:]]", "a{1001}", "books:read", "größe:read", `a"b`, `a\b`,
	"X-Region", "X Region", "größe", "a:", "(a)", "user", "assistant", "robot", "USER", "public", "private", "elicitation", "sampling.tools", "email", "uri", "a,b", "a,a", ",", "a,,b", "word,n", "Word",
	"%", "%41", "%zz", "a/b", "a\\b", "'a'", "`a`", "\"a", "a\"", "=", "a=b", "=a", "#", "//", "/*", "*/", "{{.}}", "$(a)", "${a}", "\u202e", "a\r\nb",
}, []string{
	strings.Repeat("a", 64), strings.Repeat("a", 128), strings.Repeat("a", 129), strings.Repeat("é", 65), "doc:///" + strings.Repeat("a", 8<<10), "doc:///" + strings.Repeat("a", 8<<10-7), "doc:///" + strings.Repeat("a", 8<<10-8),
	"doc:///" + strings.Repeat("é", 3<<10), "doc:///" + strings.Repeat("a", 9<<10) + "{word}", "https://example.com/" + strings.Repeat("a", 9<<10), `{"a":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + "}",
	`{"a":` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + "}", strings.Repeat("1", 400),
	"https://*.example.com", "https://a.example:8443", "https://a.example:", "wss://a.example", "https://a.example;b", "https://a.example 'self'", "https://[::1]:8", "*", "'self'", "camera",
	"ui://bookstore/report", "ui://bookstore/größe", "ui://bookstore/report?a", "ui://bookstore/report#a", "UI://bookstore/report", "ui:bookstore", "ui://", "ui://[",
})

// sources returns files in which a directive has some words and arguments, together with everything
// else that generation needs.
func sources(spec *directive.Spec, rest string) []string {
	line := "//mcp:" + spec.Word + " " + rest + "\n"
	file := func(pkg, tool, resource, typ string) string {
		return "// Package p is a server.\n//\n" + pkg + "package p\n\nimport \"embed\"\n\n" +
			"// Do does it.\n//\n" + tool + "func Do(word string, n int, on bool, list []string, any map[string]any) (out string, err error) { return \"\", nil }\n\n" +
			resource + typ + "type Kind string\n\nconst (\n\tFirst Kind = \"first\"\n\tSecond Kind = \"second\"\n)\n\n" +
			"//mcp:tool readonly\nfunc Kinds(k Kind) Kind { return k }\n\nvar _ embed.FS\n\n" +
			"//mcp:resource ui://bookstore/report\nconst Page = \"<!doctype html><title>a</title>\"\n"
	}
	const tool = "//mcp:tool readonly\n"
	value := func(line string) string {
		return line + "func Read(word string) string { return word }\n\n" + line + "const Text = \"text\"\n\n" + line + "var Files embed.FS\n\n"
	}
	switch spec.Word {
	case "server", "defaults", "from":
		return []string{file(line, tool, "", ""), file(line, "//mcp:tool readonly task=optional\n", "", "")}
	case "tool":
		return []string{
			file("", line, "", ""), file("", strings.TrimSuffix(line, "\n")+" task=optional\n", "", ""),
			file("", tool, line+"func Picture() []byte { return nil }\n\n", ""),
			file("", tool, line+"func Pages(word string) []string { return nil }\n\n", ""),
		}
	case "prompt":
		return []string{file("", tool, line+"func Ask(word string) string { return word }\n\n", "")}
	case "resource":
		one := func(declaration string) string { return file("", tool, line+declaration+"\n\n", "") }
		return []string{
			one("func Read(word string) string { return word }"), one("func Read() string { return \"\" }"), one("func Read() []byte { return nil }"),
			one("const Text = \"text\""), one("var Files embed.FS"), file("", tool, value(line), ""),
		}
	case "arg", "params", "result":
		return []string{
			file("", tool+line, "", ""),
			file("", tool, "//mcp:prompt\n"+line+"func Ask(word string) string { return word }\n\n", ""),
			file("", tool, "//mcp:resource doc:///{word}\n"+line+"func Read(word string) string { return word }\n\n", ""),
		}
	case "enum":
		return []string{file("", tool, "", line)}
	}
	return nil
}

// leadingWords are positional words that complete a directive, as far as its values need them.
var leadingWords = map[string][]string{
	"arg": {"word", "n", "list", "any"}, "resource": {"doc:///{word}", "doc:///a", "doc:///größe/", "ui://a", "ui://a/{word}"}, "from": {"example.com/other"}, "params": {"a b c d e"}, "result": {"out"},
}

// spelled returns the ways to write a value: plain, in quotes, and in backquotes.
func spelled(value string) []string {
	all := []string{strconv.Quote(value)}
	if strings.TrimSpace(value) != "" && !strings.ContainsAny(value, "\n\r\x00") {
		all = append(all, value)
	}
	return all
}

// named contains the arguments whose values name functions, members and constants, which the files
// lack.
var named = map[string]bool{
	"defaults/inject": true, "arg/choices": true, "arg/only": true, "arg/inject": true, "arg/complete": true, "arg/omit": true, "result/omit": true, "result/only": true, "from/group": true, "from/prefix": true, "enum/with": true, "enum/without": true,
}

// TestWhatGeneratesRegisters checks, for each argument of each directive, that the server registers
// every value that the generator accepts. Of all combinations of value, spelling and declaration,
// the short form tries each value once for each sixth argument; MCPGEN_LONG=1 tries all.
func TestWhatGeneratesRegisters(t *testing.T) {
	long := os.Getenv("MCPGEN_LONG") != ""
	accepted, refused, turn := 0, 0, 0
	try := func(t *testing.T, spec *directive.Spec, all bool, rests ...string) {
		var files []string
		for _, rest := range rests {
			files = append(files, sources(spec, rest)...)
		}
		if turn++; !all && !long {
			files = files[turn%len(files):][:1]
		}
		for _, source := range files {
			ok, err := generates(source)
			if err != nil {
				t.Errorf("%v\n%.3000s", err, source)
			}
			if ok {
				accepted++
			} else {
				refused++
			}
		}
	}
	for _, spec := range directive.Table() {
		if sources(spec, "") == nil {
			continue
		}
		leading := leadingWords[spec.Word]
		if leading == nil {
			leading = []string{""}
		}
		for k, key := range spec.Keys {
			if key.Kind == directive.KindFlag || key.Kind == directive.KindWord {
				continue // table tests of package directive cover all of their values
			}
			t.Run(spec.Word+"/"+key.Name, func(t *testing.T) {
				count := accepted
				for i, value := range append([]string{key.Example}, hostileValues...) {
					if i > 0 && !long && (i+k)%6 != 0 {
						continue
					}
					var rests []string
					for _, word := range leading {
						for _, text := range spelled(value) {
							rests = append(rests, word+" "+key.Name+"="+text)
						}
					}
					try(t, spec, i == 0, rests...)
				}
				if accepted == count && !named[spec.Word+"/"+key.Name] {
					t.Error("no value is accepted, so nothing is tested")
				}
			})
		}
		if spec.MaxWords == 0 {
			continue
		}
		t.Run(spec.Word, func(t *testing.T) {
			for _, value := range hostileValues {
				try(t, spec, false, spelled(value)...)
				try(t, spec, false, spelled(value)...)
			}
		})
	}
	t.Logf("%d files are accepted, %d are refused", accepted, refused)
	if accepted < 500 || refused < 500 {
		t.Errorf("%d files are accepted and %d refused", accepted, refused)
	}
}

// fuzz tries any value for one argument of a directive.
func fuzz(f *testing.F, word, before, key string) {
	f.Helper()
	spec := directive.Lookup(word)
	every := 20 // go test runs the seeds, and TestWhatGeneratesRegisters tries all of them
	if flag.Lookup("test.fuzz").Value.String() != "" {
		every = 1
	}
	for i := 0; i < len(hostileValues); i += every {
		f.Add(hostileValues[i])
	}
	f.Fuzz(func(t *testing.T, value string) {
		for _, text := range spelled(value) {
			rest := text
			if key != "" {
				rest = before + " " + key + "=" + text
			}
			for _, source := range sources(spec, rest) {
				if _, err := generates(source); err != nil {
					t.Fatalf("%v\n%s", err, source)
				}
			}
		}
	})
}

func FuzzResourceURI(f *testing.F)      { fuzz(f, "resource", "", "") }
func FuzzIcon(f *testing.F)             { fuzz(f, "tool", "", "icon") }
func FuzzMeta(f *testing.F)             { fuzz(f, "tool", "", "meta") }
func FuzzMediaType(f *testing.F)        { fuzz(f, "resource", "doc:///{word}", "mime") }
func FuzzPriority(f *testing.F)         { fuzz(f, "resource", "doc:///{word}", "priority") }
func FuzzName(f *testing.F)             { fuzz(f, "tool", "", "name") }
func FuzzAlias(f *testing.F)            { fuzz(f, "tool", "", "alias") }
func FuzzScopes(f *testing.F)           { fuzz(f, "prompt", "", "scopes") }
func FuzzWebsite(f *testing.F)          { fuzz(f, "server", "", "website") }
func FuzzTaskTTL(f *testing.F)          { fuzz(f, "tool", "", "taskttl") }
func FuzzHeader(f *testing.F)           { fuzz(f, "arg", "word", "header") }
func FuzzArgumentName(f *testing.F)     { fuzz(f, "arg", "word", "name") }
func FuzzArgumentDefault(f *testing.F)  { fuzz(f, "arg", "any", "default") }
func FuzzArgumentExamples(f *testing.F) { fuzz(f, "arg", "any", "examples") }
func FuzzArgumentSchema(f *testing.F)   { fuzz(f, "arg", "any", "schema") }
func FuzzArgumentPattern(f *testing.F)  { fuzz(f, "arg", "word", "pattern") }

// TestRefusedFeature checks that a feature that a server does not register causes a diagnostic at
// the feature, with the reason.
func TestRefusedFeature(t *testing.T) {
	at := func(f model.Feature) model.Feature {
		f.Pos = token.Position{Filename: "p.go", Line: 3, Column: 1}
		return f
	}
	tool := &model.Tool{Pos: at(model.Feature{}).Pos, Name: "größe", Call: model.Call{Input: &model.Input{Object: &model.Type{Kind: model.Struct}}}}
	for name, c := range map[string]struct {
		m    *model.Package
		says []string
	}{
		"tool":     {&model.Package{Tools: []*model.Tool{tool}}, []string{"tool größe: ", `tool name "größe" must consist of letters`}},
		"resource": {&model.Package{Resources: []*model.Resource{{Feature: at(model.Feature{Name: "a"}), URI: "doc:///a b"}}}, []string{"resource doc:///a b: ", "is not an absolute URI"}},
		"template": {&model.Package{Templates: []*model.Resource{{Feature: at(model.Feature{Name: "a"}), URI: "{x"}}}, []string{"resource template {x: ", "has no end"}},
		"prompt":   {&model.Package{Prompts: []*model.Prompt{{Feature: at(model.Feature{Name: "a", Scopes: []string{"a b"}})}}}, []string{"prompt a: ", `scope "a b" must consist`}},
	} {
		_, err := listed(context.Background(), c.m)
		refused, ok := errors.AsType[*refusedFeature](err)
		if !ok {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, says := range c.says {
			if !strings.Contains(refused.Text(), says) {
				t.Errorf("%s: %q does not say %q", name, refused.Text(), says)
			}
		}
		if refused.Pos.Line != 3 || refused.Hint == "" {
			t.Errorf("%s: %+v", name, refused.Diagnostic)
		}
	}
}
