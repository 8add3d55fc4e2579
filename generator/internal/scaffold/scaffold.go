// Package scaffold contains the projects that mcpgen new writes.
package scaffold

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// The files have a suffix, so that neither go nor git takes them for their own.
//
//go:embed all:templates
var templates embed.FS

const suffix = ".tmpl"

// Template is a kind of project.
type Template struct {
	Name  string
	About string
	// Try contains commands that demonstrate the server, in the directory of the project.
	Try []string
	// layers are the directories of its files. Each file is in one of them only.
	layers []string
}

// Templates contains all kinds of projects. The first is the default.
var Templates = []*Template{
	{
		Name: "stdio", About: "for the client that starts it",
		Try:    []string{"go tool mcpgen call . search_notes query=tea", "go build -o bin/ . && ./bin/{{name}} install cursor"},
		layers: []string{"all", "notes", "stdio"},
	},
	{
		Name: "http", About: "for any number of clients, with a Dockerfile",
		Try:    []string{"go run . -http 8080"},
		layers: []string{"all", "notes", "http"},
	},
	{
		Name: "auth", About: "over HTTP for callers who log in, with scopes",
		Try:    []string{"go run . -http 8080 '-dev-login=ada:notes:read+notes:write,ben:notes:read'", "go tool mcpgen call http://127.0.0.1:8080/mcp search_notes query="},
		layers: []string{"all", "auth"},
	},
	{
		Name: "tasks", About: "with a tool that takes long and asks its user",
		Try:    []string{"go tool mcpgen call . search_notes query=tea", "go run . -http 8080"},
		layers: []string{"all", "notes", "stdio/main.go" + suffix, "tasks"},
	},
}

// Names returns the names of the templates.
func Names() []string {
	var names []string
	for _, t := range Templates {
		names = append(names, t.Name)
	}
	return names
}

// Find returns the template with a name, or nil.
func Find(name string) *Template {
	if i := slices.Index(Names(), name); i >= 0 {
		return Templates[i]
	}
	return nil
}

// File is a file of a project. Its name is relative to the project, with slashes.
type File struct{ Name, Text string }

// Files returns the files of a server with a name, without go.mod and mcp_gen.go, sorted.
func (t *Template) Files(name string) ([]File, error) {
	var files []File
	for _, layer := range t.layers {
		root := path.Join("templates", layer)
		err := fs.WalkDir(templates, root, func(at string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := templates.ReadFile(at)
			if err != nil {
				return err
			}
			// The directory of the layer is the first element below templates.
			_, target, _ := strings.Cut(strings.TrimPrefix(at, "templates/"), "/")
			files = append(files, File{strings.TrimSuffix(target, suffix), Named(string(text), name)})
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read template %s: %w", t.Name, err)
		}
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return files, nil
}

// Named inserts the name of a server into a text of a template.
func Named(text, name string) string { return strings.ReplaceAll(text, "{{name}}", name) }

// AgentsTitle is the heading of [Agents], without its mark.
const AgentsTitle = "MCP server by mcpgen"

// Agents is AGENTS.md, which coding agents read.
//
//go:embed templates/all/AGENTS.md.tmpl
var Agents string
