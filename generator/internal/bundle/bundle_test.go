package bundle

import (
	"archive/zip"
	"bytes"
	"context"
	"debug/macho"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

var shop = &Server{
	Name: "shop", Title: "The shop", Version: "1.4.0", Description: "Books and their prices.", Website: "https://example.com/shop",
	Tools: []Feature{{Name: "search", Description: "Finds books."}, {Name: "buy"}},
	Prompts: []Feature{
		{Name: "recommend", Description: "Recommends books.", Arguments: []string{"subject", "count"}},
		{Name: "hello"},
	},
}

const ada = `{"author": {"name": "Ada"}}`

// everything sets each member that a configuration can set.
const everything = `{
	"$schema": "https://example.com/s.json", "name": "the-shop", "display_name": "Shop", "version": "2.0.0-rc.1", "description": "Sells.",
	"long_description": "*Sells* books.", "author": {"name": "Ada", "email": "ada@example.com", "url": "https://example.com"},
	"repository": {"type": "git", "url": "https://example.com/shop.git"}, "homepage": "https://example.com", "documentation": "https://example.com/docs",
	"support": "https://example.com/help", "icon": "icon.png", "icons": [{"src": "img/16.png", "size": "16x16", "theme": "dark"}, {"src": "https://example.com/i.png", "size": "8x8"}],
	"screenshots": ["img/shot.png"], "localization": {"resources": "lang/${locale}.json", "default_locale": "en-US"},
	"server": {"mcp_config": {
		"args": ["-db", "${user_config.db}", "-home=${HOME}", "${user_config.dirs}"],
		"env": {"KEY": "Bearer ${user_config.key}", "MOST": "${user_config.most}", "DRY": "${user_config.dry}"},
		"platform_overrides": {"win32": {"args": ["-db", "${user_config.db}"]}, "linux": {"env": {"A": "b"}}}}},
	"tools_generated": true, "prompts_generated": false, "keywords": ["books"], "license": "MIT", "privacy_policies": ["https://example.com/privacy"],
	"compatibility": {"claude_desktop": ">=1.0.0"},
	"user_config": {
		"db": {"type": "file", "title": "Database", "description": "SQLite", "default": "${DOCUMENTS}/shop.db"},
		"key": {"type": "string", "title": "Key", "description": "API key", "required": true, "sensitive": true},
		"most": {"type": "number", "title": "Most", "description": "Results", "default": 10, "min": 1, "max": 1e2},
		"dry": {"type": "boolean", "title": "Dry", "description": "Sell nothing", "default": false},
		"dirs": {"type": "directory", "title": "Folders", "description": "Where", "multiple": true, "default": ["${HOME}", "/tmp"]}},
	"_meta": {"com.example": {"a": [1, null]}}}`

var files = fstest.MapFS{
	"icon.png": {Data: []byte(pngMagic + "…")}, "img/16.png": {Data: []byte("16")}, "img/shot.png": {Data: []byte("shot")},
	"lang/de.json": {Data: []byte("{}")}, "lang/fr.json": {Data: []byte("{ }")}, "lang/readme.txt": {Data: []byte("no")},
}

// compiled returns minimal programs with the parts that readers of their formats examine.
func compiled(_ context.Context, p Program) ([]byte, error) {
	if p.OS == "darwin" {
		cpu := macho.CpuAmd64
		if p.Arch == "arm64" {
			cpu = macho.CpuArm64
		}
		return thin(cpu, len(p.Arch)), nil
	}
	return []byte(p.String()), nil
}

// thin returns a Mach-O file without load commands, and with some bytes behind the header.
func thin(cpu macho.Cpu, size int) []byte {
	var b []byte
	for _, n := range []uint32{macho.Magic64, uint32(cpu), 3, uint32(macho.TypeExec), 0, 0, 0, 0} {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return append(b, bytes.Repeat([]byte{0x90}, size)...)
}

func config(t *testing.T, text string) *Config {
	t.Helper()
	c, err := ReadConfig("shop.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func planned(t *testing.T, list string) []*Bundle {
	t.Helper()
	all, err := Platforms(list)
	if err != nil {
		t.Fatal(err)
	}
	return Plan(all)
}

// entries returns the files of an archive with their permissions, in order.
func entries(t *testing.T, archive []byte) (names []string, contents map[string][]byte) {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	contents = map[string][]byte{}
	for _, f := range z.File {
		names = append(names, f.Name+" "+f.Mode().String())
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if contents[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	return names, contents
}

// TestMake checks that each bundle contains the programs for the systems that its manifest claims
// and no others, that the manifests are valid for the official schema, and that the same input
// gives the same bytes.
func TestMake(t *testing.T) {
	assets := []string{"icon.png -rw-r--r--", "img/16.png -rw-r--r--", "img/shot.png -rw-r--r--", "lang/de.json -rw-r--r--", "lang/fr.json -rw-r--r--"}
	for _, test := range []struct {
		platforms, config string
		want              []string // suffix, claims, programs of each bundle
	}{
		{"", ada, []string{" darwin,win32 server/shop server/shop.exe", "-linux-amd64 linux server/shop", "-linux-arm64 linux server/shop"}},
		{"", everything, []string{" darwin,win32 server/shop server/shop.exe", "-linux-amd64 linux server/shop", "-linux-arm64 linux server/shop"}},
		{"windows", ada, []string{" win32 server/shop.exe"}},
		{"linux/arm64, darwin", ada, []string{" darwin server/shop", "-linux-arm64 linux server/shop"}},
		{"linux", ada, []string{"-linux-amd64 linux server/shop", "-linux-arm64 linux server/shop"}},
	} {
		var got []string
		for _, b := range planned(t, test.platforms) {
			source := &Source{Server: shop, Config: config(t, test.config), Files: files, Build: compiled}
			archive, err := b.Make(t.Context(), source)
			if err != nil {
				t.Fatal(err)
			}
			again, err := b.Make(t.Context(), source)
			if err != nil || !bytes.Equal(archive, again) {
				t.Errorf("%s: made twice, a bundle has other bytes (%v)", b, err)
			}
			names, contents := entries(t, archive)
			if names[0] != "manifest.json -rw-r--r--" {
				t.Errorf("%s: the archive begins with %s", b, names[0])
			}
			names = names[1:]
			if test.config == everything {
				if !slices.Equal(names[:len(assets)], assets) {
					t.Errorf("%s: files %q, want %q", b, names, assets)
				}
				names = names[len(assets):]
			}
			manifest, err := ReadManifest(archive)
			if err != nil || !bytes.Equal(manifest, contents["manifest.json"]) {
				t.Errorf("%s: read %s, %v", b, manifest, err)
			}
			validate(t, manifest)
			line := b.Suffix() + " " + claims(t, manifest)
			for _, name := range names {
				program, executable := strings.CutSuffix(name, " -rwxr-xr-x")
				if !executable {
					t.Errorf("%s: %s cannot be executed", b, name)
				}
				line += " " + program
			}
			got = append(got, line)
			if p := contents["server/shop"]; strings.Contains(line, "darwin") {
				checkUniversal(t, p)
			} else if p != nil && string(p) != strings.ReplaceAll(b.Suffix()[1:], "-", "/") {
				t.Errorf("%s: the bundle contains the program for %s", b, p)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.platforms, got, test.want)
		}
	}
}

// validate validates a manifest by the official schema.
func validate(t *testing.T, manifest []byte) {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	s, err := compiler.Compile("testdata/mcpb-manifest-0.3.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(manifest))
	if err == nil {
		err = s.Validate(v)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, manifest)
	}
}

// claims returns the platforms of a manifest, and checks that a client finds a program for each.
func claims(t *testing.T, manifest []byte) string {
	t.Helper()
	var m struct {
		Server struct {
			Type       string
			EntryPoint string `json:"entry_point"`
			Config     struct {
				Command   string
				Overrides map[string]struct{ Command string } `json:"platform_overrides"`
			} `json:"mcp_config"`
		}
		Compatibility struct{ Platforms []string }
	}
	if err := json.Unmarshal(manifest, &m); err != nil {
		t.Fatal(err)
	}
	for _, p := range m.Compatibility.Platforms {
		start, want := m.Server.Config.Command, "${__dirname}/server/shop"
		if o := m.Server.Config.Overrides[p].Command; o != "" {
			start = o
		}
		if p == "win32" {
			want += ".exe"
		}
		if start != want {
			t.Errorf("on %s, a client starts %s", p, start)
		}
	}
	if m.Server.Type != "binary" || "${__dirname}/"+m.Server.EntryPoint != m.Server.Config.Command {
		t.Errorf("type %s, entry point %s", m.Server.Type, m.Server.EntryPoint)
	}
	return strings.Join(m.Compatibility.Platforms, ",")
}

// checkUniversal reads the header back.
func checkUniversal(t *testing.T, program []byte) {
	t.Helper()
	fat, err := macho.NewFatFile(bytes.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]byte{thin(macho.CpuAmd64, 5), thin(macho.CpuArm64, 5)} {
		arch := fat.Arches[i]
		if arch.Offset%(1<<14) != 0 || arch.Align != 14 || arch.SubCpu != 3 || arch.Type != macho.TypeExec {
			t.Errorf("header %+v", arch.FatArchHeader)
		}
		if got := program[arch.Offset : arch.Offset+arch.Size]; !bytes.Equal(got, want) {
			t.Errorf("program %d has %d bytes at %d, want %d", i, len(got), arch.Offset, len(want))
		}
	}
	if len(fat.Arches) != 2 {
		t.Errorf("%d programs", len(fat.Arches))
	}
}

func TestUniversalRefuses(t *testing.T) {
	for want, programs := range map[string][][]byte{
		"read program for macOS":                     {[]byte("\x7fELF")},
		"two programs for macOS are for CpuArm64":    {thin(macho.CpuArm64, 1), thin(macho.CpuAmd64, 1), thin(macho.CpuArm64, 1)},
		"read program for macOS: invalid magic numb": {thin(macho.CpuArm64, 0), {0, 0, 0, 0}},
	} {
		if _, err := Universal(programs...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestManifest checks that the configuration's members stay unchanged, and take precedence over the
// source.
func TestManifest(t *testing.T) {
	b := planned(t, "darwin,windows")[0]
	manifest, err := b.Manifest(shop, config(t, everything))
	if err != nil {
		t.Fatal(err)
	}
	var got, set map[string]any
	if err := errors.Join(json.Unmarshal(manifest, &got), json.Unmarshal([]byte(everything), &set)); err != nil {
		t.Fatal(err)
	}
	for name, want := range set {
		if slices.Contains([]string{"$schema", "server", "compatibility"}, name) {
			continue // TestMake reads the last two
		}
		a, _ := json.Marshal(got[name])
		b, _ := json.Marshal(want)
		if !bytes.Equal(a, b) {
			t.Errorf("%s: %s, want %s", name, a, b)
		}
	}
	for _, want := range []string{
		`"-home=${HOME}",`, `"KEY": "Bearer ${user_config.key}",`, `"max": 1e2`, `"claude_desktop": ">=1.0.0",`,
		"\"win32\": {\n          \"command\": \"${__dirname}/server/shop.exe\",\n          \"args\": [\n            \"-db\",",
		"\"tools\": [\n    {\n      \"name\": \"buy\"\n    },\n    {\n      \"name\": \"search\",\n      \"description\": \"Finds books.\"\n    }\n  ]",
		`"text": "Recommends books.\nsubject: ${arguments.subject}\ncount: ${arguments.count}"`, `"text": "hello"`,
	} {
		if !strings.Contains(string(manifest), want) {
			t.Errorf("no %s in\n%s", want, manifest)
		}
	}
	if strings.Contains(string(manifest), `"linux"`) {
		t.Errorf("a bundle without a program for Linux names it:\n%s", manifest)
	}
	plain, err := b.Manifest(shop, config(t, ada))
	for _, want := range []string{`"name": "shop"`, `"display_name": "The shop"`, `"version": "1.4.0"`, `"homepage": "https://example.com/shop"`, `"prompts_generated": true`} {
		if err != nil || !strings.Contains(string(plain), want) {
			t.Errorf("no %s (%v) in\n%s", want, err, plain)
		}
	}
}

// TestManifestIncomplete checks that one message names all missing members.
func TestManifestIncomplete(t *testing.T) {
	b := planned(t, "windows")[0]
	for _, test := range []struct {
		server        *Server
		config        string
		problem, hint string
	}{
		{&Server{Name: "shop"}, "", "needs version and description and author", `write {"version": "1.0.0", "description": "What the server does", "author": {"name": "Ada"}} into a file, and name it: -config FILE; //mcp:server has`},
		{shop, `{}`, "a bundle needs author of the server", `write "author": {"name": "Ada"} into shop.json`},
		{&Server{Name: "shop", Version: "1.4", Description: "x"}, ada, "1.4, is not a semantic version", "//mcp:server version=1.4.0"},
		{&Server{Name: "a/b", Version: "1.4.0", Description: "x"}, ada, "a/b, cannot name a file", "//mcp:server name=NAME"},
	} {
		var c *Config
		if test.config != "" {
			c = config(t, test.config)
		}
		_, err := b.Manifest(test.server, c)
		e, ok := errors.AsType[*Error](err)
		if !ok || !strings.Contains(e.Problem, test.problem) || !strings.Contains(e.Hint, test.hint) {
			t.Errorf("%v, %+v; want %s, %s", err, e, test.problem, test.hint)
		}
	}
}

func TestPlatformsRefused(t *testing.T) {
	for list, want := range map[string]string{
		"macos": "write darwin", "darwin/arm64": "whose program runs on both", "Win32": "write windows", "windows/arm64": "runs on ARM too",
		"linux/x86_64": "write linux/amd64", "linux/386": "the platforms are darwin", "plan9": "the platforms are darwin, windows, linux/amd64, linux/arm64, linux",
		"darwin,": "the platforms are", "dawin": "the platforms are",
	} {
		_, err := Platforms(list)
		if e, ok := errors.AsType[*Error](err); !ok || !strings.Contains(e.Hint, want) || !strings.Contains(e.Problem, "platform") {
			t.Errorf("%s: %+v, want %s", list, err, want)
		}
	}
}

func TestConfigRefused(t *testing.T) {
	option := func(members string) string {
		return `{"server": {"mcp_config": {"args": ["${user_config.a}"]}}, "user_config": {"a": {"title": "A", "description": "a", ` + members + `}}}`
	}
	for text, want := range map[string]string{
		`[]`:                                          "shop.json: it is not one JSON object",
		"{\n\"a\": }":                                 "shop.json: line 2: ",
		`{"autor": {}}`:                               "shop.json: autor: it is not a member of manifests; did you mean author?",
		`{"author": {"nam": "Ada"}}`:                  "shop.json: author.nam: it is not a member of manifests; did you mean name?\nshop.json: author: the member name is missing",
		`{"zzz": 1}`:                                  "the members are $schema, _meta, author",
		`{"tools": []}`:                               "shop.json: tools: mcpgen writes it, from the source",
		`{"server": {"type": "node"}}`:                "server.type: mcpgen writes it",
		`{"manifest_version": "0.2"}`:                 "manifest_version: mcpgen writes it",
		`{"version": 1}`:                              "version: it is a number, and must be a string",
		`{"version": "1.0"}`:                          `version: "1.0" is not a semantic version`,
		`{"name": "../x"}`:                            `name: "../x" is not letters`,
		`{"homepage": "example"}`:                     `homepage: "example" is not an absolute URI`,
		`{"author": {"name": "A", "email": "a"}}`:     "author.email: ",
		`{"icons": [{"src": "a", "size": "big"}]}`:    `icons[0].size: "big" is not WIDTHxHEIGHT`,
		`{"keywords": ["a", 1]}`:                      "keywords[1]: it is a number",
		`{"compatibility": {"platforms": ["linux"]}}`: "compatibility.platforms: mcpgen writes it, from the platforms",
		`{"_meta": {"a": 1}}`:                         "_meta.a: it is a number, and must be an object",
		`{"server": {"mcp_config": {"args": ["${user_config.k}"]}}}`:                   "server.mcp_config.args[0]: user_config has no option k",
		`{"server": {"mcp_config": {"env": {"A": "${PWD}"}}}}`:                         "server.mcp_config.env.A: clients know no variable ${PWD}; they know ${user_config.NAME} and __dirname, HOME",
		`{"server": {"mcp_config": {"platform_overrides": {"mac": {}}}}}`:              "platform_overrides.mac: it is not a member",
		`{"user_config": {"a": {"type": "string", "title": "A", "description": "a"}}}`: "user_config.a: the program does not get it; write ${user_config.a}",
		option(`"type": "text"`):                                               `user_config.a.type: "text" is not one of string, number`,
		option(`"type": "number", "default": "1"`):                             "user_config.a.default: it is a string, and must be a number",
		option(`"type": "string", "default": ["a"]`):                           "user_config.a.default: it is an array",
		option(`"type": "directory", "multiple": true, "default": [1]`):        "user_config.a.default: it is a number",
		option(`"type": "string", "multiple": true`):                           "user_config.a.multiple: only options of the types directory and file",
		option(`"type": "string", "min": 1`):                                   "user_config.a.min: only options of the type number",
		option(`"type": "string", "default": "${user_config.a}"`):              "a default cannot refer to an option",
		option(`"type": "string", "secret": true`):                             "user_config.a.secret: it is not a member",
		`{"icon": "../icon.png"}`:                                              `icon: "../icon.png" is not the path of a file below the directory of shop.json`,
		`{"icon": "server/icon.png"}`:                                          "icon: the bundle has a file of its own at server/icon.png",
		`{"screenshots": ["manifest.json"]}`:                                   "screenshots[0]: the bundle has a file of its own",
		`{"localization": {"resources": "a.json", "default_locale": "en_US"}}`: `localization.resources: "a.json" is not a path with ${locale}` + "\nshop.json: localization.default_locale: ",
	} {
		_, err := ReadConfig("shop.json", []byte(text))
		if e, ok := errors.AsType[*Error](err); !ok || !strings.Contains(e.Problem, want) {
			t.Errorf("%s: %v\nwant %s", text, err, want)
		}
	}
}

// TestFilesRefused covers files named by the configuration that are missing, or of another kind.
func TestFilesRefused(t *testing.T) {
	b := planned(t, "windows")[0]
	with := fstest.MapFS{"i.png": {Data: []byte("GIF89a")}, "d": {Mode: fs.ModeDir}, "large": {Data: make([]byte, maxAsset+1)}}
	for members, want := range map[string]string{
		`"icon": "no.png"`:         "shop.json: icon: no.png: file does not exist",
		`"icon": "i.png"`:          "shop.json: icon: i.png: it is not a PNG file",
		`"screenshots": ["d"]`:     "shop.json: screenshots[0]: d: it is not a regular file",
		`"screenshots": ["large"]`: "large: it has more than 16 MiB",
		`"localization": {"resources": "l/${locale}.json", "default_locale": "en"}`: "localization.resources: there is no file l/${locale}.json",
	} {
		c := config(t, `{"author": {"name": "Ada"}, `+members+`}`)
		built := false
		_, err := b.Make(t.Context(), &Source{Server: shop, Config: c, Files: with, Build: func(context.Context, Program) ([]byte, error) { built = true; return nil, nil }})
		if e, ok := errors.AsType[*Error](err); !ok || !strings.Contains(e.Problem, want) || built {
			t.Errorf("%s: %v (compiled: %v), want %s", members, err, built, want)
		}
	}
}

func TestReadManifestRefuses(t *testing.T) {
	var empty bytes.Buffer
	if err := zip.NewWriter(&empty).Close(); err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{nil, []byte("text"), empty.Bytes()} {
		if _, err := ReadManifest(data); !errors.Is(err, ErrNoBundle) {
			t.Errorf("%q: %v", data, err)
		}
	}
}
