package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/internal/mask"
	"github.com/mcpgen/mcpgen/internal/regularfile"
	"github.com/mcpgen/mcpgen/internal/trust"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// maxConfig limits the size of a configuration file.
const maxConfig = 1 << 20

// configNames are the files in which clients store their servers.
var configNames = []string{".mcp.json", "mcp.json"}

// Entry is a server of a configuration file.
type Entry struct {
	File    string   // path of the file
	Command []string // the program and its arguments; nil for URL
	Env     []string // NAME=VALUE
	URL     string
	Header  http.Header
}

// entry is the JSON form of an entry.
type entry struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
}

// ConfigError is an entry that cannot be used.
type ConfigError struct {
	Message, Hint string
}

// Error returns the message.
func (e *ConfigError) Error() string { return e.Message }

// Find looks for an entry of mcpServers in .mcp.json and mcp.json, in a directory and its parents,
// up to the root of the repository. lookup returns the values of variables in it, ${NAME} and
// ${NAME:-default}. Find refuses a file that another user owns or whose directory another user
// owns, and a link out of the repository or module, since an entry names a program to run.
func Find(dir, name string, lookup func(string) (string, bool)) (*Entry, error) {
	if real, err := trust.Resolve(dir); err == nil {
		dir = real // the parents belong to a repository
	}
	var names, files []string
	for {
		for _, base := range configNames {
			file := filepath.Join(dir, base)
			servers, err := readConfig(file)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if wrong, ok := errors.AsType[*trust.OwnerError](err); ok {
				return nil, foreign(file, wrong)
			}
			if err != nil {
				return nil, &ConfigError{Message: fmt.Sprintf("read servers: %v", err)}
			}
			if text, ok := servers[name]; ok {
				return parseEntry(file, name, text, lookup)
			}
			files = append(files, file)
			names = append(names, slices.Sorted(maps.Keys(servers))...)
		}
		parent := filepath.Dir(dir)
		if parent == dir || trust.IsRepository(dir) {
			return nil, notFound(name, names, files)
		}
		dir = parent
	}
}

// foreign returns the error for a file that another user has made, or could replace.
func foreign(file string, e *trust.OwnerError) error {
	owner := fmt.Sprintf("the user number %d", e.Owner)
	if u, err := user.LookupId(strconv.Itoa(e.Owner)); err == nil {
		owner = u.Username
	}
	what := "it"
	if e.Path != file {
		what = e.Path
	}
	return &ConfigError{
		Message: fmt.Sprintf("%s is not read: %s belongs to %s, and an entry names a program to run", file, what, owner),
		Hint:    "copy the entry into a file of your own, or name the server itself: a URL, or -- and its command",
	}
}

func notFound(name string, names, files []string) error {
	e := &ConfigError{Message: "there is no server @" + name}
	switch near := diag.Nearest(name, names); {
	case len(files) == 0:
		e.Hint = "servers are entries of mcpServers in .mcp.json or mcp.json, of this directory or one above, up to the root of the repository"
	case near != "":
		e.Hint = "did you mean @" + near + "?"
	case len(names) == 0:
		e.Hint = strings.Join(files, " and ") + " has no mcpServers"
	default:
		e.Hint = "the servers are @" + strings.Join(names, ", @")
	}
	return e
}

func readConfig(file string) (map[string]json.RawMessage, error) {
	if _, err := os.Lstat(file); err != nil {
		return nil, err
	}
	dir := filepath.Dir(file)
	real, err := trust.Follow(dir, file)
	if err != nil {
		return nil, err
	}
	// The owner of the directory can replace the file.
	for _, path := range []string{dir, file, filepath.Dir(real), real} {
		if err := trust.Owned(path); err != nil {
			return nil, err
		}
	}
	data, err := regularfile.ReadWithin(real, maxConfig)
	if err != nil {
		return nil, err
	}
	var config struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	if err := json.Unmarshal(data, &config); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return config.Servers, nil
}

func parseEntry(file, name string, text json.RawMessage, lookup func(string) (string, bool)) (*Entry, error) {
	var in entry
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, &ConfigError{Message: fmt.Sprintf("the entry %s of %s is not valid: %v", name, file, err)}
	}
	x := expansion{lookup: lookup}
	e := &Entry{File: file, URL: x.expand(in.URL)}
	if in.Command != "" {
		e.Command = append(e.Command, x.expand(in.Command))
		for _, arg := range in.Args {
			e.Command = append(e.Command, x.expand(arg))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(in.Env)) {
		if strings.ContainsRune(key, '=') {
			key = "" // refused below
		}
		e.Env = append(e.Env, key+"="+x.expand(in.Env[key]))
	}
	for _, key := range slices.Sorted(maps.Keys(in.Headers)) {
		if e.Header == nil {
			e.Header = http.Header{}
		}
		e.Header.Add(key, x.expand(in.Headers[key]))
	}
	switch {
	case x.unset != "":
		return nil, &ConfigError{
			Message: fmt.Sprintf("the entry %s of %s has the variable %s, which is not set", name, file, x.unset),
			Hint:    "set it, or write ${" + x.unset + ":-default}",
		}
	case e.Command != nil && e.Command[0] == "":
		return nil, &ConfigError{Message: fmt.Sprintf("the command of the entry %s of %s is empty", name, file)}
	case slices.ContainsFunc(e.Env, func(v string) bool { return v[0] == '=' || strings.ContainsRune(v, 0) }):
		return nil, &ConfigError{Message: fmt.Sprintf("the env of the entry %s of %s has a name or a value that programs cannot have", name, file)}
	case (e.Command == nil) == (e.URL == ""):
		return nil, &ConfigError{Message: fmt.Sprintf("the entry %s of %s must have either a command or a url", name, file)}
	case e.URL != "" && scheme(e.URL) == "":
		return nil, &ConfigError{Message: fmt.Sprintf("the url of the entry %s of %s is not one of a server: %s", name, file, shown(e.URL))}
	case HasUser(e.URL):
		return nil, &ConfigError{
			Message: fmt.Sprintf("the url of the entry %s of %s has a user name or a password", name, file),
			Hint:    "leave them out, and give the header Authorization in headers",
		}
	}
	return e, nil
}

var variable = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}`)

// expansion replaces variables by their values.
type expansion struct {
	lookup func(string) (string, bool)
	unset  string // the first one without a value
}

func (x *expansion) expand(text string) string {
	return variable.ReplaceAllStringFunc(text, func(found string) string {
		m := variable.FindStringSubmatch(found)
		if value, ok := x.lookup(m[1]); ok && (value != "" || m[2] == "") {
			return value
		}
		if m[2] == "" && x.unset == "" {
			x.unset = m[1]
		}
		return m[3]
	})
}

// shown returns a URL without the parts that may contain a credential.
func shown(address string) string {
	text, _ := mask.URL(address)
	return text
}

// Target returns the server of an entry. A program is started in the directory of the file, with a
// few variables of the environment and the entry's own variables. with must not contain a Header.
func (e *Entry) Target(with Credentials) mcpclient.Target {
	if e.Command == nil {
		with.Header = e.Header
		return URL(e.URL, with)
	}
	return mcpclient.Command{Path: e.Command[0], Args: e.Command[1:], Dir: filepath.Dir(e.File), Env: e.Env}
}
