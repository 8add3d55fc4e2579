package mcpcmd

import (
	"flag"
	"io"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/clientcmd"
	"github.com/mcpgen/mcpgen/internal/clients"
	"github.com/mcpgen/mcpgen/internal/shellcomplete"
)

// completion prints the shell script, or the candidates that the script requests.
func (i *invocation) completion() error {
	shells := strings.Join(shellcomplete.Shells, ", ")
	if len(i.args) != 1 {
		return &clientcmd.UsageError{Problem: "completion takes one shell", Hint: "it is one of " + shells}
	}
	shell := i.args[0]
	if i.dashes {
		return shellcomplete.Print(i.stdout, shell, i.literal, i.candidates(shellcomplete.Words(shell, i.literal)))
	}
	path, err := ownPath()
	if err != nil {
		return err
	}
	script := shellcomplete.Script(shell, command(), path)
	if script == "" {
		return &clientcmd.UsageError{Problem: "unknown shell " + shell, Hint: "it is one of " + shells}
	}
	_, err = io.WriteString(i.stdout, script)
	return err
}

// candidates returns the candidates for the last word; the first word is the program.
func (i *invocation) candidates(words []string) (all []shellcomplete.Candidate) {
	if len(words) < 2 {
		return nil
	}
	word, args := words[len(words)-1], words[1:len(words)-1]
	at := slices.IndexFunc(args, func(a string) bool { return given([]string{a}) != nil })
	set, isFlag := i.program.flags.set, strings.HasPrefix(word, "-")
	var values []string
	if at < 0 {
		if len(args) == 0 {
			values = commandNames()
		}
	} else {
		of := &invocation{program: i.program, subcommand: given(args[at:]), set: flag.NewFlagSet("", flag.ContinueOnError)}
		of.define()
		args = args[at+1:]
		switch {
		case slices.Contains(args, "--"):
			isFlag = true
		case len(args) > 0 && (args[len(args)-1] == "-scope" || args[len(args)-1] == "--scope"):
			isFlag = false
			for _, s := range clients.Scopes {
				values = append(values, string(s))
			}
		case isFlag:
			set = of.set
		case of.name == "completion":
			values = shellcomplete.Shells
		default:
			for _, c := range clients.All {
				all = append(all, shellcomplete.Candidate{Value: c.Name, About: c.Title})
			}
		}
	}
	if isFlag {
		return flagNames(set)
	}
	for _, value := range values {
		all = append(all, shellcomplete.Candidate{Value: value})
	}
	return all
}

func flagNames(set *flag.FlagSet) (all []shellcomplete.Candidate) {
	set.VisitAll(func(f *flag.Flag) {
		_, about := flag.UnquoteUsage(f)
		all = append(all, shellcomplete.Candidate{Value: "-" + f.Name, About: about})
	})
	return append(all, shellcomplete.Candidate{Value: "-help"})
}

const helpCompletion = `usage: %[1]s completion SHELL

Prints the script by which a shell completes the commands and flags of this
program. SHELL is bash, fish, powershell or zsh:

	bash        source <(%[1]s completion bash)
	zsh         source <(%[1]s completion zsh), behind compinit
	fish        %[1]s completion fish | source
	powershell  %[1]s completion powershell |
	            Out-String | Invoke-Expression
`
