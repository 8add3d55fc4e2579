package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestStartLog checks that output that a program repeats when it is started again is written once.
func TestStartLog(t *testing.T) {
	for _, test := range []struct {
		name   string
		starts [][]string // output of each start
		want   string
	}{
		{"one", [][]string{{"a\n", "b\n"}}, "a\nb\n"},
		{"the same", [][]string{{"dying\n"}, {"dy", "ing\n"}, {"dying\n"}}, "dying\n"},
		{"more", [][]string{{"a\n"}, {"a\nb\n"}, {"a\n"}}, "a\nb\n"},
		{"another line", [][]string{{"a\npid 17\n"}, {"a\npid ", "18\n", "c\n"}}, "a\npid 17\npid 18\nc\n"},
		{"nothing first", [][]string{{}, {"a\n"}}, "a\n"},
		{"half a line", [][]string{{"a"}, {"b\n"}}, "ab\n"},
	} {
		var out strings.Builder
		log := &startLog{to: &out}
		for _, parts := range test.starts {
			log.started()
			for _, part := range parts {
				if n, err := log.Write([]byte(part)); n != len(part) || err != nil {
					t.Errorf("%s: %d, %v", test.name, n, err)
				}
			}
		}
		if out.String() != test.want {
			t.Errorf("%s: %q, want %q", test.name, &out, test.want)
		}
	}
	var out strings.Builder
	log := &startLog{to: &out}
	for range 2 {
		log.started()
		for range 100 {
			if _, err := log.Write([]byte(strings.Repeat("x", 1<<10-1) + "\n")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(log.first) != maxStartLog || out.Len() != 100<<10+36<<10 {
		t.Errorf("%d bytes are kept, and %d written", len(log.first), out.Len())
	}
}

// TestProgramMessages checks that the error for a broken program names it as the user did, and that
// its standard error is shown once.
func TestProgramMessages(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("sh is not everywhere on Windows")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	file := `{"mcpServers":{"name":{"command":"no-such-program"},"path":{"command":"/no/such/program"},"ends":{"command":"sh","args":["-c","echo dying >&2; exit 3"]},` +
		`"empty":{"command":"${EMPTY}"},"env":{"command":"sh","env":{"=":"x"}},"equals":{"command":"sh","env":{"A=B":"x"}}}}`
	if err := os.WriteFile(".mcp.json", []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("EMPTY", "")
	if err := os.WriteFile("text", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("script", []byte("#!/no/such/interpreter\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	const ended = "cannot connect: the program has ended (exit status 3)"
	for _, test := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"@name"}, 1, []string{"there is no program no-such-program in PATH: install it, or correct the command of @name in .mcp.json"}},
		{[]string{"@path"}, 1, []string{"there is no program /no/such/program, or not the", "correct the command of @path in .mcp.json"}},
		{[]string{"@ends"}, 1, []string{"starting sh -c", ended}},
		{[]string{"@empty"}, 2, []string{"the command of the entry empty", "is empty"}},
		{[]string{"@env"}, 2, []string{"the env of the entry env", "that programs cannot have"}},
		{[]string{"@equals"}, 2, []string{"the env of the entry equals"}},
		{[]string{"--", "no-such-program"}, 1, []string{"there is no program no-such-program in PATH: install it, or correct what follows --"}},
		{[]string{"--", "./no/such"}, 1, []string{"there is no program ./no/such, or not the interpreter that its first line names"}},
		{[]string{"--", "./script"}, 1, []string{"there is no program ./script, or not the interpreter that its first line names"}},
		{[]string{"--", "./text"}, 1, []string{"the program ./text may not be executed"}},
		{[]string{"--", ""}, 2, []string{"the program after -- is empty"}},
		{[]string{"--", "sh", "-c", "echo dying >&2; exit 3"}, 1, []string{ended}},
		{[]string{"--", "sh", "-c", "echo Welcome; echo dying >&2; exit 3"}, 1, []string{"not a message and was skipped", `"Welcome"`, ended}},
		{[]string{"--", "yes", "nonsense"}, 1, []string{"more than 65536 bytes to its standard output that are not messages"}},
	} {
		name := strings.Join(test.args, " ")
		code, stdout, stderr := runIn(t, dir, append([]string{"list"}, test.args...)...)
		if code != test.code || stdout != "" {
			t.Errorf("%s: exit code %d, want %d; output %q", name, code, test.code, stdout)
		}
		for _, want := range test.want {
			if !strings.Contains(stderr, want) {
				t.Errorf("%s: %q is not in the message:\n%s", name, want, stderr)
			}
		}
		if strings.Contains(name, "dying") || strings.Contains(name, "ends") {
			// Once in the line that names the started program, if there is one.
			if n := strings.Count(stderr, "dying\n"); n != 1 {
				t.Errorf("%s: standard error is shown %d times:\n%s", name, n, stderr)
			}
		}
		if strings.Contains(stderr, "Command.") {
			t.Errorf("%s: the message names a field of Go:\n%s", name, stderr)
		}
	}
}

// TestBrokenRevisions checks that an unusable file of stored revisions is reported once, and
// replaced.
func TestBrokenRevisions(t *testing.T) {
	cache := t.TempDir()
	if err := os.MkdirAll(filepath.Join(cache, "mcpgen"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(cache, "mcpgen", "revisions.json")
	server := httpServer(t, map[string]func() string{"server/discover": discovered(`{}`)})
	for _, text := range []string{`{"format":`, `[]`, `{}`, `{"format":"other","servers":7}`} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for i, want := range []int{1, 0} {
			code, _, stderr := runWithCache(t, cache, "list", server)
			if n := strings.Count(stderr, "revisions.json"); code != exitDone || n != want {
				t.Errorf("%s, run %d: exit code %d, the file is named %d times:\n%s", text, i+1, code, n, stderr)
			}
		}
	}
}

// TestTimeoutFlag checks that a time above the defaults of the client extends them.
func TestTimeoutFlag(t *testing.T) {
	r := &remoteServer{c: &command{}, flags: &serverFlags{timeout: 2 * time.Hour}}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for name, limit := range map[string]time.Duration{
		"ConnectTime": r.options().Limits.ConnectTime, "RequestTime": r.options().Limits.RequestTime, "MaxTime": r.options().Limits.MaxTime,
	} {
		if limit <= 2*time.Hour {
			t.Errorf("%s is %v", name, limit)
		}
	}
}
