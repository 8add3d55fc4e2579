package bundle

import (
	"errors"
	"strings"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

// Option is a value that a client asks its user for.
type Option struct {
	Name, Type, Description       string
	Required, Sensitive, Multiple bool
	Default                       string // "" if there is no default, or several
}

// Variable is a variable of the program's environment. Its value may refer to options.
type Variable struct{ Name, Value string }

// Opened contains the parts of a bundle's manifest that the registry repeats.
type Opened struct {
	Version, Title, Description string

	Config *Config
}

// Open reads the manifest of a bundle. It returns [ErrNoBundle] for another file.
func Open(archive []byte) (*Opened, error) {
	manifest, err := ReadManifest(archive)
	if err != nil {
		return nil, err
	}
	all, err := jsontree.Read(manifest)
	if err == nil && (len(all) != 1 || !all[0].Is(jsontree.Object)) {
		err = errors.New("it is not one JSON object")
	}
	if err != nil {
		return nil, &Error{Problem: "its " + manifestFile + " cannot be read: " + err.Error(), Hint: "make the bundle again"}
	}
	c := &Config{name: manifestFile, tree: all[0]}
	return &Opened{c.Text("version"), c.Text("display_name"), c.Text("description"), c}, nil
}

// Text returns a member that is a string, or "".
func (c *Config) Text(name string) string {
	if c == nil {
		return ""
	}
	return c.tree.Str(name)
}

// Arguments returns the arguments of the program. They may refer to options.
func (c *Config) Arguments() []string {
	var all []string
	if args := c.get("server", "mcp_config", "args"); args != nil {
		for _, arg := range args.Items {
			all = append(all, arg.Text)
		}
	}
	return all
}

// Environment returns the variables of the program's environment, in the order of the file.
func (c *Config) Environment() []Variable {
	var all []Variable
	if env := c.get("server", "mcp_config", "env"); env != nil {
		for _, m := range env.Members {
			all = append(all, Variable{m.Name, m.Value.Text})
		}
	}
	return all
}

// Option returns an option by its name, or the zero value.
func (c *Config) Option(name string) Option {
	v := c.get("user_config", name)
	if v == nil {
		return Option{}
	}
	o := Option{Name: name, Type: v.Str("type"), Description: v.Str("description")}
	for member, to := range map[string]*bool{"required": &o.Required, "sensitive": &o.Sensitive, "multiple": &o.Multiple} {
		flag := v.Get(member)
		*to = flag.Is(jsontree.Boolean) && flag.Text == "true"
	}
	if d := v.Get("default"); d != nil && d.Kind != jsontree.Array {
		o.Default = d.Text
	}
	return o
}

// Replace returns a text in which replace has replaced each variable. For an option it gets the
// option's name, and for another variable the name that clients know.
func Replace(text string, replace func(option, other string) string) string {
	return variable.ReplaceAllStringFunc(text, func(s string) string {
		name := variable.FindStringSubmatch(s)[1]
		if option, ok := strings.CutPrefix(name, userConfig); ok {
			return replace(option, "")
		}
		return replace("", name)
	})
}

// IsVersion reports whether a text is a semantic version.
func IsVersion(s string) bool { return semantic.MatchString(s) }
