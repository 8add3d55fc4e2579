package clientcmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/clients"
	"github.com/mcpgen/mcpgen/internal/mask"
)

// warnSecrets warns about values that look like secrets and are about to be written to a committed
// file.
func (c *Command) warnSecrets(s *clients.Server) {
	warn := func(what, hint string) {
		fmt.Fprintf(c.Err, "warning: %s looks like a secret, and the file of a project is meant to be committed\n\thint: %s\n", what, hint)
	}
	for _, v := range s.Env {
		if !v.Refer && mask.Looks(v.Name, v.Value) {
			warn("the value of "+v.Name, "-env "+v.Name+" without a value refers to the environment")
		}
	}
	for _, v := range s.Header {
		if mask.Looks(v.Name, v.Value) {
			warn("the value of "+v.Name, referringHeader(v.Name)+" refers to the environment")
		}
	}
	shown, _ := mask.Arguments(s.Args)
	for i, arg := range s.Args {
		if shown[i] != arg {
			warn("the argument "+quote(shown[i]), "let the program read it from a variable: -env KEY")
		}
	}
	if shown, hidden := mask.URL(s.URL); len(hidden) > 0 {
		warn("a part of the URL "+shown, "send it in a header field: -header "+quote("Authorization=Bearer ${TOKEN}"))
	}
}

// referringHeader returns the flag for a header field whose value is in the environment.
func referringHeader(name string) string {
	value := "${TOKEN}"
	if strings.EqualFold(name, "Authorization") {
		value = "Bearer " + value
	}
	return "-header " + quote(name+"="+value)
}

// hasBareVariable reports whether a text contains a variable without braces, as in a shell.
func hasBareVariable(text string) bool {
	for _, after := range strings.Split(text, "$")[1:] {
		if after != "" && (after[0] == '_' || '0' <= after[0] && after[0] <= '9' || 'a' <= after[0]|0x20 && after[0]|0x20 <= 'z') {
			return true
		}
	}
	return false
}

// warnBare warns about text that a client treats as a variable, and a user may mean literally: the
// dollar of a password or of a pattern. ${NAME} is deliberate. The warning does not contain the
// text, which may be a secret.
func (c *Command) warnBare(to *clients.Client, server *clients.Server) {
	warn := func(where, text string) {
		if hasBareVariable(text) {
			fmt.Fprintf(c.Err, "warning: %s has a dollar before a word, and %s puts the variable of that name there, where it is set\n\thint: if a variable is meant, write ${NAME}; "+
				"otherwise write the text without a dollar, since there is no escape\n", where, to.Title)
		}
	}
	warn("the program", server.Command)
	for i, arg := range server.Args {
		warn(fmt.Sprintf("argument %d", i+1), arg)
	}
	for _, v := range server.Env {
		if !v.Refer {
			warn("-env "+v.Name, v.Value)
		}
	}
	for _, h := range server.Header {
		warn("-header "+h.Name, h.Value)
	}
	warn("the URL", server.URL)
}

// warnRelative warns about arguments that name another file in each directory. A client starts a
// server in its own working directory, which others may have created.
func (c *Command) warnRelative(scope clients.Scope, args []string) {
	for _, arg := range args {
		path, ok := relativePath(c.System.Dir, arg)
		if !ok {
			continue
		}
		where, hint := "the directory that the client is in, which may be one that others have made", "write the absolute path: "+quote(strings.TrimSuffix(arg, path)+filepath.Join(c.System.Dir, path))
		if scope == clients.Project {
			where, hint = "the directory that the client is in, which need not be that of the project", "start the client in "+quote(c.System.Dir)
		}
		shown, _ := mask.Arguments([]string{arg})
		fmt.Fprintf(c.Err, "warning: the argument %s is a relative path: it names a file of %s\n\thint: %s\n", quote(shown[0]), where, hint)
	}
}

// fileEndings are the name endings by which an argument is recognized as a file.
var fileEndings = []string{
	".js", ".mjs", ".cjs", ".ts", ".mts", ".py", ".rb", ".pl", ".php", ".lua", ".sh", ".bash", ".ps1", ".jar", ".go", ".wasm",
	".json", ".yaml", ".yml", ".toml", ".ini", ".conf", ".env", ".db", ".sqlite", ".sqlite3", ".pem", ".txt", ".md", ".csv",
}

// relativePath returns the relative path in an argument, or in the value of its flag.
func relativePath(dir, arg string) (path string, ok bool) {
	path = arg
	if strings.HasPrefix(arg, "-") {
		_, path, _ = strings.Cut(arg, "=")
	}
	slashed := filepath.ToSlash(path)
	switch {
	case path == "" || filepath.IsAbs(path) || strings.HasPrefix(slashed, "/") || strings.Contains(path, "://") || strings.Contains(path, "${"):
		return "", false
	case slashed == "." || slashed == ".." || strings.HasPrefix(slashed, "./") || strings.HasPrefix(slashed, "../"):
		return path, true
	case slices.Contains(fileEndings, strings.ToLower(filepath.Ext(path))) && !strings.ContainsAny(path, " \t\n"):
		return path, true
	}
	_, err := os.Lstat(filepath.Join(dir, path))
	return path, err == nil
}

// explain prints how to proceed with a file that was not changed.
func (c *Command) explain(t *clients.Target, err error) error {
	if e, ok := errors.AsType[*clients.DifferentError](err); ok {
		return fmt.Errorf("%s has another entry %s; - is what it says, + what would be written:\n%s\thint: -force replaces it, -name adds another one", e.Path, t.Name, e.Diff)
	}
	if e, ok := errors.AsType[*clients.UnsafeError](err); ok && e.Paste != "" {
		text := strings.TrimSuffix(e.Paste, "\n")
		if strings.Contains(text, mask.Sign) {
			text += "\n\thint: " + mask.Sign + " stands for a value that you have given"
		}
		return fmt.Errorf("%w; nothing was written. This is what the file needs:\n%s", e, text)
	}
	if e, ok := errors.AsType[*clients.OutsideError](err); ok {
		return fmt.Errorf("%w\n\thint: replace the link by a file or directory of the project; -scope user changes the file of the user", e)
	}
	if e, ok := errors.AsType[*clients.OpenError](err); ok {
		return &UsageError{e.Error(), openHint(t, e)}
	}
	if e, ok := errors.AsType[*clients.CommandError](err); ok {
		return fmt.Errorf("%w\n\thint: only its own command changes that file. Once %s can be run: %s", e, e.Command[0], words(e.Command))
	}
	return err
}

// openHint returns a hint how an entry can avoid values that others can read.
func openHint(t *clients.Target, e *clients.OpenError) string {
	if len(e.Remove) > 0 {
		return "it is part of the old entry, which is added again if the new one is refused. Take it out first: " + words(e.Remove)
	}
	return "-env KEY without a value, and -header 'NAME=${KEY}', refer to the variable KEY of " + t.Client.Title + "; a program can read such a variable instead of an argument"
}

func words(command []string) string {
	var list []string
	for _, w := range command {
		list = append(list, quote(w))
	}
	return strings.Join(list, " ")
}
