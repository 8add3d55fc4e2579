package mask

import (
	"path"
	"slices"
	"strings"
)

// launcher is a program that starts another one. The meaning of its own flags is known: they come
// first, and the rest belongs to the other program.
type launcher struct {
	names        string   // in lower case, each between spaces
	bare, valued string   // flags of one letter without and with a value
	final        string   // flags whose value is the program
	attached     string   // flags whose value follows without a space
	long, longer []string // others without and with a value
	skip         []string // commands before the program
}

// launchers is a list, which the linker lays out, and not a map, which code fills.
var launchers = []launcher{
	{names: " npx pnpx ", bare: "yq", valued: "pw", final: "c", long: []string{"yes", "no", "no-install", "quiet", "prefer-online", "prefer-offline"}, longer: []string{"package", "registry"}},
	{names: " bunx ", valued: "p", long: []string{"bun", "silent"}, longer: []string{"package"}},
	{names: " uvx uv ", bare: "qvn", valued: "pw", long: []string{"quiet", "isolated", "refresh", "offline", "no-cache"}, longer: []string{"from", "with", "python", "directory"}, skip: []string{"run", "tool"}},
	{names: " pipx ", bare: "qv", long: []string{"quiet", "no-cache"}, longer: []string{"spec", "python"}, skip: []string{"run"}},
	{names: " npm ", bare: "sy", valued: "wC", long: []string{"silent", "yes"}, longer: []string{"prefix", "package"}, skip: []string{"exec", "x", "run", "--"}},
	{names: " pnpm yarn bun ", bare: "s", valued: "C", long: []string{"silent"}, longer: []string{"dir", "package"}, skip: []string{"dlx", "exec", "run"}},
	{names: " deno ", bare: "Aqr", long: []string{"allow-all", "quiet", "no-prompt"}, skip: []string{"run"}},
	{names: " node nodejs ", valued: "r", final: "ep", long: []string{"no-warnings"}, longer: []string{"require", "import"}},
	{names: " python python3 py pypy ", bare: "uBEIOsSvbdiqP", valued: "WX", final: "mc"},
	{names: " sh bash zsh dash ", bare: "lexuis", final: "c"},
	{names: " go ", valued: "C", skip: []string{"run", "tool"}},
	{names: " env ", bare: "i0", valued: "u"},
	{names: " sudo ", bare: "nEHi", valued: "ug"},
	{names: " cmd ", skip: []string{"/c", "/C", "/d", "/s", "/q"}},
	{names: " mysql mariadb mysqldump mysqladmin sshpass ", bare: "BNs", valued: "huPDS", attached: "p"},
	{
		names: " docker podman nerdctl ",
		bare:  "itdPq", valued: "evpwulhmac",
		long:   []string{"rm", "init", "interactive", "tty", "detach", "privileged", "read-only"},
		longer: []string{"name", "network", "volume", "mount", "workdir", "entrypoint", "publish", "platform", "label", "memory", "cpus", "hostname", "pull", "env-file", "add-host", "user", "env"},
		skip:   []string{"run", "exec", "container"},
	},
}

// launcherOf returns the launcher with the name of a command, or nil.
func launcherOf(command string) *launcher {
	name := strings.ToLower(path.Base(strings.ReplaceAll(command, `\`, "/")))
	for _, ending := range []string{".exe", ".cmd", ".bat"} {
		name = strings.TrimSuffix(name, ending)
	}
	if strings.HasPrefix(name, "python3.") {
		name = "python"
	}
	for i := range launchers {
		if !strings.Contains(name, " ") && strings.Contains(launchers[i].names, " "+name+" ") {
			return &launchers[i]
		}
	}
	return nil
}

// has reports whether a flag, or several one-letter flags in one word, belong to the launcher.
func (l *launcher) has(flag string, single bool) bool {
	if !single {
		return slices.Contains(l.long, flag) || slices.Contains(l.longer, flag)
	}
	return flag != "" && strings.Trim(flag[:len(flag)-1], l.bare) == "" && strings.Contains(l.bare+l.valued+l.final, flag[len(flag)-1:])
}

// takes reports whether a flag of the launcher takes a value.
func (l *launcher) takes(flag string, single bool) bool {
	if !single {
		return slices.Contains(l.longer, flag)
	}
	return !strings.Contains(l.bare, flag[len(flag)-1:])
}

// skips reports whether a word precedes the program: a command of the launcher, or a variable for
// the program.
func (l *launcher) skips(word string) bool {
	return slices.Contains(l.skip, word) || l.names == " env " && strings.Contains(word, "=")
}
