package shellcomplete

import (
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	for line, want := range map[string][]string{
		"":                     {""},
		"mcpgen":               {"mcpgen"},
		"mcpgen ":              {"mcpgen", ""},
		"mcpgen  call . a=b":   {"mcpgen", "call", ".", "a=b"},
		`mcpgen 'a b' "c d"e `: {"mcpgen", "a b", "c de", ""},
		`mcpgen a\ b`:          {"mcpgen", "a b"},
		`mcpgen "a \" b`:       {"mcpgen", `a " b`},
		`mcpgen '`:             {"mcpgen", ""},
		`mcpgen a\`:            {"mcpgen", `a\`},
	} {
		if got := split(line); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestPrint(t *testing.T) {
	all := []Candidate{{"sort=price", "by price"}, {"sort=new est", ""}, {"books://schema", "a\nb\tc"}, {"bad\nline", ""}, {"sort=price", "again"}, {"hidden\x1b]0;x\a", ""}, {"hidden\u202e", ""}, {"hidden", "a\x1b[2Jb"}}
	for _, c := range []struct {
		shell string
		args  []string
		want  string
	}{
		{"bash", []string{"mcpgen call sort=", "=:"}, "price\nnew\\ est\n"},
		{"bash", []string{"mcpgen call sort=", " "}, "sort=price\nsort=new\\ est\n"},
		{"bash", []string{"mcpgen read books:", "=:"}, "//schema\n"},
		{"fish", []string{"mcpgen", "sort=p"}, "sort=price\tby price\n"},
		{"zsh", []string{"mcpgen", "b"}, "books://schema\ta b c\n"},
		{"powershell", []string{"mcpgen", "word:s"}, "sort=price\tby price\nsort=new est\n"},
		{"bash", []string{"mcpgen h", "=:"}, "hidden\n"},
		{"zsh", []string{"mcpgen", "h"}, "hidden\ta\\u001b[2Jb\n"},
		{"fish", nil, ""},
	} {
		var b strings.Builder
		if err := Print(&b, c.shell, c.args, all); err != nil || b.String() != c.want {
			t.Errorf("%s %q: %q, %v, want %q", c.shell, c.args, b.String(), err, c.want)
		}
	}
}

// The name of a program cannot become code of the script.
func TestScript(t *testing.T) {
	for _, shell := range Shells {
		script := Script(shell, "a'b; touch x", "/opt/a'b/p", "tool")
		if script == "" || strings.Contains(script, "COMMAND") || strings.Contains(script, " touch x\n") {
			t.Errorf("%s:\n%s", shell, script)
		}
	}
	if Script("tcsh", "p") != "" {
		t.Error("there is a script for tcsh")
	}
}
