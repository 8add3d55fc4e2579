package vet_test

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/generator/internal/analyze"
	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/schema"
	"github.com/mcpgen/mcpgen/generator/internal/vet"
)

// corpus contains the packages of all archives of testdata in one module, loaded once.
type corpus struct {
	dir  string
	pkgs map[string][]*load.Package // by the name of the archive
	docs *load.Docs
}

// unpack writes each archive into its own directory.
func unpack(t *testing.T) (dir string, archives map[string]*txtar.Archive) {
	t.Helper()
	dir, archives = t.TempDir(), map[string]*txtar.Archive{}
	names, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatal("there is no testdata: ", err)
	}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		rule := strings.TrimSuffix(filepath.Base(name), ".txtar")
		archives[rule] = archive
		for _, f := range archive.Files {
			if f.Name != "want" {
				write(t, filepath.Join(dir, rule, filepath.FromSlash(f.Name)), f.Data)
			}
		}
	}
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go.sum"), sum)
	write(t, filepath.Join(dir, "go.mod"), fmt.Appendf(nil,
		"module example.com/vet\n\ngo 1.26.0\n\nrequire github.com/mcpgen/mcpgen v0.0.0\n\nreplace github.com/mcpgen/mcpgen => %q\n", filepath.ToSlash(root)))
	return dir, archives
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func loadCorpus(t *testing.T) (*corpus, map[string]*txtar.Archive) {
	t.Helper()
	dir, archives := unpack(t)
	pkgs, diags, err := load.Load(t.Context(), load.Config{
		Dir: dir, Patterns: []string{"./..."},
		Env: append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local"),
	})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, printed(diags, dir))
	}
	c := &corpus{dir: dir, pkgs: map[string][]*load.Package{}, docs: load.NewDocs(pkgs...)}
	for _, p := range pkgs {
		rule := filepath.Base(filepath.Dir(p.Dir))
		c.pkgs[rule] = append(c.pkgs[rule], p)
	}
	return c, archives
}

func printed(l *diag.List, dir string) string {
	var b strings.Builder
	diag.Print(&b, l, dir)
	return b.String()
}

// tokens estimates the tokens of each tool by its length.
func tokens(m *model.Package) (all []int, err error) {
	for _, t := range m.Tools {
		all = append(all, (len(t.Description)+len(schema.InputOf(t)))/4)
	}
	return all, nil
}

// TestRules runs each rule over the archive of its name: it finds the findings in want, and nothing
// in the package good.
func TestRules(t *testing.T) {
	c, archives := loadCorpus(t)
	names := slices.Sorted(maps.Keys(archives))
	var table []string
	for _, r := range vet.Rules() {
		table = append(table, r.ID)
	}
	slices.Sort(table)
	if !slices.Equal(names, table) {
		t.Fatalf("the archives are %s\nthe rules are %s", names, table)
	}
	for _, rule := range names {
		t.Run(rule, func(t *testing.T) {
			archive := archives[rule]
			o := vet.NewOptions()
			o.Tokens = tokens
			flags := flag.NewFlagSet("", flag.ContinueOnError)
			o.Register(flags)
			if err := flags.Parse(strings.Fields(string(archive.Comment))); err != nil {
				t.Fatal(err)
			}
			if len(o.Rules) == 0 {
				o.Rules = []string{rule}
			}
			var got strings.Builder
			good := false
			for _, p := range c.pkgs[rule] {
				var diags diag.List
				m := analyze.Package(p, c.docs, &diags)
				if diags.HasErrors() {
					t.Fatal(printed(&diags, c.dir))
				}
				found, err := vet.Package(p, m, o)
				if err != nil {
					t.Fatal(err)
				}
				good = good || p.Name == "good" && len(found) == 0
				for _, f := range found {
					if f.Rule != rule {
						fmt.Fprintf(&got, "%s:%d:%d: %s [%s]\n", relative(t, c.dir, rule, f.Pos.Filename), f.Pos.Line, f.Pos.Column, f.Diagnostic().Text(), f.Rule)
						continue
					}
					fmt.Fprintf(&got, "%s:%d:%d: %s\n", relative(t, c.dir, rule, f.Pos.Filename), f.Pos.Line, f.Pos.Column, f.Diagnostic().Text())
					if f.Hint == "" {
						t.Errorf("no hint: %s", f.Message)
					}
					if f.Fix != nil {
						fmt.Fprintf(&got, "\tfix: %s\n", f.Fix.Message)
					}
				}
			}
			if !good {
				t.Error("there is no package good in which the rule finds nothing")
			}
			if want := file(archive, "want"); got.String() != want {
				t.Errorf("got:\n%s\nwant:\n%s", &got, want)
			}
		})
	}
}

func relative(t *testing.T, dir, rule, name string) string {
	rel, err := filepath.Rel(filepath.Join(dir, rule), name)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(rel)
}

func file(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func TestFlags(t *testing.T) {
	for args, want := range map[string]string{
		"-rules nonsense":                            "there is no rule nonsense; the rules are missing-description,",
		"-disable client-nam":                        "there is no rule client-nam; did you mean client-name?",
		"-rules client-name, -disable token-budget":  "",
		"-max-tools many":                            "invalid value",
		"-rules client-name -rules instruction-text": "",
	} {
		o := vet.NewOptions()
		flags := flag.NewFlagSet("", flag.ContinueOnError)
		flags.SetOutput(io.Discard)
		o.Register(flags)
		err := flags.Parse(strings.Fields(args))
		if want == "" && err == nil {
			continue
		}
		if want == "" || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

// TestTokens checks that an error of the function that counts tokens is returned.
func TestTokens(t *testing.T) {
	o := vet.NewOptions()
	o.Tokens = func(*model.Package) ([]int, error) { return nil, io.ErrUnexpectedEOF }
	_, err := vet.Package(&load.Package{Path: "example.com/p"}, &model.Package{}, o)
	if err == nil || err.Error() != "count the tokens of example.com/p: unexpected EOF" {
		t.Error(err)
	}
	o.Disable = []string{"token-budget"}
	if _, err := vet.Package(&load.Package{}, &model.Package{}, o); err != nil {
		t.Error(err)
	}
}
