package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/generator/internal/pipeline"
	"github.com/mcpgen/mcpgen/internal/regularfile"
	"github.com/mcpgen/mcpgen/internal/trust"
)

// completable contains the completions for a package.
type completable struct {
	Key     string               `json:"key"` // hash of the source that it is made from
	Tools   []completableFeature `json:"tools"`
	Prompts []completableFeature `json:"prompts"`
	URIs    []completableFeature `json:"uris"`
}

type completableFeature struct {
	Name      string                `json:"name"`
	About     string                `json:"about"`
	Arguments []completableArgument `json:"arguments,omitempty"`
}

type completableArgument struct {
	Key    string   `json:"key"`
	About  string   `json:"about"`
	Values []string `json:"values,omitempty"`
}

// keptFor is the time for which a package is not loaded again: types of other packages may have
// changed.
const keptFor = time.Hour

// candidates returns the candidates for call, read and prompt. given are the arguments behind the
// package.
func (p *completable) candidates(command string, given []string, word string) []candidate {
	if p == nil {
		return nil
	}
	features := map[string][]completableFeature{"call": p.Tools, "read": p.URIs, "prompt": p.Prompts}[command]
	if len(given) == 0 {
		var all []candidate
		for _, f := range features {
			all = append(all, candidate{Value: f.Name, About: f.About})
		}
		return all
	}
	i := slices.IndexFunc(features, func(f completableFeature) bool { return f.Name == given[0] })
	if i < 0 || command == "read" {
		return nil
	}
	var all []candidate
	key, _, isValue := strings.Cut(word, "=")
	for _, a := range features[i].Arguments {
		switch {
		case isValue && a.Key == key:
			for _, v := range a.Values {
				all = append(all, candidate{Value: key + "=" + v})
			}
		case !isValue:
			all = append(all, candidate{Value: a.Key + "=", About: a.About})
		}
	}
	return all
}

// completable returns the completions for a package, or nil if it cannot be loaded. For a package
// named by its directory they are cached between calls.
func (c *command) completable(tags, pkg string) *completable {
	key, file := c.completableKey(tags, pkg)
	if file != "" {
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) < keptFor {
			var p completable
			if text, err := os.ReadFile(file); err == nil && json.Unmarshal(text, &p) == nil && p.Key == key {
				return &p
			}
		}
	}
	p := c.loadCompletable(tags, pkg)
	if p == nil || file == "" {
		return p
	}
	p.Key = key
	if text, err := json.Marshal(p); err == nil && os.MkdirAll(filepath.Dir(file), 0o700) == nil {
		_ = pipeline.Replace(file, text) // without it the next call takes longer
	}
	return p
}

// completableKey returns a hash of the names, sizes and times of a package's source files, and the
// path of its cache file. Both are "" for a package named by its import path.
func (c *command) completableKey(tags, pkg string) (key, file string) {
	cache, err := os.UserCacheDir()
	if err != nil || !isPath(pkg) {
		return "", ""
	}
	dir := c.absolute(pkg)
	h := sha256.New()
	fmt.Fprintln(h, version(), tags, dir)
	place := hex.EncodeToString(h.Sum(nil)[:12])
	for _, name := range append(sourceFiles(dir), filepath.Join(moduleRoot(dir), "go.mod")) {
		if info, err := os.Stat(name); err == nil {
			fmt.Fprintln(h, name, info.Size(), info.ModTime().UnixNano())
		}
	}
	return hex.EncodeToString(h.Sum(nil)), filepath.Join(cache, "mcpgen", "completion", place+".json")
}

// sourceFiles returns the Go files of a directory except tests, sorted.
func sourceFiles(dir string) (files []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			files = append(files, filepath.Join(dir, name))
		}
	}
	return files
}

// mostRead limits the part of a file, in bytes, that is searched for a directive.
const mostRead = 256 << 10

// hasDirective reports whether a Go file of a directory contains a directive. It skips a link that
// loading the package would refuse.
func (c *command) hasDirective(dir string) bool {
	for _, name := range sourceFiles(dir) {
		real, err := trust.Follow(c.dir, name)
		if err != nil {
			continue
		}
		if filepath.Base(name) == "mcp_gen.go" {
			return true
		}
		text, err := regularfile.ReadStart(real, mostRead)
		if err == nil && (bytes.HasPrefix(text, []byte("//mcp:")) || bytes.Contains(text, []byte("\n//mcp:"))) {
			return true
		}
	}
	return false
}

// loadCompletable loads a package.
func (c *command) loadCompletable(tags, pkg string) *completable {
	dir, pattern := c.locate(pkg)
	result, err := pipeline.Generate(c.ctx, pipeline.Config{Dir: dir, Env: c.environment(), Tags: tags, Patterns: []string{pattern}, Unformatted: true})
	if err != nil || len(result.Packages) != 1 {
		return nil
	}
	m := result.Packages[0].Model
	l, err := listed(c.ctx, m)
	if err != nil {
		return nil
	}
	p := &completable{}
	for _, list := range []struct {
		texts []json.RawMessage
		to    *[]completableFeature
	}{{l.tools, &p.Tools}, {l.resources, &p.URIs}, {l.templates, &p.URIs}, {l.skills, &p.URIs}, {l.prompts, &p.Prompts}} {
		for _, text := range list.texts {
			if f, ok := readCompletable(text); ok {
				*list.to = append(*list.to, f)
			}
		}
	}
	return p
}

// readCompletable reads the listing of a feature.
func readCompletable(text json.RawMessage) (completableFeature, bool) {
	var f struct {
		Name        string
		Description string
		URI         string
		URITemplate string
		InputSchema struct {
			Properties map[string]json.RawMessage
		}
		Arguments []struct{ Name, Description string }
	}
	if err := json.Unmarshal(text, &f); err != nil {
		return completableFeature{}, false
	}
	about, _, _ := strings.Cut(f.Description, "\n")
	p := completableFeature{Name: f.Name, About: about}
	switch {
	case f.URI != "":
		p.Name = f.URI
	case f.URITemplate != "":
		p.Name, _, _ = strings.Cut(f.URITemplate, "{") // the user types the rest
	}
	for _, name := range slices.Sorted(maps.Keys(f.InputSchema.Properties)) {
		p.Arguments = append(p.Arguments, readArgument(name, f.InputSchema.Properties[name]))
	}
	for _, a := range f.Arguments {
		p.Arguments = append(p.Arguments, completableArgument{Key: a.Name, About: a.Description})
	}
	return p, true
}

// readArgument reads the schema of an argument, or of its items, since a key may be repeated.
func readArgument(name string, text json.RawMessage) completableArgument {
	type values struct {
		Enum []any
		Type any
	}
	var schema struct {
		values
		Description string
		Items       values
		AnyOf       []values
	}
	_ = json.Unmarshal(text, &schema) // unknown members are ignored
	about, _, _ := strings.Cut(schema.Description, "\n")
	a := completableArgument{Key: name, About: about}
	for _, v := range append([]values{schema.values, schema.Items}, schema.AnyOf...) {
		for _, e := range v.Enum {
			if e != nil {
				a.Values = append(a.Values, fmt.Sprint(e))
			}
		}
		if v.Type == "boolean" {
			a.Values = append(a.Values, "true", "false")
		}
	}
	return a
}
