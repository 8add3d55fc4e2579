package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/bundle"
	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/internal/regularfile"
)

const helpBundle = `usage: mcpgen bundle [flags] PACKAGE

Makes MCP bundles (MCPB) of a program: files that clients install without Go.
PACKAGE is its package main. The program is compiled for each platform without
cgo, and the manifest lists the tools and prompts of the packages that it
imports. The same source and version of Go give the same bytes.

NAME.mcpb is for macOS, on both architectures, and for Windows; the bundles for
Linux are NAME-linux-amd64.mcpb and NAME-linux-arm64.mcpb, since a manifest
cannot say for which architecture a bundle is. Nothing is signed: the page
docs/serve/hosts.md says how to.

	-o FILE     write that file; with several bundles, those for Linux have
	            their platform in their name
	-platform LIST
	            make bundles for these alone: darwin, windows, linux/amd64,
	            linux/arm64, or linux for both
	-config FILE
	            members of the manifest as they are, such as author, icon,
	            user_config, and server with the args and env of mcp_config;
	            paths of files begin at the directory of FILE
` + helpFlags

// bundleExtension is the extension by which clients recognize bundles.
const bundleExtension = ".mcpb"

// bundle makes the bundles of a program.
func (c *command) bundle(args []string) int {
	f := newFlags("bundle")
	file := f.String("o", "", "write that `file`")
	list := f.String("platform", "", "make bundles for these alone, such as darwin,linux/amd64")
	configFile := f.String("config", "", "a `file` with members of the manifest")
	rest, code, ok := c.parse(f, args)
	if !ok {
		return code
	}
	platforms, err := bundle.Platforms(*list)
	switch {
	case len(rest) == 0:
		return c.usage("bundle", "the package is missing", "name the package main of the server, such as ./cmd/shop-mcp, or . for this directory")
	case len(rest) > 1:
		return c.usage("bundle", "bundle takes one package", "")
	case *file != "" && filepath.Ext(*file) != bundleExtension:
		return c.usage("bundle", "flag -o: "+*file+" does not end in "+bundleExtension+", by which clients know bundles", "write -o "+word(strings.TrimSuffix(*file, filepath.Ext(*file))+bundleExtension))
	case err != nil:
		return c.mistakenFlag("bundle", "-platform", err)
	}
	config, files, err := c.bundleConfig(*configFile)
	if err != nil {
		return c.mistake(err)
	}
	p, code, ok := c.serverPackage(f, rest[0], true)
	if !ok {
		return code
	}
	server, err := c.bundleServer(p)
	if err != nil {
		return c.fail(err)
	}
	source := &bundle.Source{Server: server, Config: config, Files: files, Build: func(_ context.Context, platform bundle.Program) ([]byte, error) {
		return c.compile(p, platform)
	}}
	plan := bundle.Plan(platforms)
	paths, err := c.bundlePaths(plan, *file, server.Name)
	if err != nil {
		return c.mistake(err)
	}
	for i, b := range plan {
		archive, err := b.Make(c.ctx, source)
		c.progress.end()
		if err == nil {
			err = writeNamed(paths[i], archive)
		}
		if err != nil {
			return c.mistake(err)
		}
		c.noteln("wrote %s (%s; %.1f MB)", c.relative(paths[i]), b, float64(len(archive))/1e6)
	}
	return exitDone
}

// mistake reports an error that may be an author's mistake.
func (c *command) mistake(err error) int {
	if e, ok := errors.AsType[*bundle.Error](err); ok && c.ctx.Err() == nil {
		c.diagnostic(diag.Diagnostic{Message: e.Problem, Hint: e.Hint})
		return exitFound
	}
	return c.fail(err)
}

// mistakenFlag reports an unusable value of a flag.
func (c *command) mistakenFlag(name, flag string, err error) int {
	if e, ok := errors.AsType[*bundle.Error](err); ok {
		return c.usage(name, "flag "+flag+": "+e.Problem, e.Hint)
	}
	return c.usage(name, "flag "+flag+": "+err.Error(), "")
}

// bundleConfig reads the file of -config, and returns the directory with the files that it names.
func (c *command) bundleConfig(name string) (*bundle.Config, fs.FS, error) {
	if name == "" {
		return nil, nil, nil
	}
	path := c.absolute(name)
	data, err := regularfile.Read(path)
	if err != nil {
		return nil, nil, fmt.Errorf("read configuration: %w", err)
	}
	config, err := bundle.ReadConfig(name, data)
	if err != nil {
		return nil, nil, err
	}
	root, err := os.OpenRoot(filepath.Dir(path)) // its links cannot lead elsewhere
	if err != nil {
		return nil, nil, fmt.Errorf("read configuration: %w", err)
	}
	return config, root.FS(), nil
}

// bundleServer returns the facts about the server that manifests contain.
func (c *command) bundleServer(p *serverPackage) (*bundle.Server, error) {
	id := p.identity()
	s := &bundle.Server{Name: id.Name, Title: id.Title, Version: id.Version, Description: id.Description, Website: id.Website}
	for _, m := range p.models {
		l, err := listed(c.ctx, m)
		if err != nil {
			return nil, err
		}
		for _, list := range []struct {
			from []json.RawMessage
			to   *[]bundle.Feature
		}{{l.tools, &s.Tools}, {l.prompts, &s.Prompts}} {
			for _, text := range list.from {
				var feature struct {
					Name, Description string
					Arguments         []struct{ Name string }
				}
				if err := json.Unmarshal(text, &feature); err != nil {
					return nil, fmt.Errorf("read listing: %w", err)
				}
				one := bundle.Feature{Name: feature.Name, Description: feature.Description}
				for _, a := range feature.Arguments {
					one.Arguments = append(one.Arguments, a.Name)
				}
				*list.to = append(*list.to, one)
			}
		}
	}
	return s, nil
}

// bundlePaths returns the paths of bundles. It refuses to overwrite a file that is not a bundle.
func (c *command) bundlePaths(plan []*bundle.Bundle, file, server string) ([]string, error) {
	paths := make([]string, len(plan))
	for i, b := range plan {
		name := file
		if file == "" || len(plan) > 1 {
			base := strings.TrimSuffix(file, bundleExtension)
			if file == "" {
				base = server
			}
			name = base + b.Suffix() + bundleExtension
		}
		path, err := c.follow(c.absolute(name))
		if err != nil {
			return nil, err
		}
		data, err := regularfile.Read(path)
		if err == nil {
			_, err = bundle.ReadManifest(data)
		}
		switch {
		case errors.Is(err, bundle.ErrNoBundle):
			return nil, &bundle.Error{Problem: name + " is not a bundle, and would be overwritten", Hint: "name another file: -o FILE" + bundleExtension + ", or delete it"}
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("read bundle: %w", err)
		}
		if err := hasDirectory(path); err != nil {
			return nil, err
		}
		paths[i] = path
	}
	return paths, nil
}

// compile compiles a program for a platform. The program contains no facts about the machine and
// its directories.
func (c *command) compile(p *serverPackage, platform bundle.Program) ([]byte, error) {
	env := []string{"CGO_ENABLED=0", "GOOS=" + platform.OS, "GOARCH=" + platform.Arch}
	c.progress.begin("compiling " + p.given + " for " + platform.String())
	c.environment() // creates the directory
	dir, err := os.MkdirTemp(c.temporary, "bundle-")
	if err != nil {
		return nil, fmt.Errorf("make directory for the program: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // inside a directory that is removed at the end
	program := filepath.Join(dir, "program")
	args := []string{"build", "-o", program, "-trimpath", "-buildvcs=false", "-tags", p.tags}
	if !strings.Contains(os.Getenv("GOFLAGS"), "-ldflags") { // such as -X main.version=1.4.0
		args = append(args, "-ldflags=-s -w")
	}
	if _, err := c.goOutput(p.dir, env, append(args, "--", p.path)...); err != nil {
		if c.ctx.Err() != nil {
			return nil, context.Cause(c.ctx)
		}
		return nil, &bundle.Error{
			Problem: fmt.Sprintf("the program does not compile for %s:\n%v", platform, err),
			Hint:    fmt.Sprintf("%s go build %s reports the same; or leave the platform out with -platform", strings.Join(env, " "), word(p.path)),
		}
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return nil, fmt.Errorf("read program: %w", err)
	}
	return data, nil
}
