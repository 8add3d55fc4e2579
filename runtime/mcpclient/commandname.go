package mcpclient

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// launcher is a program that runs another one, which its arguments name.
type launcher struct {
	name   string
	words  []string // before the flags, such as dlx of pnpm dlx; several are alternatives
	valued string   // flags that take the next argument
	bare   string   // flags that do not
	module string   // the flag before the name: -m of python
}

const (
	npmValued = " -p --package -w --workspace --registry --prefix --cache --userconfig --loglevel "
	npmBare   = " -y --yes -q --quiet -s --silent --offline --prefer-offline --prefer-online --no-install" +
		" --verbose --bun "
	uvValued = " --from --with --with-editable --with-requirements -p --python --directory --project --index" +
		" --index-url --default-index -i --extra-index-url -f --find-links --cache-dir --config-file" +
		" --env-file --extra --group -C -c --constraints --spec --pip-args "
	uvBare = " -q --quiet -v --verbose --offline --isolated -n --no-cache --refresh -U --upgrade --no-project" +
		" --frozen --locked --no-sync --native-tls --no-config -s --script --no-dev --all-extras --active "
	dockerValued = " -a --attach --add-host --annotation --cap-add --cap-drop --cidfile --cpus --cpuset-cpus" +
		" --device --dns --entrypoint -e --env --env-file --expose --gpus --group-add --health-cmd -h" +
		" --hostname --ip --ipc -l --label --link --log-driver --log-opt -m --memory --mount --name --net" +
		" --network --network-alias --pid --pids-limit --platform -p --publish --pull --restart --runtime" +
		" --secret --security-opt --shm-size --stop-signal --stop-timeout --sysctl --tmpfs --ulimit -u" +
		" --user --userns -v --volume --volumes-from -w --workdir "
	dockerBare = " -i -t -d -it -ti -P -q --interactive --tty --detach --rm --init --privileged --read-only" +
		" --publish-all --no-healthcheck --quiet "
	goValued = " -C -tags -mod -modfile -overlay -exec -ldflags -gcflags -asmflags -buildmode -compiler -p -pgo" +
		" -pkgdir -toolexec -installsuffix -covermode -coverpkg "
	goBare     = " -race -v -x -a -n -work -trimpath -cover -msan -asan -linkshared -modcacherw -buildvcs -json "
	nodeValued = " -r --require --import --loader --experimental-loader -C --conditions --env-file --tsconfig" +
		" --config --import-map "
	nodeBare = " --enable-source-maps --no-warnings --experimental-strip-types --watch -A --allow-all" +
		" --allow-net --allow-read --allow-write --allow-env --allow-run --allow-sys --quiet --no-check" +
		" --no-prompt --cached-only "
	pythonBare = " -u -B -I -E -s -S -O -OO -q -v -P "
)

// launchers are the ones that people start servers with. A name may occur twice. It is a list,
// which the linker lays out, and not a map, which code fills.
var launchers = []launcher{
	{name: "npx", valued: npmValued, bare: npmBare},
	{name: "bunx", valued: npmValued, bare: npmBare},
	{name: "pnpx", valued: npmValued, bare: npmBare},
	{name: "npm", words: []string{"exec", "x"}, valued: npmValued, bare: npmBare},
	{name: "pnpm", words: []string{"dlx", "exec"}, valued: npmValued, bare: npmBare},
	{name: "yarn", words: []string{"dlx", "exec", "run"}, valued: npmValued, bare: npmBare},
	{name: "bun", words: []string{"x", "run"}, bare: npmBare},
	{name: "bun", valued: nodeValued, bare: nodeBare},
	{name: "deno", words: []string{"run"}, valued: nodeValued, bare: nodeBare},
	{name: "uvx", valued: uvValued, bare: uvBare},
	{name: "uv", words: []string{"run", "tool run"}, valued: uvValued, bare: uvBare, module: "-m"},
	{name: "pipx", words: []string{"run"}, valued: uvValued, bare: uvBare},
	{name: "docker", words: []string{"run", "container run"}, valued: dockerValued, bare: dockerBare},
	{name: "podman", words: []string{"run", "container run"}, valued: dockerValued, bare: dockerBare},
	{name: "go", words: []string{"run", "tool"}, valued: goValued, bare: goBare},
	{name: "node", valued: nodeValued, bare: nodeBare},
	{name: "tsx", valued: nodeValued, bare: nodeBare},
	{name: "ts-node", valued: nodeValued, bare: nodeBare},
	{name: "python", valued: " -W -X ", bare: pythonBare, module: "-m"},
	{name: "python3", valued: " -W -X ", bare: pythonBare, module: "-m"},
	{name: "ruby", valued: " -r -I ", bare: " -w "},
	{name: "java", valued: " -cp -classpath --class-path -p --module-path ", module: "-jar"},
}

// commandName names the program that a command runs: the package of npx, the image of docker run,
// the file of node. Otherwise it is the name of the command itself.
func commandName(path string, args []string) string {
	name := filepath.Base(path)
	plain := strings.ToLower(name)
	for _, ending := range []string{".exe", ".cmd", ".bat"} {
		plain = strings.TrimSuffix(plain, ending)
	}
	if plain == "cmd" && len(args) > 1 && strings.EqualFold(args[0], "/c") {
		return commandName(args[1], args[2:])
	}
	for i := range launchers {
		l := &launchers[i]
		if l.name != plain {
			continue
		}
		if rest, ok := l.after(args); ok {
			if run := l.named(rest); isName(run) {
				return run
			}
			return name
		}
	}
	return name
}

// after returns the arguments behind the words of the launcher, and whether they are there.
func (l *launcher) after(args []string) (rest []string, ok bool) {
	for _, words := range l.words {
		if w := strings.Fields(words); len(args) >= len(w) && slices.Equal(args[:len(w)], w) {
			return args[len(w):], true
		}
	}
	return args, l.words == nil
}

// named returns the first argument that is neither a flag nor the value of one. It returns ""
// behind an unknown flag, whose value the next argument may be: a secret.
func (l *launcher) named(args []string) string {
	for i := 0; i < len(args); i++ {
		flag := " " + args[i] + " "
		switch {
		case args[i] == "--" || args[i] == l.module && l.module != "":
			return strings.Join(args[i+1:min(i+2, len(args))], "")
		case !strings.HasPrefix(args[i], "-"):
			return args[i]
		case strings.Contains(l.valued, flag):
			i++
		case !strings.Contains(args[i], "=") && !strings.Contains(l.bare, flag):
			return ""
		}
	}
	return ""
}

// isName reports whether messages may contain an argument. A URL may contain a password.
func isName(s string) bool {
	return s != "" && len(s) <= 200 && !(strings.Contains(s, "://") && strings.Contains(s, "@")) &&
		!strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) })
}
