// Package shellcomplete contains the scripts with which shells complete command lines, and writes
// the candidates in the form that they read. A script calls the program itself:
//
//	program completion SHELL -- WORD...
//
// prints the candidates for the last word. It imports little: programs link it.
package shellcomplete

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/visible"
)

// Candidate completes a word, or begins one if it ends with = or /.
type Candidate struct {
	Value string
	About string // one line, or ""
}

// Shells are the shells with a script.
var Shells = []string{"bash", "fish", "powershell", "zsh"}

// Words returns the words of a command line up to the cursor. The last word is to be completed and
// may be "". args are the arguments after --. It returns nil if they do not come from a script.
func Words(shell string, args []string) []string {
	switch {
	case len(args) == 0:
		return nil
	case shell == "bash":
		return split(args[0])
	case shell == "powershell":
		// Older versions omit an empty argument.
		last := len(args) - 1
		return append(slices.Clone(args[:last]), strings.TrimPrefix(args[last], "word:"))
	}
	return args
}

// Print writes the candidates that begin with the last word, in the form that the script reads: one
// per line, with a description after a tab.
func Print(w io.Writer, shell string, args []string, all []Candidate) error {
	words := Words(shell, args)
	if len(words) == 0 {
		return nil
	}
	word := words[len(words)-1]
	cut := 0
	if shell == "bash" && len(args) > 1 {
		// Bash completes the part after the last of its word breaks.
		cut = 1 + strings.LastIndexAny(word, strings.Map(isBreak, args[1]))
	}
	var b bytes.Buffer
	seen := map[string]bool{}
	for _, c := range all {
		if !strings.HasPrefix(c.Value, word) || seen[c.Value] || strings.ContainsAny(c.Value, "\n\t") {
			continue
		}
		// The texts may come from a cloned repository, and not every shell escapes them for the
		// terminal.
		if _, hidden := visible.Hidden(c.Value); hidden {
			continue
		}
		seen[c.Value] = true
		if shell == "bash" {
			b.WriteString(escape(c.Value[cut:]) + "\n")
			continue
		}
		about := visible.Escape(strings.Join(strings.Fields(c.About), " "))
		if runes := []rune(about); len(runes) > 80 {
			about = string(runes[:79]) + "…"
		}
		b.WriteString(c.Value)
		if about != "" {
			b.WriteString("\t" + about)
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// isBreak keeps the characters that a shell treats as the end of a word, although words may contain
// them.
func isBreak(r rune) rune {
	if r == '=' || r == ':' || r == '@' {
		return r
	}
	return -1
}

// split splits a command line like bash, considering quotes and backslashes. The last word is "" if
// the line ends with a space.
func split(line string) []string {
	words, word := []string{}, bytes.Buffer{}
	quote := byte(0)
	started := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote == '\'' && c != '\'', quote == '"' && c != '"' && c != '\\':
			word.WriteByte(c)
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\' && i+1 < len(line):
			i++
			word.WriteByte(line[i])
			started = true
		case c == '\'' || c == '"':
			quote, started = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if started {
				words = append(words, word.String())
			}
			word.Reset()
			started = false
		default:
			word.WriteByte(c)
			started = true
		}
	}
	return append(words, word.String())
}

// escape escapes a text as a word for bash.
func escape(text string) string {
	var b bytes.Buffer
	for _, c := range []byte(text) {
		if strings.IndexByte(" \t\"'\\$`!&;|<>()[]{}*?#~^", c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// quote quotes a text as a word for every shell here.
func quote(shell, text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-", r)
	}
	switch {
	case text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0:
		return text
	case shell == "powershell":
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	case shell == "fish":
		return "'" + strings.ReplaceAll(strings.ReplaceAll(text, `\`, `\\`), "'", `\'`) + "'"
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// Script returns the script of a shell, or "". It completes the program, and calls it with the
// words of command.
func Script(shell, program string, command ...string) string {
	script := map[string]string{"bash": bash, "zsh": zsh, "fish": fish, "powershell": powershell}[shell]
	if script == "" {
		return ""
	}
	var words []string
	for _, w := range command {
		words = append(words, quote(shell, w))
	}
	call := strings.Join(words, " ")
	if shell == "powershell" {
		call = "& " + call
	}
	function := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, program)
	return strings.NewReplacer("FUNCTION", function, "PROGRAM", quote(shell, program), "COMMAND", call).Replace(script)
}

// Where describes how to install a script, for a program with the name called.
func Where(called string) string {
	return fmt.Sprintf(`	bash        source <(%[1]s completion bash)
	zsh         source <(%[1]s completion zsh), behind compinit
	fish        %[1]s completion fish | source
	powershell  %[1]s completion powershell |
	            Out-String | Invoke-Expression
`, called)
}
