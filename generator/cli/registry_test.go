package cli

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRegistry writes server.json, and compares it with the source later.
func TestRegistry(t *testing.T) {
	c, out, errs := inBundled(t)
	writeBundle(t, filepath.Join(c.dir, "shop.mcpb"), `{"version": "1.4.0"}`)
	writeBundle(t, filepath.Join(c.dir, "old.mcpb"), `{"version": "1.3.0"}`)
	writeBundle(t, filepath.Join(c.dir, "other.mcpb"), `{"version": "2.0.0", "description": "Adds."}`)
	const bundles = "-bundle https://example.com/shop.mcpb=shop.mcpb"
	const everything = "-name io.github.ada/shop " + bundles + " -image ghcr.io/ada/shop:1.4.0 -remote https://example.com/mcp -config config/bundle.json"
	const label = "LABEL io.modelcontextprotocol.server.name=\"io.github.ada/shop\"\n"
	for _, test := range []struct {
		args           string
		code           int
		stdout, stderr string // the beginnings
	}{
		{"-name a/b " + bundles, exitUsage, "", "mcpgen registry: registry takes one package\n\thint: name the program"},
		{bundles + " .", exitUsage, "", "mcpgen registry: the name is missing\n\thint: write -name io.github.USER/NAME"},
		{"-name a/b .", exitUsage, "", "mcpgen registry: there is no way to get the server\n\thint: say how clients get it: -bundle"},
		{"-name shop " + bundles + " .", exitUsage, "", "mcpgen registry: flag -name: \"shop\" is not a name of the registry\n\thint: "},
		{"-name a/b -config config/bundle.json " + bundles + " .", exitUsage, "", "mcpgen registry: flag -config has no meaning without -image"},
		{"-name a/b -remote http://example.com .", exitUsage, "", "mcpgen registry: flag -remote: \"http://example.com\" is not"},
		{"-name a/b -image shop .", exitUsage, "", "mcpgen registry: flag -image: \"shop\" has neither a tag nor a digest"},
		{"-name a/b -bundle shop.mcpb .", exitUsage, "", "mcpgen registry: flag -bundle: shop.mcpb names no file\n\thint: write URL=FILE"},
		{"-name a/b -bundle shop.mcpb=shop.mcpb .", exitUsage, "", "mcpgen registry: flag -bundle: \"shop.mcpb\" is not the URL of a bundle"},
		{"-name a/b -bundle https://example.com/shop.mcpb=none.mcpb .", exitFound, "", "mcpgen: read bundle: "},
		{"-name a/b -bundle https://example.com/shop.mcpb=notes.mcpb .", exitFound, "", "notes.mcpb: it is not a bundle: there is no manifest.json in a ZIP archive\n\thint: make it: mcpgen bundle"},
		{"-name a/b -bundle https://example.com/shop.mcpb=old.mcpb .", exitFound, "", "mcpgen registry: the bundle of -bundle https://example.com/shop.mcpb=old.mcpb has version 1.3.0, and the server 1.4.0\n\thint: make"},
		{"-name a/b " + bundles + " -o go.mod .", exitFound, "", "go.mod is not a server.json of the registry, and would be overwritten\n\thint: "},
		{"-check " + everything + " ./cmd/shop", exitFound, "diff /dev/null server.json\n--- /dev/null\n", "server.json is not current\n\thint: run the same command without -check\n"},
		{everything + " ./cmd/shop", exitDone, label, "wrote server.json\nthe image needs this label"},
		{"-check " + everything + " ./cmd/shop", exitDone, "", ""},
		{"-check -v " + everything + " .", exitDone, "", "listing the packages"},
		{"-check " + strings.Replace(everything, ":1.4.0", ":1.4.1", 1) + " .", exitFound, "diff server.json server.json\n--- server.json\n", "server.json is not current"},
		{"-name io.github.ada/shop -remote https://example.com/mcp .", exitDone, "", "wrote server.json\n"},
	} {
		out.Reset()
		errs.Reset()
		code := c.run(append([]string{"registry"}, strings.Fields(test.args)...))
		if code != test.code || !strings.HasPrefix(out.String(), test.stdout) || !strings.HasPrefix(errs.String(), test.stderr) || test.stdout == "" && out.Len() > 0 {
			t.Errorf("registry %s: exit code %d\n%s%s\nwant %d\n%s%s", test.args, code, out, errs, test.code, test.stdout, test.stderr)
		}
	}
	got, err := os.ReadFile(filepath.Join(c.dir, "server.json"))
	const want = `{
  "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  "name": "io.github.ada/shop",
  "title": "The shop",
  "description": "Books and their prices.",
  "version": "1.4.0",
  "remotes": [
    {
      "type": "streamable-http",
      "url": "https://example.com/mcp"
    }
  ]
}
`
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}

	// The bundle contains the parts that are missing in the source.
	if code := c.run([]string{"./other"}); code != exitDone {
		t.Fatal(errs)
	}
	errs.Reset()
	code := c.run(strings.Fields("registry -name a/b -o other.json -bundle https://example.com/other.mcpb=other.mcpb ./other"))
	got, err = os.ReadFile(filepath.Join(c.dir, "other.json"))
	if code != exitDone || err != nil || !strings.Contains(string(got), `"version": "2.0.0"`) || !strings.Contains(string(got), `"description": "Adds."`) {
		t.Errorf("exit code %d, %v\n%s\n%s", code, err, errs, got)
	}
}

// writeBundle writes an archive with a manifest.
func writeBundle(t *testing.T, path, manifest string) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z := zip.NewWriter(file)
	f, err := z.Create("manifest.json")
	if err == nil {
		_, err = f.Write([]byte(manifest))
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}
