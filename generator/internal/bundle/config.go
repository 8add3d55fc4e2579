package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

// Config is the part of a manifest that an author writes: members in the form of the manifest. The
// zero value sets none.
type Config struct {
	name string // name of its file, for messages, or ""
	tree *jsontree.Value
}

const (
	writtenFromSource = "mcpgen writes it, from the source"
	writtenFromFlag   = "mcpgen writes it, from the platforms of the bundle"
)

var (
	command  = map[string]*shape{"args": texts, "env": table(aText), "command": refuse(writtenFromFlag)}
	override = object(command)
	option   = object(map[string]*shape{
		"type": oneOf("string", "number", "boolean", "directory", "file"), "title": aText, "description": aText,
		"required": aFlag, "default": nil /* fits the type: see checkOptions */, "multiple": aFlag, "sensitive": aFlag, "min": aNumber, "max": aNumber,
	}, "type", "title", "description")
	icon = object(map[string]*shape{"src": aText, "size": matching(`^\d+x\d+$`, "WIDTHxHEIGHT"), "theme": matching(`.`, "the name of a theme")}, "src", "size")
)

// members are the members of a manifest, with the ones that a configuration can set.
var members = object(map[string]*shape{
	"$schema": aText, "name": aName, "display_name": aText, "version": aVersion, "description": aText, "long_description": aText,
	"author":     object(map[string]*shape{"name": aText, "email": anEmail, "url": anURL}, "name"),
	"repository": object(map[string]*shape{"type": aText, "url": anURL}, "type", "url"),
	"homepage":   anURL, "documentation": anURL, "support": anURL,
	"icon": aText, "icons": list(icon), "screenshots": texts,
	"localization": object(map[string]*shape{
		"resources":      matching(`\$\{locale\}`, "a path with ${locale}"),
		"default_locale": matching(`^[A-Za-z0-9]{2,8}(-[A-Za-z0-9]{1,8})*$`, "a language tag such as en-US"),
	}, "resources", "default_locale"),
	"server": object(map[string]*shape{
		"type": refuse(writtenFromFlag), "entry_point": refuse(writtenFromFlag),
		"mcp_config": object(map[string]*shape{
			"args": texts, "env": table(aText), "command": refuse(writtenFromFlag),
			"platform_overrides": object(map[string]*shape{"darwin": override, "win32": override, "linux": override}),
		}),
	}),
	"tools": refuse(writtenFromSource), "prompts": refuse(writtenFromSource), "tools_generated": aFlag, "prompts_generated": aFlag,
	"keywords": texts, "license": aText, "privacy_policies": list(anURL),
	"compatibility": object(map[string]*shape{"claude_desktop": aText, "platforms": refuse(writtenFromFlag), "runtimes": refuse("a program needs none")}),
	"user_config":   table(option), "_meta": table(&shape{kind: jsontree.Object}),
	"manifest_version": refuse("mcpgen writes it"), "dxt_version": refuse("mcpgen writes manifest_version"),
})

// ReadConfig reads and checks a configuration. name is the name of its file. The error lists every
// problem.
func ReadConfig(name string, data []byte) (*Config, error) {
	all, err := jsontree.Read(data)
	if err == nil && (len(all) != 1 || !all[0].Is(jsontree.Object)) {
		err = errors.New("it is not one JSON object")
	}
	if err != nil {
		return nil, &Error{Problem: name + ": " + err.Error(), Hint: `write members of the manifest, such as {"author": {"name": "Ada"}}`}
	}
	c := &Config{name: name, tree: all[0]}
	var p problems
	p.check("", c.tree, members)
	if len(p) == 0 { // the other checks rely on the shapes
		c.checkOptions(&p)
		c.checkReferences(&p)
		c.checkFiles(&p)
	}
	if len(p) > 0 {
		return nil, &Error{Problem: name + ": " + strings.Join(p, "\n"+name+": ")}
	}
	return c, nil
}

// get returns a member by the path of its names, or nil.
func (c *Config) get(names ...string) *jsontree.Value {
	if c == nil {
		return nil
	}
	v := c.tree
	for _, name := range names {
		v = v.Get(name)
	}
	return v
}

// checkOptions checks that the values of an option fit its type.
func (c *Config) checkOptions(p *problems) {
	options := c.get("user_config")
	if options == nil {
		return
	}
	for _, m := range options.Members {
		at, kind := "user_config."+m.Name, m.Value.Str("type")
		wanted := jsontree.Text
		switch kind {
		case "number":
			wanted = jsontree.Number
		case "boolean":
			wanted = jsontree.Boolean
		}
		many := false
		if v := m.Value.Get("multiple"); v != nil && v.Text == "true" {
			if many = kind == "directory" || kind == "file"; !many {
				p.add(at+".multiple", "only options of the types directory and file can have several values")
			}
		}
		if v := m.Value.Get("default"); v != nil {
			p.checkDefault(at+".default", v, wanted, many)
		}
		for _, bound := range []string{"min", "max"} {
			if m.Value.Get(bound) != nil && kind != "number" {
				p.add(at+"."+bound, "only options of the type number have bounds")
			}
		}
	}
}

func (p *problems) checkDefault(path string, v *jsontree.Value, wanted jsontree.Kind, many bool) {
	if v.Is(jsontree.Array) && many {
		for _, item := range v.Items {
			p.checkDefault(path, item, wanted, false)
		}
		return
	}
	if v.Kind != wanted {
		p.add(path, "it is %s, and must be %s like the values of the option", kindNames[v.Kind], kindNames[wanted])
	}
	p.checkVariables(path, v.Text, nil)
}

// variable matches a part of a text that the client replaces.
var variable = regexp.MustCompile(`\$\{([^}]*)\}`)

const userConfig = "user_config."

// variables are the variables that clients know beside the options.
var variables = []string{"__dirname", "HOME", "DESKTOP", "DOCUMENTS", "DOWNLOADS", "pathSeparator", "/"}

// checkReferences checks that arguments and environment refer to options that exist, and that each
// option reaches the program: otherwise a client asks its user in vain.
func (c *Config) checkReferences(p *problems) {
	used := map[string]bool{}
	start := c.get("server", "mcp_config")
	c.checkCommand(p, "server.mcp_config", start, used)
	if overrides := start.Get("platform_overrides"); overrides != nil {
		for _, m := range overrides.Members {
			c.checkCommand(p, "server.mcp_config.platform_overrides."+m.Name, m.Value, used)
		}
	}
	if options := c.get("user_config"); options != nil {
		for _, m := range options.Members {
			if !used[m.Name] {
				p.add("user_config."+m.Name, "the program does not get it; write ${user_config.%s} into server.mcp_config.args or env", m.Name)
			}
		}
	}
}

func (c *Config) checkCommand(p *problems, path string, v *jsontree.Value, used map[string]bool) {
	if args := v.Get("args"); args != nil {
		for i, arg := range args.Items {
			p.checkVariables(fmt.Sprintf("%s.args[%d]", path, i), arg.Text, c.reference(used))
		}
	}
	if env := v.Get("env"); env != nil {
		for _, m := range env.Members {
			p.checkVariables(path+".env."+m.Name, m.Value.Text, c.reference(used))
		}
	}
}

// reference returns a function that records a use of an option and reports whether the option
// exists.
func (c *Config) reference(used map[string]bool) func(name string) bool {
	return func(name string) bool {
		used[name] = true
		return c.get("user_config", name) != nil
	}
}

// checkVariables checks a text. option reports whether an option exists; nil means that options are
// not allowed.
func (p *problems) checkVariables(path, text string, option func(string) bool) {
	for _, m := range variable.FindAllStringSubmatch(text, -1) {
		name, isOption := strings.CutPrefix(m[1], userConfig)
		switch {
		case isOption && option == nil:
			p.add(path, "a default cannot refer to an option")
		case isOption && !option(name):
			p.add(path, "user_config has no option %s", name)
		case !isOption && !slices.Contains(variables, m[1]):
			p.add(path, "clients know no variable ${%s}; they know ${user_config.NAME} and %s", m[1], strings.Join(variables, ", "))
		}
	}
}

// files returns the patterns of the files that the bundle contains, with the places that name them.
func (c *Config) files() (patterns, places []string) {
	add := func(place string, v *jsontree.Value) {
		if v != nil && !strings.HasPrefix(v.Text, "https://") && !strings.HasPrefix(v.Text, "http://") {
			patterns, places = append(patterns, v.Text), append(places, place)
		}
	}
	add("icon", c.get("icon"))
	if icons := c.get("icons"); icons != nil {
		for i, v := range icons.Items {
			add(fmt.Sprintf("icons[%d].src", i), v.Get("src"))
		}
	}
	if shots := c.get("screenshots"); shots != nil {
		for i, v := range shots.Items {
			add(fmt.Sprintf("screenshots[%d]", i), v)
		}
	}
	add("localization.resources", c.get("localization", "resources"))
	return patterns, places
}

// checkFiles checks the names of files: they are beside the configuration or below, and must not be
// paths of the manifest and the programs in the bundle.
func (c *Config) checkFiles(p *problems) {
	patterns, places := c.files()
	for i, name := range patterns {
		switch clean := path.Clean(name); {
		case name == "" || !filepath.IsLocal(filepath.FromSlash(name)) || clean != name || strings.Contains(name, `\`):
			p.add(places[i], "%q is not the path of a file below the directory of %s, with slashes", name, c.name)
		case name == manifestFile || strings.HasPrefix(name, programDir):
			p.add(places[i], "the bundle has a file of its own at %s", name)
		}
	}
}

// asset is a file of the bundle that the configuration names.
type asset struct {
	name string
	data []byte
}

// pngMagic begins every PNG file.
const pngMagic = "\x89PNG\r\n\x1a\n"

// assets reads the files, each once, in the order of their names.
func (c *Config) assets(files fs.FS) ([]asset, error) {
	patterns, places := c.files()
	var all []asset
	for i, pattern := range patterns {
		names := []string{pattern}
		if places[i] == "localization.resources" {
			var err error
			if names, err = fs.Glob(files, strings.ReplaceAll(pattern, "${locale}", "*")); err != nil || len(names) == 0 {
				return nil, &Error{Problem: fmt.Sprintf("%s: %s: there is no file %s", c.name, places[i], pattern), Hint: "write one for each language, or remove localization"}
			}
		}
		for _, name := range names {
			if slices.ContainsFunc(all, func(a asset) bool { return a.name == name }) {
				continue
			}
			data, err := readAsset(files, name)
			if err == nil && places[i] == "icon" && !bytes.HasPrefix(data, []byte(pngMagic)) {
				err = errors.New("it is not a PNG file, and clients show no other")
			}
			if err != nil {
				return nil, &Error{Problem: fmt.Sprintf("%s: %s: %s: %v", c.name, places[i], name, withoutPath(err)), Hint: "paths begin at the directory of " + c.name}
			}
			all = append(all, asset{name, data})
		}
	}
	slices.SortFunc(all, func(a, b asset) int { return strings.Compare(a.name, b.name) })
	return all, nil
}

func readAsset(files fs.FS, name string) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // closing a file that was only read
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > maxAsset:
		return nil, fmt.Errorf("it has more than %d MiB", maxAsset>>20)
	}
	return io.ReadAll(io.LimitReader(f, maxAsset))
}

// withoutPath removes the path from an error of a file, since the message names it already.
func withoutPath(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}
