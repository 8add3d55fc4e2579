package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

// shown is a tool: the source of its function, its published form, and a call.
type shown struct {
	source string
	listing
	call   string // arguments, as JSON
	result string // as a client receives it, indented
}

// listing is a tool of mcpgen list -json.
type listing struct {
	Name, Title, Description string
	InputSchema              struct {
		Properties json.RawMessage
		Required   []string
	}
	Annotations map[string]bool
}

// property is the part of an argument's schema that pictures show.
type property struct {
	Name        string
	Type        string
	Description string
	Enum        []string
	Minimum     json.Number
	Maximum     json.Number
	Default     json.RawMessage
}

// tool reads a txtar archive with a package. Its comment has two lines: show, with the declarations
// of shop.go that are drawn, and call, with a tool and its arguments in the format of mcpgen call.
func (m *machine) tool(text []byte) (*shown, error) {
	archive := txtar.Parse(text)
	instructions := map[string]string{}
	for line := range strings.Lines(string(archive.Comment)) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		instructions[word] = rest
	}
	names, call := strings.Fields(instructions["show"]), strings.Fields(instructions["call"])
	if len(names) == 0 || len(call) == 0 || len(instructions) != 2 {
		return nil, errors.New("its comment has a line show NAMES and a line call TOOL ARGUMENTS, and nothing else")
	}
	if err := m.module("search", archive.Files); err != nil {
		return nil, err
	}
	s := &shown{}
	var err error
	if s.source, err = declarations(archive.Files, names); err != nil {
		return nil, err
	}
	listed, err := m.output("mcpgen", "list", "-json", ".")
	if err != nil {
		return nil, err
	}
	var all struct{ Tools []listing }
	if err := json.Unmarshal(listed, &all); err != nil {
		return nil, fmt.Errorf("read tools: %w", err)
	}
	at := slices.IndexFunc(all.Tools, func(l listing) bool { return l.Name == call[0] })
	if at < 0 {
		return nil, fmt.Errorf("the package has no tool %s", call[0])
	}
	s.listing = all.Tools[at]
	if s.call, err = s.arguments(call[1:]); err != nil {
		return nil, err
	}
	result, err := m.output("mcpgen", "call", ".", s.Name, s.call)
	if err != nil {
		return nil, err
	}
	s.result, err = oneLineEach(result)
	return s, err
}

// declarations returns the source of declarations of shop.go with their comments. Constants come
// with the type of the first one.
func declarations(files []txtar.File, names []string) (string, error) {
	at := slices.IndexFunc(files, func(f txtar.File) bool { return f.Name == "shop.go" })
	if at < 0 {
		return "", errors.New("there is no shop.go")
	}
	set, source := token.NewFileSet(), files[at].Data
	file, err := parser.ParseFile(set, "shop.go", source, parser.ParseComments)
	if err != nil {
		return "", err
	}
	var parts []string
	add := func(from *ast.CommentGroup, n ast.Node) {
		begin := n.Pos()
		if from != nil {
			begin = from.Pos()
		}
		parts = append(parts, string(source[set.Position(begin).Offset:set.Position(n.End()).Offset]))
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if slices.Contains(names, d.Name.Name) {
				add(d.Doc, d)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs[:1] {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if slices.Contains(names, spec.Name.Name) {
						add(d.Doc, d)
					}
				case *ast.ValueSpec:
					if id, ok := spec.Type.(*ast.Ident); ok && slices.Contains(names, id.Name) {
						add(d.Doc, d)
					}
				}
			}
		}
	}
	if len(parts) < len(names) {
		return "", fmt.Errorf("shop.go does not declare all of %s", strings.Join(names, ", "))
	}
	return strings.Join(parts, "\n\n"), nil
}

// arguments returns KEY=VALUE arguments as JSON: a value is a number if the tool takes one.
func (l *listing) arguments(pairs []string) (string, error) {
	properties, err := l.properties()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i, pair := range pairs {
		key, value, _ := strings.Cut(pair, "=")
		at := slices.IndexFunc(properties, func(p property) bool { return p.Name == key })
		if at < 0 {
			return "", fmt.Errorf("%s has no argument %s", l.Name, key)
		}
		if properties[at].Type == "string" {
			value = fmt.Sprintf("%q", value)
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q: %s", key, value)
	}
	return "{" + b.String() + "}", nil
}

// properties returns the arguments in the order of the schema.
func (l *listing) properties() (all []property, err error) {
	d := json.NewDecoder(bytes.NewReader(l.InputSchema.Properties))
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("read arguments of %s: %w", l.Name, err)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var p property
		if err := d.Decode(&p); err != nil {
			return nil, fmt.Errorf("read argument %v: %w", name, err)
		}
		p.Name = name.(string)
		all = append(all, p)
	}
	return all, nil
}

// oneLineEach formats a JSON array with one item per line.
func oneLineEach(text []byte) (string, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(text, &items); err != nil {
		return "", fmt.Errorf("read result: it is not a list: %w", err)
	}
	if len(items) == 0 {
		return "[]", nil
	}
	var lines []string
	for _, item := range items {
		var compact bytes.Buffer
		if err := json.Compact(&compact, item); err != nil {
			return "", err
		}
		lines = append(lines, "  "+compact.String())
	}
	return "[\n" + strings.Join(lines, ",\n") + "\n]", nil
}
