package revision

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Prepare prepares a directory of the tree for the go command, and returns its environment. Only a
// go.work file of the commit applies. A module outside of the repository that go.mod or go.work of
// the commit name by its path is used in its present state, which Notes reports. Prepare returns an
// error if it no longer exists.
func (t *Tree) Prepare(ctx context.Context, dir string, env []string) ([]string, error) {
	workspace := t.above(dir, "go.work")
	// Neither a go.work file above the tree nor the variable GOWORK may apply.
	if workspace == "" || valueOf(env, "GOWORK") == "off" {
		workspace = ""
		env = append(slices.Clip(env), "GOWORK=off")
	} else {
		env = append(slices.Clip(env), "GOWORK="+workspace)
	}
	env = slices.Clip(env)
	if workspace == "" {
		if module := t.above(dir, "go.mod"); module != "" {
			return env, t.fixModule(ctx, module, env)
		}
		return env, nil
	}
	used, err := t.fixWorkspace(ctx, workspace, env)
	if err != nil {
		return nil, err
	}
	for _, module := range used {
		if err := t.fixModule(ctx, module, env); err != nil {
			return nil, err
		}
	}
	return env, nil
}

func valueOf(env []string, name string) string {
	value := ""
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			value = v
		}
	}
	return value
}

// above returns the nearest file with that name in dir or above it, within the tree, or "".
func (t *Tree) above(dir, name string) string {
	for {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			return file
		}
		if dir == t.Root || len(dir) <= len(t.Root) {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}

type modFile struct {
	Use     []struct{ DiskPath string }
	Replace []struct {
		Old, New struct{ Path, Version string }
	}
}

// fixModule changes the go.mod of the copy so that directories outside of the repository are found.
// Vendored modules need no change.
func (t *Tree) fixModule(ctx context.Context, file string, env []string) error {
	dir := filepath.Dir(file)
	if _, err := os.Stat(filepath.Join(dir, "vendor", "modules.txt")); err == nil {
		return nil
	}
	var mod modFile
	if err := goEdit(ctx, dir, env, &mod, "mod", "edit", "-json"); err != nil {
		return err
	}
	return t.replace(ctx, file, env, &mod, "mod")
}

func (t *Tree) fixWorkspace(ctx context.Context, file string, env []string) (modules []string, err error) {
	dir := filepath.Dir(file)
	var work modFile
	if err := goEdit(ctx, dir, env, &work, "work", "edit", "-json"); err != nil {
		return nil, err
	}
	for _, use := range work.Use {
		now, err := t.outside(file, use.DiskPath)
		if err != nil {
			return nil, err
		}
		if now == "" {
			if mod := filepath.Join(dir, filepath.FromSlash(use.DiskPath), "go.mod"); exists(mod) {
				modules = append(modules, mod)
			}
			continue
		}
		if err := goEdit(ctx, dir, env, nil, "work", "edit", "-dropuse="+use.DiskPath, "-use="+now); err != nil {
			return nil, err
		}
	}
	if exists(filepath.Join(dir, "vendor", "modules.txt")) {
		return nil, nil
	}
	return modules, t.replace(ctx, file, env, &work, "work")
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func (t *Tree) replace(ctx context.Context, file string, env []string, mod *modFile, command string) error {
	for _, r := range mod.Replace {
		if r.New.Version != "" {
			continue
		}
		now, err := t.outside(file, r.New.Path)
		if err != nil {
			return err
		}
		if now == "" {
			continue
		}
		old := r.Old.Path
		if r.Old.Version != "" {
			old += "@" + r.Old.Version
		}
		if err := goEdit(ctx, filepath.Dir(file), env, nil, command, "edit", "-replace="+old+"="+now); err != nil {
			return err
		}
	}
	return nil
}

// outside returns the present path of a directory that a file of the tree names, or "" if it is in
// the tree.
func (t *Tree) outside(file, name string) (string, error) {
	dir := filepath.Dir(file)
	target := filepath.FromSlash(name)
	if !filepath.IsAbs(target) {
		inTree := filepath.Join(dir, target)
		if rel, err := filepath.Rel(t.Root, inTree); err == nil && (rel == "." || filepath.IsLocal(rel)) {
			return "", nil
		}
		below, err := filepath.Rel(t.Root, dir)
		if err != nil {
			return "", fmt.Errorf("find %s: %w", name, err)
		}
		target = filepath.Join(t.repository.root, below, target)
	}
	short, err := filepath.Rel(t.Root, file)
	if err != nil {
		short = file
	}
	if !exists(target) {
		return "", fmt.Errorf("%s of that revision names the directory %s, which lies outside of the repository and is not there now", filepath.ToSlash(short), name)
	}
	note := fmt.Sprintf("%s names the directory %s, which is not part of the revision: it is read as it is now", filepath.ToSlash(short), name)
	if !slices.Contains(t.Notes, note) {
		t.Notes = append(t.Notes, note)
	}
	return target, nil
}

// goEdit runs an editing command of go, and reads the JSON that it prints.
func goEdit(ctx context.Context, dir string, env []string, into any, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(slices.Clip(env), "PWD="+dir)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err == nil && into != nil {
		err = json.Unmarshal(out, into)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		if text := strings.TrimSpace(errs.String()); text != "" {
			err = errors.New(text)
		}
		return fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return nil
}
