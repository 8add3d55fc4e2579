package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/pipeline"
	"github.com/mcpgen/mcpgen/internal/contract"
	"github.com/mcpgen/mcpgen/internal/linediff"
	"github.com/mcpgen/mcpgen/internal/regularfile"
)

// publishedBy returns the contract of a server with the features of some packages. One of them
// provides its identity.
func publishedBy(ctx context.Context, packages []*model.Package) (*contract.Contract, error) {
	if len(packages) == 0 {
		return contract.Empty(), nil
	}
	declared := slices.DeleteFunc(slices.Clone(packages), func(m *model.Package) bool { return m.Server == nil })
	if len(declared) > 1 {
		return nil, fmt.Errorf("%s and %s are servers of their own: a contract is of one server, so name their packages one at a time",
			declared[0].Path, declared[1].Path)
	}
	all, err := contract.New(identity(serverOf(packages)))
	if err != nil {
		return nil, err
	}
	for _, m := range packages {
		l, err := listed(ctx, m)
		if err != nil {
			return nil, err
		}
		for i, t := range m.Tools {
			err = cmp.Or(err, all.Add(contract.Tool, l.tools[i]))
			all.Alias(t.Name, t.Aliases...)
			all.ArgumentAliases(t.Name, t.ArgumentAliases()...)
			all.Scopes(contract.Tool, t.Name, t.Scopes...)
			all.Task(t.Name, t.Task.Support())
		}
		for _, kind := range []struct {
			kind contract.Kind
			list []json.RawMessage
		}{{contract.Resource, l.resources}, {contract.Template, l.templates}, {contract.Prompt, l.prompts}, {contract.Skill, l.skills}} {
			for _, feature := range kind.list {
				err = cmp.Or(err, all.Add(kind.kind, feature))
			}
		}
		for _, r := range m.Resources {
			all.Scopes(contract.Resource, r.URI, r.Scopes...)
		}
		for _, r := range m.Templates {
			all.Scopes(contract.Template, r.Template(), r.Scopes...)
		}
		for _, p := range m.Prompts {
			all.Scopes(contract.Prompt, p.Name, p.Scopes...)
		}
		for _, s := range m.AllSkills() {
			all.Scopes(contract.Skill, s.MainURI(), s.Of.Scopes...)
			all.SkillTools(s.MainURI(), s.Of.Tools...)
		}
		if err != nil {
			return nil, fmt.Errorf("%w (the second is in %s)\n\thint: give one of them another name, or all of its package a prefix: //mcp:defaults prefix=NAME", err, m.Path)
		}
	}
	return all, nil
}

// serverOf returns the package that describes a server with the features of some packages: the one
// that declares a server, or the first.
func serverOf(packages []*model.Package) *model.Package {
	for _, m := range packages {
		if m.Server != nil {
			return m
		}
	}
	return packages[0]
}

func models(packages []*pipeline.Package) []*model.Package {
	all := make([]*model.Package, len(packages))
	for i, p := range packages {
		all[i] = p.Model
	}
	return all
}

// contractFile is a contract and its file, which is written or compared.
type contractFile struct {
	path string // absolute
	real string // path with symbolic links resolved
	name string // for people
	now  *contract.Contract
	text []byte
	old  []byte // present content, or nil
}

// contractFile makes the contract of packages and reads the present file.
func (c *command) contractFile(name string, packages []*pipeline.Package) (*contractFile, error) {
	f := &contractFile{path: name}
	if !filepath.IsAbs(f.path) {
		f.path = filepath.Join(c.dir, name)
	}
	f.name = c.relative(f.path)
	var err error
	if f.now, err = publishedBy(c.ctx, models(packages)); err != nil {
		return nil, fmt.Errorf("make contract: %w", err)
	}
	f.text = f.now.Marshal()
	if f.real, err = c.follow(f.path); err != nil {
		return nil, fmt.Errorf("read contract: %w", err)
	}
	if f.old, err = regularfile.Read(f.real); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read contract: %w", err)
	}
	// Line ends depend on how git checks the file out, not on the contract.
	f.old = bytes.ReplaceAll(f.old, []byte("\r\n"), []byte("\n"))
	if f.old != nil && !contract.Replaceable(f.old) {
		return nil, fmt.Errorf("%s is not a contract, and would be overwritten\n\thint: name another file, or delete it", f.name)
	}
	return f, nil
}

// current reports whether the file contains this contract.
func (f *contractFile) current() bool { return f.old != nil && bytes.Equal(f.old, f.text) }

// writeContract writes the file if it is not current.
func (c *command) writeContract(f *contractFile, verbose bool) error {
	if f.current() {
		if verbose {
			c.noteln("%s is current (%s)", f.name, contractSummary(f.now))
		}
		return nil
	}
	if err := writeNamed(f.real, f.text); err != nil {
		return err
	}
	c.noteln("wrote %s (%s)", f.name, contractSummary(f.now))
	return nil
}

// checkContract shows how the file differs from the contract: the meaning for people, and the lines
// for tools.
func (c *command) checkContract(f *contractFile, fix string, verbose bool) int {
	if f.current() {
		if verbose {
			c.noteln("%s is current", f.name)
		}
		return exitDone
	}
	before := f.name
	if f.old == nil {
		before = "/dev/null"
	}
	_, _ = c.out.Write(linediff.Unified(before, f.old, f.name, f.text))
	c.noteln("%s is not current", f.name)
	for _, line := range f.changes() {
		c.noteln("%s", strings.TrimRight("\t"+line, "\t"))
	}
	c.noteln("\thint: %s", fix)
	return exitFound
}

// changes returns the classified changes of the contract since the file was written, or nil without
// a readable file.
func (f *contractFile) changes() []string {
	old, err := contract.Read(f.old)
	if err != nil {
		return nil
	}
	d := contract.Compare(old, f.now)
	if len(d.Changes) == 0 {
		return []string{"only order or spelling differs, no client can tell"}
	}
	return d.Lines()
}

// contractSummary counts the features of a contract: "2 tools, 1 prompt".
func contractSummary(c *contract.Contract) string {
	var parts []string
	for _, k := range []contract.Kind{contract.Tool, contract.Resource, contract.Template, contract.Prompt, contract.Skill} {
		if n := c.Count(k); n > 0 {
			parts = append(parts, count(n, string(k)))
		}
	}
	if len(parts) == 0 {
		return "no features yet"
	}
	return strings.Join(parts, ", ")
}
