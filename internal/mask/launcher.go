package mask

import (
	"path"
	"slices"
	"strings"
)

// launcher is a program that starts another one. The meaning of its own flags is known: they come
// first, and the rest belongs to the other program.
type launcher struct {
	bare, valued string   // flags of one letter without and with a value
	final        string   // flags whose value is the program
	attached     string   // flags whose value follows without a space
	long, longer []string // others without and with a value
	skip         []string // commands before the program
}

var launchers = map[string]*launcher{
	"npx":    {bare: "yq", valued: "pw", final: "c", long: []string{"yes", "no", "no-install", "quiet", "prefer-online", "prefer-offline"}, longer: []string{"package", "registry"}},
	"bunx":   {valued: "p", long: []string{"bun", "silent"}, longer: []string{"package"}},
	"uvx":    {bare: "qvn", valued: "pw", long: []string{"quiet", "isolated", "refresh", "offline", "no-cache"}, longer: []string{"from", "with", "python", "directory"}, skip: []string{"run", "tool"}},
	"pipx":   {bare: "qv", long: []string{"quiet", "no-cache"}, longer: []string{"spec", "python"}, skip: []string{"run"}},
	"npm":    {bare: "sy", valued: "wC", long: []string{"silent", "yes"}, longer: []string{"prefix", "package"}, skip: []string{"exec", "x", "run", "--"}},
	"pnpm":   {bare: "s", valued: "C", long: []string{"silent"}, longer: []string{"dir", "package"}, skip: []string{"dlx", "exec", "run"}},
	"deno":   {bare: "Aqr", long: []string{"allow-all", "quiet", "no-prompt"}, skip: []string{"run"}},
	"node":   {valued: "r", final: "ep", long: []string{"no-warnings"}, longer: []string{"require", "import"}},
	"python": {bare: "uBEIOsSvbdiqP", valued: "WX", final: "mc"},
	"sh":     {bare: "lexuis", final: "c"},
	"go":     {valued: "C", skip: []string{"run", "tool"}},
	"env":    {bare: "i0", valued: "u"},
	"sudo":   {bare: "nEHi", valued: "ug"},
	"cmd":    {skip: []string{"/c", "/C", "/d", "/s", "/q"}},
	"mysql":  {bare: "BNs", valued: "huPDS", attached: "p"},
	"docker": {
		bare: "itdPq", valued: "evpwulhmac",
		long:   []string{"rm", "init", "interactive", "tty", "detach", "privileged", "read-only"},
		longer: []string{"name", "network", "volume", "mount", "workdir", "entrypoint", "publish", "platform", "label", "memory", "cpus", "hostname", "pull", "env-file", "add-host", "user", "env"},
		skip:   []string{"run", "exec", "container"},
	},
}

var sameLaunchers = map[string]string{
	"uv": "uvx", "pnpx": "npx", "yarn": "pnpm", "bun": "pnpm", "podman": "docker", "nerdctl": "docker", "bash": "sh", "zsh": "sh", "dash": "sh", "nodejs": "node", "python3": "python", "py": "python", "pypy": "python",
	"mariadb": "mysql", "mysqldump": "mysql", "mysqladmin": "mysql", "sshpass": "mysql",
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
	if same, ok := sameLaunchers[name]; ok {
		name = same
	}
	return launchers[name]
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
	return slices.Contains(l.skip, word) || l == launchers["env"] && strings.Contains(word, "=")
}
