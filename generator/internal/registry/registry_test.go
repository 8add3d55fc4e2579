package registry

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/generator/internal/bundle"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

const options = `{"version": "1.4.0", "server": {"mcp_config": {
	"args": ["-db", "${user_config.db}", "", "${user_config.dirs}", "-home=${HOME}", "-both=${user_config.key}-${user_config.most}"],
	"env": {"KEY": "${user_config.key}", "AUTH": "Bearer ${user_config.key}", "FIXED": "yes", "EMPTY": "", "DRY": "${user_config.dry}"}}},
	"user_config": {
		"db": {"type": "file", "title": "Database", "description": "SQLite", "default": "${DOCUMENTS}/shop.db"},
		"key": {"type": "string", "title": "Key", "description": "API key", "required": true, "sensitive": true},
		"most": {"type": "number", "title": "Most", "description": "Results", "default": 10},
		"dry": {"type": "boolean", "title": "Dry", "description": "Sell nothing", "default": false},
		"dirs": {"type": "directory", "title": "Folders", "description": "Where", "multiple": true}}}`

// packed returns an archive with a manifest.
func packed(t *testing.T, manifest string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	f, err := z.Create("manifest.json")
	if err == nil {
		_, err = f.Write([]byte(manifest))
	}
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func bundled(t *testing.T, address string) *Package {
	t.Helper()
	archive := packed(t, options)
	opened, err := bundle.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Bundle(address, archive, opened)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func image(t *testing.T, reference, config string) *Package {
	t.Helper()
	var c *bundle.Config
	if config != "" {
		var err error
		if c, err = bundle.ReadConfig("shop.json", []byte(config)); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Image(reference, c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// validate validates the file by the official schema.
func validate(t *testing.T, text []byte) {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	s, err := compiler.Compile("testdata/server-2025-12-11.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = s.Validate(v)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestJSON writes all members of the file.
func TestJSON(t *testing.T) {
	s := &Server{
		Name: "io.github.ada/shop", Title: "The shop", Version: "1.4.0", Website: "https://example.com", Module: "github.com/ada/shop/v2",
		Description: "Books and their prices. " + strings.Repeat("More. ", 20),
		Icons: []model.Icon{
			{Source: "https://example.com/i.png", MIMEType: "image/png", Sizes: []string{"16x16"}, Theme: "dark"},
			{Source: "data:image/png;base64,AA=="}, {Source: "https://example.com/i.gif", MIMEType: "image/gif"},
		},
		Packages: []*Package{
			bundled(t, "https://github.com/ada/shop/releases/download/v1.4.0/shop.mcpb"),
			image(t, "ghcr.io/ada/shop:1.4.0", options), image(t, "ada/shop@sha256:"+strings.Repeat("0a", 32), ""),
		},
		Remotes: []string{"https://example.com/mcp"},
	}
	text, notes, err := s.JSON()
	if err != nil {
		t.Fatal(err)
	}
	validate(t, text)
	for _, want := range []string{
		`"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"`, `"description": "Books and their prices."`,
		`"url": "https://github.com/ada/shop",` + "\n    " + `"source": "github"`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	var got struct {
		Icons    []any
		Packages []map[string]any
		Remotes  []any
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	const (
		key  = `{"description":"API key","isRequired":true,"isSecret":true}`
		most = `{"default":"10","description":"Results","format":"number"}`
		auth = `{"name":"AUTH","value":"Bearer {key}","variables":{"key":` + key + `}}`
		env  = `{"description":"API key","isRequired":true,"isSecret":true,"name":"KEY"},` + auth
		dry  = `{"default":"false","description":"Sell nothing","format":"boolean","name":"DRY"}`
	)
	for i, want := range []map[string]string{
		{
			"identifier": `"https://github.com/ada/shop/releases/download/v1.4.0/shop.mcpb"`, "registryType": `"mcpb"`, "transport": `{"type":"stdio"}`,
			"environmentVariables": "[" + env + "," + dry + "]",
		},
		{
			"identifier": `"ghcr.io/ada/shop:1.4.0"`, "registryType": `"oci"`, "transport": `{"type":"stdio"}`,
			"environmentVariables": "[" + env + `,{"name":"FIXED","value":"yes"},{"name":"EMPTY","value":""},` + dry + "]",
			"packageArguments": `[{"type":"positional","value":"-db"},{"description":"SQLite","format":"filepath","type":"positional","valueHint":"db"},` +
				`{"type":"positional","value":""},{"description":"Where","format":"filepath","isRepeated":true,"type":"positional","valueHint":"dirs"},` +
				`{"type":"positional","value":"-home=${HOME}"},{"type":"positional","value":"-both={key}-{most}","variables":{"key":` + key + `,"most":` + most + `}}]`,
		},
		{"identifier": `"ada/shop@sha256:` + strings.Repeat("0a", 32) + `"`, "registryType": `"oci"`, "transport": `{"type":"stdio"}`},
	} {
		if sum, ok := got.Packages[i]["fileSha256"]; ok != (i == 0) {
			t.Errorf("package %d has the hash %v", i, sum)
		}
		delete(got.Packages[i], "fileSha256")
		for name, value := range got.Packages[i] {
			if text, _ := json.Marshal(value); string(text) != want[name] {
				t.Errorf("package %d: %s:\n%s\nwant\n%s", i, name, text, want[name])
			}
		}
		if len(got.Packages[i]) != len(want) {
			t.Errorf("package %d: %v", i, got.Packages[i])
		}
	}
	if len(got.Icons) != 1 || len(got.Remotes) != 1 {
		t.Errorf("icons %v, remotes %v", got.Icons, got.Remotes)
	}
	want := []string{
		"the description is cut to its first sentence: the registry takes 100 characters",
		"2 of 3 icons are left out: the registry takes https: URLs of at most 255 bytes, to PNG, JPEG, SVG and WebP",
		"ghcr.io/ada/shop:1.4.0: the default of db is left out: the registry has no variable ${DOCUMENTS}",
		`ghcr.io/ada/shop:1.4.0: ${HOME} stays in "-home=${HOME}": the registry has no such variable`,
	}
	if !slices.Equal(notes, want) {
		t.Errorf("notes %q, want %q", notes, want)
	}
	again, _, err := s.JSON()
	if err != nil || !bytes.Equal(text, again) {
		t.Errorf("written twice, the file has other bytes (%v)", err)
	}
}

// TestSmall writes a server with the required members only, in a module that is hosted elsewhere.
func TestSmall(t *testing.T) {
	text, notes, err := (&Server{Name: "com.example/a", Version: "0.1.0", Description: "A\n b", Module: "example.com/a", Website: "http://example.com", Remotes: []string{"https://example.com/mcp"}}).JSON()
	if err != nil || len(notes) != 1 || !strings.Contains(notes[0], "the website http://example.com is left out") {
		t.Errorf("%v, %q", err, notes)
	}
	validate(t, text)
	if want := `"description": "A b",` + "\n  " + `"version": "0.1.0",` + "\n  " + `"remotes": [`; !strings.Contains(string(text), want) {
		t.Errorf("no %s in\n%s", want, text)
	}
}

// TestHash checks that the package contains the hash of the file.
func TestHash(t *testing.T) {
	p, err := Bundle("https://example.com/a.mcpb", []byte("abc"), &bundle.Opened{})
	if want := "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; err != nil || p.SHA256 != want {
		t.Errorf("%s, %v", p.SHA256, err)
	}
}

func TestRefused(t *testing.T) {
	long := strings.Repeat("long ", 30)
	bundleAt := func(address string) error { _, err := Bundle(address, nil, &bundle.Opened{}); return err }
	imageOf := func(reference string) error { _, err := Image(reference, nil); return err }
	server := func(s Server) error { _, _, err := s.JSON(); return err }
	for _, test := range []struct {
		err           error
		problem, hint string
	}{
		{CheckName("shop"), `"shop" is not a name of the registry`, "write io.github.USER/NAME"},
		{CheckName("a/b/c"), "not a name", "com.example/NAME"},
		{CheckName("io.github.ada/-"), "not a name", ""},
		{CheckName("io.github.ada/" + strings.Repeat("a", 200)), "not a name", ""},
		{bundleAt("http://github.com/a/b.mcpb"), "is not the URL of a bundle", "https://github.com/ada/shop/releases/"},
		{bundleAt("https://example.com/shop.zip"), "is not the URL of a bundle", ""},
		{bundleAt("https://u:p@example.com/shop.mcpb"), "is not the URL of a bundle", ""},
		{bundleAt("https://example.com/my shop.mcpb"), "is not the URL of a bundle", ""},
		{imageOf("ghcr.io/ada/shop"), "has neither a tag nor a digest", "ghcr.io/ada/shop:1.4.0"},
		{imageOf("localhost:5000/shop"), "has neither a tag nor a digest", ""},
		{imageOf("ghcr.io/ada/shop:latest"), "has the tag latest", ""},
		{imageOf("https://ghcr.io/ada/shop:1"), "is not the name of an image", ""},
		{imageOf("ghcr.io/Ada/shop:1"), "is not the name of an image", ""},
		{Remote("http://example.com/mcp"), "is not the URL of an endpoint", "https:"},
		{Remote("https://a:b@example.com/mcp"), "is not the URL of an endpoint", ""},
		{Remote("https://example.com/mcp?key=1"), "is not the URL of an endpoint", ""},
		{Remote("https://localhost:8080/mcp"), "is an endpoint of this machine", "under which clients reach it"},
		{server(Server{Name: "a/b", Description: "x"}), "has no version", "//mcp:server version=1.4.0"},
		{server(Server{Name: "a/b", Version: "latest", Description: "x"}), "latest, is not a semantic version", ""},
		{server(Server{Name: "a/b", Version: "1.0.0"}), "has no description", "//mcp:server description="},
		{server(Server{Name: "a/b", Version: "1.0.0", Description: long}), "begins with a sentence of more than the 100 characters", "a shorter sentence first"},
		{server(Server{Name: "a/b", Version: "1.0.0", Description: "x", Title: long}), "the title of the server has more than the 100", "title="},
	} {
		e, ok := errors.AsType[*bundle.Error](test.err)
		if !ok || !strings.Contains(e.Problem, test.problem) || !strings.Contains(e.Hint, test.hint) {
			t.Errorf("%v (%+v), want %s; %s", test.err, e, test.problem, test.hint)
		}
	}
	for _, err := range []error{CheckName("io.github.ada/my-shop_2"), imageOf("localhost:5000/shop:1"), imageOf("docker.io/ada/shop:v1.4.0-rc.1"), Remote("https://mcp.example.com")} {
		if err != nil {
			t.Error(err)
		}
	}
	for text, want := range map[string]string{"": "it is not one JSON object", "{": "the JSON ends in the middle"} {
		if _, err := bundle.Open(packed(t, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
