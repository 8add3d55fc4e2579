package clients

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Scope is the scope of an entry.
type Scope string

// The scopes.
const (
	User    Scope = "user"    // everywhere, for this user
	Project Scope = "project" // for all users of the current directory; the file is meant to be committed
	Local   Scope = "local"   // in the current directory, for this user
)

// Scopes contains all scopes.
var Scopes = []Scope{User, Project, Local}

// Client describes a program that starts or calls servers, and the location of its entries.
type Client struct {
	Name  string // on the command line
	Title string
	TOML  bool   // the file is TOML, otherwise JSON with comments
	Holds string // the object or table of the entries
	User  Place
	// Project is the path below the current directory, or "" without such a file.
	Project string

	TypeProgram string // the member "type" of an entry with a program, or ""
	TypeURL     string // the same for an entry with a URL
	URL         string // the member for a URL; "" if the file is for programs only
	Headers     string // the member for header fields of requests
	// Variable is the form of a reference to an environment variable, where %s is the name. It is
	// "" if texts cannot contain references.
	Variable string
	// Bare is set if $NAME is also a reference, in any text.
	Bare bool
	// NoMark is set if the client cannot read a file with a byte order mark.
	NoMark bool
	// Variables is the member that lists the environment variables for a program, or "".
	Variables string
	// MostTools is the maximum number of tools of all servers that the client passes to a model, or
	// 0 if its documentation names none.
	MostTools int

	Own     *OwnCommand // changes a file that must not be edited, or nil
	Restart string      // how to make the client read the file again
	Docs    string      // its documentation
	Read    string      // when that was last checked
}

// Place is the location of a user's file. It begins with "~/" for the home directory, or with "@/"
// for the directory of applications: ~/.config, ~/Library/Application Support, or %APPDATA%.
type Place struct {
	Path     string
	Variable string // an environment variable that names another directory, or ""
	Below    string // the file in that directory
}

// OwnCommand is the command of a client. In its arguments, SCOPE, NAME and JSON are replaced.
type OwnCommand struct {
	Program string
	Scopes  []Scope // in which the command is used
	Add     []string
	Remove  []string
}

// All contains all clients, sorted by name.
var All = []*Client{
	{
		Name: "claude-code", Title: "Claude Code", Holds: "mcpServers",
		User:    Place{"~/.claude.json", "CLAUDE_CONFIG_DIR", ".claude.json"},
		Project: ".mcp.json", TypeProgram: "stdio", TypeURL: "http", URL: "url", Headers: "headers", Variable: "${%s}",
		Own: &OwnCommand{
			Program: "claude", Scopes: []Scope{User, Local},
			Add:    []string{"mcp", "add-json", "-s", "SCOPE", "NAME", "JSON"},
			Remove: []string{"mcp", "remove", "-s", "SCOPE", "NAME"},
		},
		Restart: "start a new session; Claude Code asks before it uses the servers of a project",
		Docs:    "https://code.claude.com/docs/en/mcp", Read: "2026-11-24",
	},
	{
		Name: "claude-desktop", Title: "Claude Desktop", Holds: "mcpServers",
		User: Place{Path: "@/Claude/claude_desktop_config.json"}, NoMark: true,
		Restart: "quit Claude Desktop, and start it again",
		Docs:    "https://modelcontextprotocol.io/docs/develop/connect-local-servers", Read: "2026-11-24",
	},
	{
		Name: "codex", Title: "Codex", TOML: true, Holds: "mcp_servers",
		User:    Place{"~/.codex/config.toml", "CODEX_HOME", "config.toml"},
		Project: ".codex/config.toml", URL: "url", Headers: "http_headers", Variables: "env_vars",
		Restart: "start a new session; Codex reads the file of a project that it trusts",
		Docs:    "https://developers.openai.com/codex/mcp", Read: "2026-11-24",
	},
	{
		Name: "cursor", Title: "Cursor", Holds: "mcpServers",
		User:    Place{Path: "~/.cursor/mcp.json"},
		Project: ".cursor/mcp.json", URL: "url", Headers: "headers", Variable: "${env:%s}",
		Restart: "Cursor shows the server in Settings, MCP, where it is switched on",
		Docs:    "https://cursor.com/docs/context/mcp", Read: "2026-11-24",
	},
	{
		Name: "gemini", Title: "Gemini CLI", Holds: "mcpServers",
		User:    Place{Path: "~/.gemini/settings.json"},
		Project: ".gemini/settings.json", URL: "httpUrl", Headers: "headers", Variable: "${%s}", Bare: true,
		Restart: "start a new session",
		Docs:    "https://geminicli.com/docs/tools/mcp-server/", Read: "2026-11-24",
	},
	{
		Name: "vscode", Title: "VS Code", Holds: "servers",
		User:    Place{Path: "@/Code/User/mcp.json"},
		Project: ".vscode/mcp.json", TypeProgram: "stdio", TypeURL: "http", URL: "url", Headers: "headers", Variable: "${env:%s}", MostTools: 128,
		Restart: "VS Code shows Start above the entry in the file",
		Docs:    "https://code.visualstudio.com/docs/copilot/reference/mcp-configuration", Read: "2026-11-24",
	},
	{
		Name: "windsurf", Title: "Windsurf", Holds: "mcpServers",
		User: Place{Path: "~/.codeium/windsurf/mcp_config.json"},
		URL:  "serverUrl", Headers: "headers", Variable: "${env:%s}", MostTools: 100,
		Restart: "press Refresh in the list of MCP servers",
		Docs:    "https://docs.windsurf.com/windsurf/cascade/mcp", Read: "2026-11-24",
	},
}

// Find returns the client with a name, or nil.
func Find(name string) *Client {
	for _, c := range All {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Names returns the names of all clients.
func Names() []string {
	var names []string
	for _, c := range All {
		names = append(names, c.Name)
	}
	return names
}

// Scopes returns the scopes of the client.
func (c *Client) Scopes() []Scope {
	return slices.DeleteFunc(slices.Clone(Scopes), func(scope Scope) bool {
		return scope == Project && c.Project == "" || scope == Local && !c.usesOwn(Local)
	})
}

// usesOwn reports whether the client's own command changes the entries of a scope.
func (c *Client) usesOwn(scope Scope) bool {
	return c.Own != nil && slices.Contains(c.Own.Scopes, scope)
}

func (c *Client) format() format {
	if c.TOML {
		return tomlFormat{}
	}
	return jsonFormat{}
}

// System describes the locations of clients' files.
type System struct {
	OS     string // a value of runtime.GOOS
	Home   string
	Dir    string                      // the current directory, absolute
	Lookup func(string) (string, bool) // of environment variables
	Record string                      // the file of [Record]
}

// File returns the location of the file with a client's entries of a scope.
func (s *System) File(c *Client, scope Scope) string {
	if scope == Project {
		return filepath.Join(s.Dir, filepath.FromSlash(c.Project))
	}
	if dir, ok := s.Lookup(c.User.Variable); ok && c.User.Variable != "" && dir != "" {
		return filepath.Join(dir, c.User.Below)
	}
	if rest, ok := strings.CutPrefix(c.User.Path, "@/"); ok {
		return filepath.Join(s.applications(), filepath.FromSlash(rest))
	}
	return filepath.Join(s.Home, filepath.FromSlash(strings.TrimPrefix(c.User.Path, "~/")))
}

// applications returns the directory with the settings of applications.
func (s *System) applications() string {
	switch s.OS {
	case "darwin", "ios":
		return filepath.Join(s.Home, "Library", "Application Support")
	case "windows":
		if dir, ok := s.Lookup("APPDATA"); ok && dir != "" {
			return dir
		}
		return filepath.Join(s.Home, "AppData", "Roaming")
	}
	if dir, ok := s.Lookup("XDG_CONFIG_HOME"); ok && filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(s.Home, ".config")
}

// Variable is an environment variable, or a header field.
type Variable struct {
	Name, Value string
	Refer       bool // to the variable with that name in the environment of the client
}

// Server is the content of an entry.
type Server struct {
	Command string // a program, by its absolute path or by its name
	Args    []string
	Env     []Variable
	URL     string // instead of a program
	Header  []Variable
}

// EntryError reports a server that a client does not support.
type EntryError struct{ Problem, Hint string }

func (e *EntryError) Error() string { return e.Problem + ": " + e.Hint }

// Entry returns the entry for a server in the client's file. Errors are of type *EntryError.
func (c *Client) Entry(s *Server) (Fields, error) {
	if s.URL != "" {
		if c.URL == "" {
			return nil, &EntryError{c.Title + " does not read URLs from its file", "add the server in the application, as a custom connector"}
		}
		return c.remote(s)
	}
	var env Fields
	var passed []string
	for _, v := range s.Env {
		value := v.Value
		switch {
		case !v.Refer:
		case c.Variables != "":
			passed = append(passed, v.Name)
			continue
		case c.Variable != "":
			value = fmt.Sprintf(c.Variable, v.Name)
		default:
			return nil, &EntryError{
				"the file of " + c.Title + " cannot refer to the environment",
				"write -env " + v.Name + "=VALUE, or make the program read a file",
			}
		}
		env = append(env, Field{v.Name, value})
	}
	return slices.DeleteFunc(Fields{
		{"type", c.TypeProgram}, {"command", s.Command}, {"args", append([]string{}, s.Args...)}, {"env", env}, {c.Variables, passed},
	}, isEmpty), nil
}

// remote returns the entry for a server at a URL. The value of a header field may contain ${NAME}
// for an environment variable.
func (c *Client) remote(s *Server) (Fields, error) {
	var plain, referring Fields
	bearer := ""
	for _, h := range s.Header {
		before, name, after := reference(h.Value)
		value := h.Value
		switch {
		case name == "":
		case c.Variable != "":
			value = before + fmt.Sprintf(c.Variable, name) + after
		case strings.EqualFold(h.Name, "Authorization") && before == "Bearer " && after == "":
			bearer = name
			continue
		case before == "" && after == "":
			referring = append(referring, Field{h.Name, name})
			continue
		default:
			return nil, &EntryError{c.Title + " takes the whole value of a header field from a variable", "write -header '" + h.Name + "=${" + name + "}', or 'Authorization=Bearer ${" + name + "}'"}
		}
		plain = append(plain, Field{h.Name, value})
	}
	return slices.DeleteFunc(Fields{
		{"type", c.TypeURL}, {c.URL, s.URL}, {"bearer_token_env_var", bearer}, {c.Headers, plain}, {"env_" + c.Headers, referring},
	}, isEmpty), nil
}

// reference splits a value at ${NAME}. The name is empty if the value contains no reference.
func reference(value string) (before, name, after string) {
	before, rest, ok := strings.Cut(value, "${")
	if name, after, ok = cutIf(ok, rest); ok && name != "" && !slices.ContainsFunc([]byte(name), func(c byte) bool { return !isBare(c) || c == '-' }) {
		return before, name, after
	}
	return value, "", ""
}

func cutIf(ok bool, text string) (before, after string, found bool) {
	if !ok {
		return "", "", false
	}
	return strings.Cut(text, "}")
}
