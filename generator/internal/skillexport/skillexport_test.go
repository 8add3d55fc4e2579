package skillexport_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/generator/internal/skillexport"
	"github.com/mcpgen/mcpgen/internal/skill"
	"github.com/mcpgen/mcpgen/internal/skillentry"
)

// files are the files of a skill, by their paths.
type files map[string]string

const (
	mainText  = "---\nname: refunds\ndescription: Give money back\nallowed-tools: Bash\nhooks:\n  Stop: rm\n---\nBody.\n"
	innerText = "---\nname: eu\nallowed-tools: Bash\ndescription: In the EU\n---\n"
)

// newFiles returns the files of a skill with another one in it.
func newFiles() files {
	return files{"SKILL.md": mainText, "scripts/run.py": "#!/usr/bin/env python\n", "eu/SKILL.md": innerText, "a/b/c.bin": "\x00\xff"}
}

// entry returns the entry of the skill refunds.
func (f files) entry(t *testing.T) *skillentry.Entry {
	t.Helper()
	var list []string
	for name, text := range f {
		list = append(list, fmt.Sprintf(`{"uri":"skill://%s","digest":%q,"size":%d}`, name, skill.Digest([]byte(text)), len(text)))
	}
	slices.Sort(list)
	for i := range list {
		list[i] = strings.Replace(list[i], "skill://", "skill://acme/refunds/", 1)
	}
	const uri = "skill://acme/refunds/SKILL.md"
	e, err := skillentry.ReadGet(uri, json.RawMessage(`{"skill":{"uri":"`+uri+`","frontmatter":{"name":"refunds","description":"Give money back","allowed-tools":"Bash","hooks":{"Stop":"rm"}},"resources":[`+strings.Join(list, ",")+`]}}`))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// read returns the content of a file.
func (f files) read(_ context.Context, file skillentry.File) ([]byte, error) {
	text, ok := f[file.Path]
	if !ok {
		return nil, errors.New("no such file")
	}
	return []byte(text), nil
}

// options returns the options for a directory.
func options(dir string) skillexport.Options {
	return skillexport.Options{Dir: dir, Server: "https://shop.example/mcp", Now: time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)}
}

// export plans and writes a skill.
func export(t *testing.T, o skillexport.Options, f files) (*skillexport.Plan, error) {
	t.Helper()
	plan, err := skillexport.NewPlan(o, []*skillentry.Entry{f.entry(t)})
	if err != nil {
		return nil, err
	}
	return plan, plan.Write(t.Context(), f.read)
}

// tree returns the files below a directory with their content, and checks their modes.
func tree(t *testing.T, dir string) files {
	t.Helper()
	all := files{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if runtime.GOOS != "windows" && info.Mode()&0o133 != 0 || !info.Mode().IsRegular() {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return all
}

// A skill is written with its lock file, without the fields that give rights, also within it. A
// second export changes nothing.
func TestExport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "skills")
	f := newFiles()
	plan, err := export(t, options(dir), f)
	if err != nil {
		t.Fatal(err)
	}
	got := tree(t, dir)
	lock := got["refunds.lock.json"]
	delete(got, "refunds.lock.json")
	want := files{
		"refunds/SKILL.md":    "---\nname: refunds\ndescription: Give money back\n---\nBody.\n",
		"refunds/eu/SKILL.md": "---\nname: eu\ndescription: In the EU\n---\n", "refunds/scripts/run.py": f["scripts/run.py"], "refunds/a/b/c.bin": f["a/b/c.bin"],
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, text := range []string{
		`"server": "https://shop.example/mcp"`, `"uri": "skill://acme/refunds/SKILL.md"`, `"date": "2026-11-28T12:00:00Z"`, skill.Digest([]byte(mainText)),
		skill.Digest([]byte(want["refunds/SKILL.md"])), `"keepsAllowedTools": false`,
	} {
		if !strings.Contains(lock, text) {
			t.Errorf("no %s in %s", text, lock)
		}
	}
	s := plan.Skills[0]
	if got := fmt.Sprint(s.Dropped, s.Within(), s.Size() > 0); got != "map[SKILL.md:[allowed-tools hooks] eu/SKILL.md:[allowed-tools]] [eu] true" {
		t.Error(got)
	}
	plan, err = export(t, options(dir), f)
	if err != nil || plan.Changes() || !plan.Skills[0].Unchanged || tree(t, dir)["refunds.lock.json"] != lock {
		t.Errorf("the second export: %+v, %v", plan, err)
	}
	o := options(filepath.Join(dir, "other"))
	o.KeepTools = true
	if _, err := export(t, o, f); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, o.Dir); got["refunds/SKILL.md"] != "---\nname: refunds\ndescription: Give money back\nallowed-tools: Bash\n---\nBody.\n" || got["refunds/eu/SKILL.md"] != innerText {
		t.Errorf("%q", got)
	}
}

// What is in the directory stays, and the error says what to do.
func TestConflicts(t *testing.T) {
	for name, row := range map[string]struct {
		change func(dir string, f files, o *skillexport.Options) error
		want   string
	}{
		"a file": {func(dir string, _ files, _ *skillexport.Options) error {
			return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o644))
		}, "not a directory"},
		"a link": {func(dir string, _ files, _ *skillexport.Options) error {
			return errors.Join(os.Rename(dir, dir+"2"), os.Symlink(dir+"2", dir))
		}, "not a directory"},
		"no lock file": {func(dir string, _ files, _ *skillexport.Options) error { return os.Remove(dir + ".lock.json") }, "was not written by this command"},
		"a broken lock": {func(dir string, _ files, _ *skillexport.Options) error {
			return os.WriteFile(dir+".lock.json", []byte("{"), 0o644)
		}, "cannot be read"},
		"a newer lock": {func(dir string, _ files, _ *skillexport.Options) error {
			return os.WriteFile(dir+".lock.json", []byte(`{"version":2}`), 0o644)
		}, "version 2"},
		"a changed file": {func(dir string, _ files, _ *skillexport.Options) error {
			return os.WriteFile(filepath.Join(dir, "SKILL.md"), nil, 0o644)
		}, "SKILL.md"},
		"a new file": {func(dir string, _ files, _ *skillexport.Options) error {
			return os.WriteFile(filepath.Join(dir, "x"), nil, 0o644)
		}, "x is new"},
		"a removed file": {func(dir string, _ files, _ *skillexport.Options) error {
			return os.Remove(filepath.Join(dir, "a", "b", "c.bin"))
		}, "a/b/c.bin is missing"},
		"a changed skill": {func(_ string, f files, _ *skillexport.Options) error {
			f["a/b/c.bin"] = "x"
			f["new"] = ""
			delete(f, "scripts/run.py")
			return nil
		}, "a/b/c.bin, new is new, scripts/run.py is gone"},
		"another server":   {func(_ string, _ files, o *skillexport.Options) error { o.Server = "https://bank.example"; return nil }, "of the server https://shop.example/mcp"},
		"tools are wanted": {func(_ string, _ files, o *skillexport.Options) error { o.KeepTools = true; return nil }, "without the tools"},
		"settings of git":  {func(_ string, f files, _ *skillexport.Options) error { f["x/.GIT/config"] = ""; return nil }, "git"},
		"a file for a link": {func(dir string, _ files, _ *skillexport.Options) error {
			return errors.Join(os.Remove(filepath.Join(dir, "SKILL.md")), os.Symlink("/etc/passwd", filepath.Join(dir, "SKILL.md")))
		}, "SKILL.md"},
	} {
		t.Run(name, func(t *testing.T) {
			o, f := options(t.TempDir()), newFiles()
			if _, err := export(t, o, f); err != nil {
				t.Fatal(err)
			}
			if err := row.change(filepath.Join(o.Dir, "refunds"), f, &o); err != nil {
				t.Skip(err)
			}
			before := list(t, o.Dir)
			_, err := export(t, o, f)
			e, ok := errors.AsType[*skillexport.ConflictError](err)
			if !ok || !strings.Contains(e.Problem, row.want) || e.Hint == "" {
				t.Errorf("%v, want %s", err, row.want)
			}
			if after := list(t, o.Dir); !slices.Equal(before, after) {
				t.Errorf("before %q, after %q", before, after)
			}
		})
	}
	o := options(t.TempDir())
	e := newFiles().entry(t)
	if _, err := skillexport.NewPlan(o, []*skillentry.Entry{e, e}); err == nil {
		t.Error("two skills of one name are accepted")
	}
	dynamic, err := skillentry.ReadGet(e.URI, json.RawMessage(`{"skill":{"uri":"`+e.URI+`","frontmatter":{"name":"refunds","description":"d"},"resources":"dynamic"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := skillexport.NewPlan(o, []*skillentry.Entry{dynamic}); err == nil {
		t.Error("a dynamic skill is accepted")
	}
}

// list returns the names in a directory, with sizes and times.
func list(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			names = append(names, fmt.Sprint(path, info.Mode(), info.Size(), info.ModTime()))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// Nothing is left where a file cannot be read, differs, or the user interrupts: not even the
// directory that was made.
func TestNothingLeft(t *testing.T) {
	for name, change := range map[string]func(f files, cancel func()) skillexport.Read{
		"missing": func(f files, _ func()) skillexport.Read { delete(f, "scripts/run.py"); return f.read },
		"another": func(f files, _ func()) skillexport.Read {
			f["scripts/run.py"] = strings.Repeat("x", len(f["scripts/run.py"]))
			return f.read
		},
		"another frontmatter": func(f files, _ func()) skillexport.Read {
			f["SKILL.md"] = strings.Replace(mainText, "Bash", "Read", 1)
			return f.read
		},
		"interrupted": func(f files, cancel func()) skillexport.Read {
			return func(ctx context.Context, file skillentry.File) ([]byte, error) {
				if file.Path == "scripts/run.py" {
					cancel()
				}
				return f.read(ctx, file)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			f := newFiles()
			plan, err := skillexport.NewPlan(options(filepath.Join(parent, "a", "b")), []*skillentry.Entry{f.entry(t)})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			if err := plan.Write(ctx, change(f, cancel)); err == nil {
				t.Error("no error")
			}
			cancel()
			if names := list(t, parent); len(names) != 1 {
				t.Errorf("left: %q", names)
			}
		})
	}
}

// Scripts are found by their names.
func TestIsScript(t *testing.T) {
	for name, want := range map[string]bool{"scripts/x": true, "a/scripts/b/x": true, "bin/x": true, "run.PY": true, "x.sh": true, "scripts.md": false, "SKILL.md": false, "a/x.txt": false} {
		if got := skillexport.IsScript(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
