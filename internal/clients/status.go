package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/mcpgen/mcpgen/internal/mask"
)

// Status is an entry of a client, or a file that cannot be read.
type Status struct {
	Client  *Client
	Scope   Scope
	Path    string // of the file
	Name    string // of the entry; "" if the file cannot be read
	Server  Server
	Dir     string // in which the server is started: the project's, or the home directory
	Ours    bool   // the entry is unchanged since its installation
	Build   *Build // the source of its program, or nil
	Finding string // a problem, or ""
	Err     error  // why the file cannot be read
}

// Status returns the entries of a client, in the order of its scopes.
func (s *System) Status(c *Client) ([]*Status, error) {
	r, err := s.ReadRecord()
	if err != nil {
		return nil, err
	}
	var all []*Status
	first := map[string]Scope{}
	for _, scope := range c.Scopes() {
		path := s.File(c, scope)
		list, dir, err := s.entriesIn(c, scope)
		if err != nil {
			all = append(all, &Status{Client: c, Scope: scope, Path: path, Err: err, Finding: err.Error()})
			continue
		}
		key, err := s.recordKey(c, scope)
		if err != nil {
			return nil, err
		}
		var entries map[string]EntryRecord
		if f := r.Files[key]; f != nil {
			entries = f.Entries
		}
		for i := range list {
			e := &list[i]
			st := &Status{Client: c, Scope: scope, Path: path, Name: e.Name, Server: c.server(e.value), Dir: dir}
			if entry, ok := entries[e.Name]; ok && entry.Sum == sum(e.value) {
				st.Ours, st.Build = true, entry.Build
			}
			st.Finding = st.Server.finding(dir)
			if other, twice := first[e.Name]; twice && st.Finding == "" {
				st.Finding = "the scope " + string(other) + " has that name, too"
			}
			first[e.Name] = scope
			all = append(all, st)
		}
	}
	return all, nil
}

// recordKey returns the name of a file in the record.
func (s *System) recordKey(c *Client, scope Scope) (string, error) {
	if c.usesOwn(scope) {
		return s.ownKey(s.File(c, scope), scope)
	}
	return s.realFile(c, scope)
}

// finding returns the reason why a program cannot be started, or "".
func (s *Server) finding(dir string) string {
	command, _ := mask.Arguments([]string{s.Command})
	switch {
	case s.URL != "":
		return ""
	case s.Command == "":
		return "the entry has neither a command nor a URL"
	case strings.Contains(s.Command, "${"):
		return ""
	case !strings.ContainsAny(s.Command, `/\`):
		if _, err := exec.LookPath(s.Command); err != nil {
			return "there is no program " + command[0] + " in PATH"
		}
		return ""
	}
	path := s.Command
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		return "there is no program " + command[0]
	}
	// The module of a package that is served from source.
	if len(s.Args) > 1 && s.Args[0] == "-C" {
		module := s.Args[1]
		if !filepath.IsAbs(module) {
			module = filepath.Join(dir, module)
		}
		if info, err := os.Stat(module); err != nil || !info.IsDir() {
			return "there is no directory " + s.Args[1]
		}
	}
	return ""
}

// server returns the known parts of an entry.
func (c *Client) server(value any) Server {
	m, ok := value.(map[string]any)
	if !ok {
		return Server{}
	}
	var s Server
	s.Command, _ = m["command"].(string)
	if args, ok := m["args"].([]any); ok {
		for _, arg := range args {
			text, _ := arg.(string)
			s.Args = append(s.Args, text)
		}
	}
	for _, name := range []string{c.URL, "url"} {
		if text, ok := m[name].(string); ok && name != "" && s.URL == "" {
			s.URL = text
		}
	}
	s.Env = texts(m["env"])
	if passed, ok := m[c.Variables].([]any); ok {
		for _, name := range passed {
			if text, ok := name.(string); ok {
				s.Env = append(s.Env, Variable{Name: text, Refer: true})
			}
		}
	}
	s.Header = texts(m[c.Headers])
	return s
}

// texts returns the string members of an object.
func texts(value any) []Variable {
	m, _ := value.(map[string]any)
	var list []Variable
	for name, v := range m {
		if text, ok := v.(string); ok {
			list = append(list, Variable{Name: name, Value: text})
		}
	}
	return list
}

// Expand replaces references to environment variables like the client.
func (c *Client) Expand(text string, lookup func(string) (string, bool)) string {
	open, end, ok := strings.Cut(c.Variable, "%s")
	if !ok {
		return text
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, open)
		name, after, closed := strings.Cut(rest, end)
		if !found || !closed {
			b.WriteString(text)
			return b.String()
		}
		value, _ := lookup(name)
		b.WriteString(before + value)
		text = after
	}
}
