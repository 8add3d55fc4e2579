package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	goversion "go/version"
	"log/slog"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/pipeline"
	"github.com/mcpgen/mcpgen/generator/internal/remote"
	"github.com/mcpgen/mcpgen/internal/clients"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// ownVersion returns the version of this command.
func (d *doctor) ownVersion(context.Context) []*finding {
	return []*finding{{Part: "mcpgen", OK: true, Text: fmt.Sprintf("%s, built with %s for %s/%s", d.own, runtime.Version(), runtime.GOOS, runtime.GOARCH)}}
}

// goCommand runs the go command in the directory of the packages.
func (d *doctor) goCommand(ctx context.Context, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, partTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = d.dir, d.c.environment()
	if d.dir == "" {
		cmd.Dir = d.c.dir
	}
	cmd.WaitDelay = partTime
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if text := complaint(errs.String()); err != nil && text != "" {
		err = errors.New(text)
	}
	return out, err
}

// goVersion returns the version of Go that compiles the packages. go.mod may select it.
func (d *doctor) goVersion(ctx context.Context) []*finding {
	if _, err := exec.LookPath("go"); err != nil {
		return []*finding{wrong("go", "there is no go command in PATH", "install Go, from https://go.dev/dl, or add its directory to PATH")}
	}
	out, err := d.goCommand(ctx, "env", "-json", "GOVERSION", "GOWORK", "GOPROXY")
	var env struct{ GOVERSION, GOWORK, GOPROXY string }
	if err == nil {
		err = json.Unmarshal(out, &env)
	}
	if f := late("go", err, partTime, "go env waits for something: try it"); f != nil {
		return []*finding{f}
	}
	if err != nil {
		return []*finding{wrong("go", err.Error(), "see what go version says")}
	}
	d.addProxies(env.GOPROXY)
	f := &finding{Part: "go", OK: true, Text: env.GOVERSION}
	if env.GOWORK != "" && env.GOWORK != "off" {
		f.Text += ", with the workspace " + env.GOWORK
	}
	if v, _, _ := strings.Cut(env.GOVERSION, " "); goversion.IsValid(v) && goversion.Compare(v, "go"+goVersion) < 0 {
		f.OK, f.Hint = false, "mcpgen needs Go "+goVersion+" or newer: https://go.dev/dl"
	}
	return []*finding{f}
}

// goMod is the output of go mod edit -json.
type goMod struct {
	Module  struct{ Path string }
	Go      string
	Require []struct{ Path, Version string }
	Replace []struct {
		Old, New struct{ Path, Version string }
	}
	Tool []struct{ Path string }
}

// module compares go.mod with this command.
func (d *doctor) module(ctx context.Context) []*finding {
	const part = "module"
	root := moduleRoot(d.dir)
	if root == "" {
		return []*finding{wrong(part, "there is no go.mod in "+d.dir+" or above it", "make the directory a module: go mod init example.com/NAME")}
	}
	out, err := d.goCommand(ctx, "mod", "edit", "-json", filepath.Join(root, "go.mod"))
	var mod goMod
	if err == nil {
		err = json.Unmarshal(out, &mod)
	}
	if f := late(part, err, partTime, "go mod edit -json waits for something: try it"); f != nil {
		return []*finding{f}
	}
	if err != nil {
		return []*finding{wrong(part, err.Error(), "go.mod cannot be read")}
	}
	f := &finding{Part: part, OK: true}
	required := ""
	for _, r := range mod.Require {
		if r.Path == modulePath {
			required = r.Version
		}
	}
	shown := required
	for _, r := range mod.Replace {
		if r.Old.Path == modulePath && (r.Old.Version == "" || r.Old.Version == required) {
			shown, required = "replaced by "+strings.TrimSpace(r.New.Path+" "+r.New.Version), r.New.Version
		}
	}
	f.Text = fmt.Sprintf("%s, with go %s and mcpgen %s", mod.Module.Path, mod.Go, shown)
	switch {
	case mod.Module.Path == modulePath:
		f.Text = fmt.Sprintf("%s itself, with go %s", modulePath, mod.Go)
	case shown == "":
		f.Text = fmt.Sprintf("%s, with go %s, does not require mcpgen", mod.Module.Path, mod.Go)
		f.OK, f.Hint = false, "go get -tool "+commandPath
	case goversion.Compare("go"+mod.Go, "go"+goVersion) < 0:
		f.OK, f.Hint = false, "mcpgen needs go "+goVersion+": go get go@"+goVersion
	case !released(d.own) || !released(required):
		// One of them is a working tree, whose version number is meaningless.
	case older(required, d.own):
		f.OK, f.Hint = false, "go.mod is older than this mcpgen: go get "+modulePath+"@"+d.own+", and generate again"
	case older(d.own, required):
		f.OK, f.Hint = false, "this mcpgen is older than go.mod: use go tool mcpgen, or go install "+commandPath+"@"+required
	}
	return []*finding{f}
}

// released reports whether go.mod can require a version.
func released(v string) bool { return strings.HasPrefix(v, "v") && !strings.Contains(v, "+") }

// older reports whether a is an older version than b. A prerelease is older than its release, and
// the suffixes of pseudo-versions sort by time.
func older(a, b string) bool {
	numbers := func(v string) (n [3]int, rest string) {
		v, rest, _ = strings.Cut(strings.TrimPrefix(v, "v"), "-")
		for i, text := range strings.SplitN(v, ".", 3) {
			n[i], _ = strconv.Atoi(text) // go.mod allows no other text
		}
		return n, rest
	}
	x, before := numbers(a)
	y, after := numbers(b)
	for i := range x {
		if x[i] != y[i] {
			return x[i] < y[i]
		}
	}
	return before != after && after == "" || before != "" && before < after
}

// packages runs -check and vet.
func (d *doctor) packages(ctx context.Context) []*finding {
	c := d.c
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	result, err := pipeline.Generate(ctx, pipeline.Config{
		Dir: d.dir, Env: c.environment(), Tags: d.tags, Patterns: []string{d.pattern}, Progress: c.progress.begin, Packages: c.progress.packages, Emitting: true,
	})
	c.progress.end()
	notRun := wrong("vet", "not run, as the packages cannot be generated", "")
	if err != nil && ctx.Err() != nil {
		return []*finding{late("check", ctx.Err(), d.timeout, "the first run compiles what the packages import; it goes on where it was: -timeout 10m"), notRun}
	}
	if nothing, ok := errors.AsType[*load.Error](err); ok {
		found := nothing.Diagnostic()
		return []*finding{wrong("check", found.Message, found.Hint), notRun}
	}
	if err != nil {
		return []*finding{wrong("check", err.Error(), ""), notRun}
	}
	if result.Diagnostics.HasErrors() {
		f := wrong("check", "the packages have errors", "")
		f.Details = d.lines(result.Diagnostics)
		return []*finding{f, notRun}
	}
	if len(result.Packages) == 0 && len(result.NotEmitted) == 0 {
		nothing := c.nothing(d.pattern)
		return []*finding{wrong("check", nothing.Message, nothing.Hint), notRun}
	}
	return []*finding{d.check(result), d.vet(ctx, result)}
}

// lines returns diagnostics as other commands print them.
func (d *doctor) lines(l *diag.List) (lines []string) {
	var b strings.Builder
	diag.Print(&b, l, d.c.dir)
	for line := range strings.Lines(b.String()) {
		lines = append(lines, strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "  "))
	}
	return lines
}

// generatedFor matches the oldest runtime that a generated file accepts.
var generatedFor = regexp.MustCompile(`mcpimpl\.AtLeast_(\w+)`)

// check compares the generated files with their source.
func (d *doctor) check(result *pipeline.Result) *finding {
	f := &finding{Part: "check", OK: true}
	for _, p := range result.Packages {
		if p.Current() {
			continue
		}
		f.OK = false
		name := d.c.relative(p.Path)
		was, is := generatedFor.FindSubmatch(p.Old), generatedFor.FindSubmatch(p.Source)
		switch {
		case p.Old == nil:
			name += " is missing"
		case was != nil && is != nil && !bytes.Equal(was[1], is[1]):
			name += fmt.Sprintf(" was written by another version of mcpgen, for the runtime %s and not %s", was[1], is[1])
		default:
			name += " is not current"
		}
		f.Details = append(f.Details, name)
	}
	f.Text = count(len(result.Packages), "generated file") + ", all current"
	if !f.OK {
		f.Text = fmt.Sprintf("not current: %d of %s", len(f.Details), count(len(result.Packages), "generated file"))
		f.Hint = strings.TrimSpace(d.c.invoked + " " + word(d.pattern))
	}
	return f
}

// vet returns the findings of mcpgen vet.
func (d *doctor) vet(ctx context.Context, result *pipeline.Result) *finding {
	found, err := vetFindings(result, vetOptions(ctx), true)
	switch {
	case err != nil:
		return wrong("vet", err.Error(), "")
	case found.Len() == 0:
		return &finding{Part: "vet", OK: true, Text: "no findings"}
	}
	f := wrong("vet", count(found.Len(), "finding"), d.c.invoked+" help vet lists the rules")
	f.Details = d.lines(found)
	return f
}

// clients counts the entries in the files of clients.
func (d *doctor) clients(context.Context) []*finding {
	const part = "clients"
	cc, err := d.c.clientCommand()
	if err != nil {
		return []*finding{wrong(part, err.Error(), "")}
	}
	f := &finding{Part: part, OK: true}
	var counted []string
	broken := 0
	for _, client := range clients.All {
		all, err := cc.System.Status(client)
		if err != nil {
			f.OK = false
			f.Details = append(f.Details, client.Name+": "+err.Error())
			continue
		}
		entries := map[clients.Scope]int{}
		for _, s := range all {
			switch {
			case s.Err != nil:
				f.OK = false
				f.Details = append(f.Details, fmt.Sprintf("%s (%s): %v", client.Name, s.Scope, s.Err))
				continue
			case s.Ours && s.Finding != "":
				broken++
			}
			entries[s.Scope]++
		}
		for _, scope := range client.Scopes() {
			if n := entries[scope]; n > 0 {
				counted = append(counted, fmt.Sprintf("%s %d (%s)", client.Name, n, scope))
			}
		}
	}
	f.Text = "no servers"
	if len(counted) > 0 {
		f.Text = "servers of " + strings.Join(counted, ", ")
	}
	if broken > 0 {
		f.OK = false
		f.Details = append(f.Details, count(broken, "server")+" that install has written cannot be started")
	}
	if !f.OK {
		f.Hint = d.c.invoked + " status has more, which is not for others to read"
	}
	return []*finding{f}
}

// endpoint requests the list of tools from -url, without credentials.
func (d *doctor) endpoint(ctx context.Context) []*finding {
	const part = "endpoint"
	d.c.progress.begin("asking the endpoint")
	defer d.c.progress.end()
	ctx, cancel := context.WithTimeout(ctx, partTime)
	defer cancel()
	const longer = 2 * partTime // ctx expires first
	client, err := mcpclient.Connect(ctx, remote.URL(d.url, remote.Credentials{}), mcpclient.Options{
		Info: mcp.ClientInfo{Name: "mcpgen", Version: version()}, Logger: slog.New(slog.DiscardHandler),
		Limits: mcpclient.Limits{ConnectTime: longer, RequestTime: longer, MaxTime: longer},
	})
	var tools []json.RawMessage
	if err == nil {
		defer func() { _ = client.Close() }() // its response is complete
		tools, err = entries(ctx, client, "tools/list", "tools", defaultListBounds)
	}
	if s, ok := errors.AsType[*mcpclient.StatusError](err); ok && s.Status == http.StatusUnauthorized {
		return []*finding{{Part: part, OK: true, Text: d.url + " answers, and requires credentials"}}
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return []*finding{wrong(part, fmt.Sprintf("%s has not answered within %v", d.url, partTime), "see whether the server runs, and what its log says")}
	case err != nil:
		return []*finding{wrong(part, err.Error(), "")}
	}
	return []*finding{{Part: part, OK: true, Text: fmt.Sprintf("%s answers in revision %s, with %s", d.url, client.Revision(), count(len(tools), "tool"))}}
}
