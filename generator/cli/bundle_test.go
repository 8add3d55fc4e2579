package cli

import (
	"archive/zip"
	"bytes"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/bundle"
	"github.com/mcpgen/mcpgen/generator/internal/program"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// bundled is a module with a package, a program that serves it without net/http, and a program that
// compiles for some systems only.
var bundled = map[string]string{
	"shop.go": `// Package shop sells.
//
//mcp:server version=1.4.0 title="The shop" description="Books and their prices."
package shop

import "os"

// Price returns what a book costs.
//
//mcp:tool readonly closedworld
//mcp:arg title "of the book"
func Price(title string) string { return os.Getenv("CURRENCY") + " 12 for " + title + " from " + os.Args[1] }

// Recommend asks for a book.
//
//mcp:prompt
//mcp:arg subject "of the book"
func Recommend(subject string) string { return "Recommend a book about " + subject }
`,
	"cmd/shop/main.go": `package main

import (
	"context"
	"log"

	"example.com/shop"
)

func main() {
	if err := shop.NewMCPServer().ServeStdio(context.Background()); err != nil {
		log.Fatal(err)
	}
}
`,
	"cmd/here/main.go":    "package main\n\nimport (\n\t_ \"example.com/shop\"\n\t_ \"example.com/shop/here\"\n)\n\nfunc main() {}\n",
	"here/here.go":        "//go:build " + runtime.GOARCH + "\n\npackage here\n",
	"cmd/empty/main.go":   "package main\n\nfunc main() {}\n",
	"other/other.go":      "// Package other is alone.\npackage other\n\n// Add adds.\n//\n//mcp:tool\nfunc Add(a, b int) int { return a + b }\n",
	"notes.mcpb":          "not an archive",
	"config/icon.png":     "\x89PNG\r\n\x1a\n",
	"config/bundle.json":  `{"author": {"name": "Ada"}, "icon": "icon.png", "user_config": {"c": {"type": "string", "title": "Currency", "description": "of prices", "required": true}}, "server": {"mcp_config": {"args": ["the shelf"], "env": {"CURRENCY": "${user_config.c}"}}}}`,
	"config/mistake.json": `{"author": {"name": "Ada"}, "colour": "red"}`,
}

// inBundled returns a command whose current directory is that module.
func inBundled(t *testing.T) (c *command, out, err *bytes.Buffer) {
	t.Helper()
	for _, entry := range goEnvironment(t) {
		name, value, _ := strings.Cut(entry, "=")
		t.Setenv(name, value)
	}
	root, wrong := filepath.Abs(filepath.Join("..", ".."))
	if wrong != nil {
		t.Fatal(wrong)
	}
	dir := t.TempDir()
	if err := writeModule(dir, root, "example.com/shop"); err != nil {
		t.Fatal(err)
	}
	for name, text := range bundled {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, err = new(bytes.Buffer), new(bytes.Buffer)
	c = &command{ctx: t.Context(), dir: dir, invoked: "mcpgen", in: strings.NewReader(""), out: out, err: err, data: out, log: err, progress: newProgress(err, false), buildProgram: program.Build}
	t.Cleanup(c.removeTemporary)
	if code := c.run(nil); code != exitDone {
		t.Fatal(code, err)
	}
	err.Reset()
	return c, out, err
}

// thisPlatform returns the bundle platform of this machine.
func thisPlatform(t *testing.T) string {
	switch runtime.GOOS {
	case "darwin", "windows":
		return runtime.GOOS
	case "linux":
		if runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64" {
			return "linux/" + runtime.GOARCH
		}
	}
	t.Skip("there are no bundles for this machine")
	return ""
}

// TestBundle unpacks a bundle as a client does, and starts the server according to its manifest.
func TestBundle(t *testing.T) {
	platform := thisPlatform(t)
	c, out, errs := inBundled(t)
	if code := c.run([]string{"bundle", "-platform", platform, "-config", "config/bundle.json", "-o", "shop.mcpb", "./cmd/shop"}); code != exitDone || out.Len() > 0 {
		t.Fatalf("exit code %d\n%s%s", code, out, errs)
	}
	said := errs.String() // on a busy machine, lines of progress come first
	if _, last, found := strings.Cut("\n"+said, "\nwrote shop.mcpb ("+platform+"; "); !found || strings.Count(last, "\n") != 1 {
		t.Errorf("said %s", said)
	}
	dir := t.TempDir()
	unzip(t, filepath.Join(c.dir, "shop.mcpb"), dir)
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Name, Version, Icon string
		Server              struct {
			Config struct {
				Command   string
				Args      []string
				Env       map[string]string
				Overrides map[string]struct{ Command string } `json:"platform_overrides"`
			} `json:"mcp_config"`
		}
		Tools, Prompts []struct{ Name string }
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	start := manifest.Server.Config
	client, err := mcpclient.Connect(t.Context(), mcpclient.Command{
		Path: filepath.FromSlash(strings.Replace(start.Command, "${__dirname}", filepath.ToSlash(dir), 1)), Args: start.Args,
		Env: []string{"CURRENCY=" + strings.Replace(start.Env["CURRENCY"], "${user_config.c}", "EUR", 1)},
	}, mcpclient.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	result, err := client.Call(t.Context(), manifest.Tools[0].Name, map[string]any{"title": "Emma"})
	if err != nil || len(manifest.Tools) != 1 || !strings.Contains(fmt.Sprint(result.Content), "EUR 12 for Emma from the shelf") {
		t.Errorf("%v, %+v, %+v", err, result, manifest.Tools)
	}
	if manifest.Name != "shop" || manifest.Version != "1.4.0" || manifest.Icon != "icon.png" || len(manifest.Prompts) != 1 || manifest.Prompts[0].Name != "recommend" {
		t.Errorf("manifest\n%s", text)
	}

	// A second run replaces the bundle, and the source with another tool needs its generated file.
	before, err := os.ReadFile(filepath.Join(c.dir, "shop.mcpb"))
	if err != nil {
		t.Fatal(err)
	}
	again := []string{"bundle", "-platform", platform, "-config", "config/bundle.json", "-o", "shop.mcpb", "./cmd/shop"}
	if code := c.run(again); code != exitDone {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	if after, err := os.ReadFile(filepath.Join(c.dir, "shop.mcpb")); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the same source gives other bytes (%v)", err)
	}
	if err := os.WriteFile(filepath.Join(c.dir, "more.go"), []byte("package shop\n\n// Buy buys.\n//\n//mcp:tool\nfunc Buy() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	errs.Reset()
	if code := c.run(again); code != exitFound || !strings.Contains(errs.String(), "package example.com/shop: its mcp_gen.go is not current") || !strings.Contains(errs.String(), "hint: mcpgen example.com/shop\n") {
		t.Errorf("exit code %d, %s", code, errs)
	}
}

// unzip unpacks an archive with the permissions of its files.
func unzip(t *testing.T, file, dir string) {
	t.Helper()
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, f := range z.File {
		var data bytes.Buffer
		r, err := f.Open()
		if err == nil {
			_, err = data.ReadFrom(r)
		}
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o755)
		}
		if err == nil {
			err = os.WriteFile(path, data.Bytes(), f.Mode())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestBundleRefuses checks that mistakes are found before anything is compiled.
func TestBundleRefuses(t *testing.T) {
	c, _, errs := inBundled(t)
	const config = "-config=config/bundle.json"
	elsewhere := "arm64"
	if runtime.GOARCH == elsewhere {
		elsewhere = "amd64"
	}
	for _, test := range []struct {
		args string
		code int
		want string
	}{
		{"", exitUsage, "mcpgen bundle: the package is missing\n\thint: name the package main"},
		{". ./cmd/shop", exitUsage, "mcpgen bundle: bundle takes one package"},
		{"./cmd/...", exitUsage, "./cmd/... matches more than one package"},
		{"-platform macos ./cmd/shop", exitUsage, "mcpgen bundle: flag -platform: there is no bundle for the platform macos\n\thint: write darwin\n"},
		{"-o shop.zip ./cmd/shop", exitUsage, "flag -o: shop.zip does not end in .mcpb, by which clients know bundles\n\thint: write -o shop.mcpb"},
		{"-confg x ./cmd/shop", exitUsage, "did you mean -config?"},
		{"-config none.json ./cmd/shop", exitFound, "read configuration: "},
		{"-config config/mistake.json ./cmd/shop", exitFound, "config/mistake.json: colour: it is not a member of manifests"},
		{config + " .", exitFound, "package example.com/shop: is not package main, so that there is no program to bundle\n\thint: name a program that imports it: "},
		{config + " ./other", exitFound, "\thint: write one: mcpgen init -main ./other\n"},
		{config + " ./cmd/empty", exitFound, "package example.com/shop/cmd/empty: has no feature, and imports no package with a generated mcp_gen.go\n\thint: "},
		{config + " ./none", exitFound, "none"},
		{"./cmd/shop", exitFound, "a bundle needs author of the server, which neither the source nor -config contains\n\thint: write {\"author\": {\"name\": \"Ada\"}}"},
		{config + " -o notes.mcpb -platform linux/arm64 ./cmd/shop", exitFound, "notes.mcpb is not a bundle, and would be overwritten\n\thint: "},
		{config + " -o no/shop.mcpb ./cmd/shop", exitFound, "there is no directory "},
		{config + " -platform linux/" + elsewhere + " ./cmd/here", exitFound, "the program does not compile for linux/" + elsewhere + ":\n"},
		{config + " -platform linux/" + elsewhere + " ./cmd/here", exitFound, "\thint: CGO_ENABLED=0 GOOS=linux GOARCH=" + elsewhere + " go build example.com/shop/cmd/here reports the same; or leave the platform out"},
	} {
		errs.Reset()
		code := c.run(append([]string{"bundle"}, strings.Fields(test.args)...))
		if code != test.code || !strings.Contains(filepath.ToSlash(errs.String()), test.want) {
			t.Errorf("bundle %s: exit code %d, %s\nwant %d, %s", test.args, code, errs, test.code, test.want)
		}
	}
	left, err := filepath.Glob(filepath.Join(c.dir, "*"+bundleExtension))
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %q (%v)", left, err)
	}
}

// TestBundlePaths checks that several bundles have different names.
func TestBundlePaths(t *testing.T) {
	dir := t.TempDir()
	c := &command{dir: dir}
	for _, test := range []struct{ platforms, file, want string }{
		{"", "", "shop.mcpb shop-linux-amd64.mcpb shop-linux-arm64.mcpb"},
		{"", "out.mcpb", "out.mcpb out-linux-amd64.mcpb out-linux-arm64.mcpb"},
		{"windows", "", "shop.mcpb"},
		{"linux/arm64", "", "shop-linux-arm64.mcpb"},
		{"linux/arm64", "out.mcpb", "out.mcpb"},
		{"linux", "out.mcpb", "out-linux-amd64.mcpb out-linux-arm64.mcpb"},
	} {
		platforms, err := bundle.Platforms(test.platforms)
		if err != nil {
			t.Fatal(err)
		}
		paths, err := c.bundlePaths(bundle.Plan(platforms), test.file, "shop")
		for i := range paths {
			paths[i] = filepath.Base(paths[i])
		}
		if got := strings.Join(paths, " "); got != test.want || err != nil {
			t.Errorf("%s, %s: %s, %v; want %s", test.platforms, test.file, got, err, test.want)
		}
	}
}

// TestBundleEverywhere compiles for every platform, which takes minutes of CPU time, and checks the
// headers of the programs.
func TestBundleEverywhere(t *testing.T) {
	if os.Getenv("MCPGEN_LONG") == "" {
		t.Skip("it compiles the standard library five times; the step crossbuild of .ci/run has it")
	}
	c, _, errs := inBundled(t)
	if code := c.run([]string{"bundle", "-config", "config/bundle.json", "-o", "shop.mcpb", "./cmd/shop"}); code != exitDone {
		t.Fatalf("exit code %d\n%s", code, errs)
	}
	for _, test := range []struct{ bundle, program, want string }{
		{"shop.mcpb", "shop", "macho CpuAmd64 CpuArm64"},
		{"shop.mcpb", "shop.exe", fmt.Sprintf("pe %#x", pe.IMAGE_FILE_MACHINE_AMD64)},
		{"shop-linux-amd64.mcpb", "shop", "elf EM_X86_64"},
		{"shop-linux-arm64.mcpb", "shop", "elf EM_AARCH64"},
	} {
		dir := t.TempDir()
		unzip(t, filepath.Join(c.dir, test.bundle), dir)
		if got := header(filepath.Join(dir, "server", test.program)); got != test.want {
			t.Errorf("%s in %s: %s, want %s", test.program, test.bundle, got, test.want)
		}
	}
}

// header returns the format and the architectures of a program.
func header(path string) string {
	if f, err := macho.OpenFat(path); err == nil {
		defer f.Close()
		text := "macho"
		for _, arch := range f.Arches {
			text += " " + arch.Cpu.String()
		}
		return text
	}
	if f, err := pe.Open(path); err == nil {
		defer f.Close()
		return fmt.Sprintf("pe %#x", f.Machine)
	}
	f, err := elf.Open(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	return "elf " + f.Machine.String()
}
