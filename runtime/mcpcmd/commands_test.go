package mcpcmd_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

// home creates a home directory and a current directory for the commands.
func home(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"HOME", "USERPROFILE"} {
		t.Setenv(name, dir)
	}
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "APPDATA", "LOCALAPPDATA"} {
		t.Setenv(name, filepath.Join(dir, name))
	}
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(work)
	return dir
}

// testProgram copies the test program to a path that go run would not use.
func testProgram(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "notes")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	if err := os.WriteFile(path, text, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// output runs the program, and returns its exit code and its output.
func output(t *testing.T, path string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = append(os.Environ(), "MCPCMD_TEST_PROGRAM=1")
	var out, problems strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &problems
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return code, out.String(), problems.String()
}

// A program adds its own path to a client, starts like the client would start it, and removes the
// entry.
func TestCommands(t *testing.T) {
	dir := home(t)
	file := filepath.Join(dir, ".cursor", "mcp.json")
	const before = "{\n\t// mine\n}\n"
	if err := errors.Join(os.Mkdir(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(before), 0o600)); err != nil {
		t.Fatal(err)
	}
	path := testProgram(t)
	// The test program needs a variable.
	env := []string{"-env", "MCPCMD_TEST_PROGRAM=1"}
	code, stdout, stderr := output(t, path, append([]string{"install", "cursor"}, env...)...)
	if code != 0 || !strings.HasPrefix(stdout, "added fixture to Cursor: ") || !strings.Contains(stderr, "hint: ") {
		t.Fatalf("%d, %q, %q", code, stdout, stderr)
	}
	text, err := os.ReadFile(file)
	quoted, _ := json.Marshal(path)
	if err != nil || !strings.Contains(string(text), `"command": `+string(quoted)) {
		t.Errorf("%s, %v", text, err)
	}
	if code, stdout, _ = output(t, path, append(env, append([]string{"install", "cursor"}, env...)...)...); code != 2 {
		t.Errorf("a flag before the command: %d, %q", code, stdout)
	}
	if code, stdout, stderr = output(t, path, "status"); code != 0 || !strings.Contains(stdout, "answers") || !strings.Contains(stdout, " 3  ") {
		t.Errorf("status: %d, %q, %q", code, stdout, stderr)
	}
	if code, stdout, stderr = output(t, path, "status", "cursor", "-json"); code != 0 || !strings.Contains(stdout, `"tools": 3`) {
		t.Errorf("status: %d, %q, %q", code, stdout, stderr)
	}
	if code, stdout, _ = output(t, path, "status", "-name", "other", "gemini"); code != 0 || stdout != "no client has an entry here\n" {
		t.Errorf("status: %d, %q", code, stdout)
	}
	if code, stdout, stderr = output(t, path, "uninstall", "cursor"); code != 0 || !strings.HasPrefix(stdout, "removed fixture from Cursor: ") {
		t.Errorf("%d, %q, %q", code, stdout, stderr)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != before {
		t.Errorf("%q, %v", text, err)
	}
	if code, _, stderr = output(t, path, "uninstall", "cursor"); code != 1 || !strings.Contains(stderr, "Cursor has no entry fixture") {
		t.Errorf("%d, %q", code, stderr)
	}
	// The command detects a server that does not serve.
	if code, stdout, _ = output(t, path, "install", "codex", "-name", "gone", "-env", "MCPCMD_TEST_FAIL=1"); code != 0 {
		t.Errorf("%d, %q", code, stdout)
	}
	if code, stdout, stderr = output(t, path, "status", "codex"); code != 1 || !strings.Contains(stdout, "it does not answer: ") || !strings.Contains(stderr, "status has findings") {
		t.Errorf("%d, %q, %q", code, stdout, stderr)
	}
}

// The client starts the program with the arguments after "--".
func TestInstallArguments(t *testing.T) {
	dir := home(t)
	path := testProgram(t)
	code, stdout, _ := output(t, path, "install", "json", "--", "-version=false")
	if code != 0 || !strings.Contains(stdout, `"args": ["-version=false"]`) {
		t.Errorf("%d, %q", code, stdout)
	}
	for args, want := range map[string]string{
		"install":                          "the client is missing: the clients are claude-code, ",
		"install cursr":                    "unknown client cursr: did you mean cursor? The clients are claude-code, ",
		"uninstall vs-code":                "unknown client vs-code: did you mean vscode?",
		"status gemni":                     "unknown client gemni: did you mean gemini?",
		"install xyz":                      "unknown client xyz: the clients are claude-code, ",
		"install cursor -forse":            "unknown flag -forse: did you mean -force?",
		"status -jsno":                     "unknown flag -jsno: did you mean -json?",
		"install cursor other":             "takes one client",
		"install cursor -scope local":      "has no scope local",
		"install cursor -url http://x":     "unknown flag",
		"install cursor -- -http 8080":     "flag -http behind --",
		"install cursor -- -version":       "does not serve",
		"install cursor -- -htpp":          "unknown flag -htpp",
		"install cursor -- x":              "one too many",
		"install cursor -name a.b":         "cannot be the name",
		"uninstall":                        "the client is missing",
		"uninstall cursor -- x":            "takes no arguments",
		"uninstall cursor -force":          "unknown flag",
		"status cursor gemini":             "takes one client",
		"-http 127.0.0.1:0 install cursor": "one too many",
	} {
		code, stdout, stderr := output(t, path, strings.Fields(args)...)
		if code != 2 || stdout != "" || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: %d, %q, %q, want %q", args, code, stdout, stderr, want)
		}
	}
	for _, command := range []string{"install", "uninstall", "status"} {
		if code, stdout, _ := output(t, path, command, "-help"); code != 0 || !strings.HasPrefix(stdout, "usage: notes "+command+" [flags]") {
			t.Errorf("%d, %q", code, stdout)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("written: %v, %v", left, err)
	}
}

// A program with its own flags has the commands if it uses the option.
func TestWithCommands(t *testing.T) {
	home(t)
	path := testProgram(t)
	for _, test := range []struct {
		flags, args    string
		stdout, stderr string
	}{
		{"commands parse", "-db x install json -- -db y", `"args": ["-db", "y"]`, "the database is x"},
		{"commands", "-db x install json -- -db y", `"args": ["-db", "y"]`, "the database is x"},
		{"commands", "install -help", "usage: notes install ", "the database is \n"},
		{"commands", "-db x uninstall gemini", "", "Gemini CLI has no entry fixture"},
		// Without the option the words are the program's own.
		{"parse", "-db x install json", "", "fixture 1.2.3 serves "},
	} {
		t.Setenv("MCPCMD_TEST_FLAGS", test.flags)
		_, stdout, stderr := output(t, path, strings.Fields(test.args)...)
		if !strings.Contains(stdout, test.stdout) || !strings.Contains(stderr, test.stderr) {
			t.Errorf("%s: %s: %q, %q", test.flags, test.args, stdout, stderr)
		}
	}
}

// The shell script asks the program for candidates.
func TestCompletion(t *testing.T) {
	home(t)
	path := testProgram(t)
	for args, want := range map[string]string{
		"completion fish -- notes inst":                "install\n",
		"completion fish -- notes -allow-h":            "-allow-host\twith -http: answer to the host NAME, too, under which a proxy is called (repeat…\n",
		"completion fish -- notes install cu":          "cursor\tCursor\n",
		"completion fish -- notes install -scope lo":   "local\n",
		"completion fish -- notes install -dr":         "-dry-run\n",
		"completion fish -- notes install json -- -ht": "-http\tserve over HTTP at ADDR, a port or host:port; without a host, for this machine …\n",
		"completion fish -- notes completion z":        "zsh\n",
		"completion fish -- notes -http 80":            "",
		"completion fish --":                           "",
	} {
		if code, stdout, stderr := output(t, path, strings.Fields(args)...); code != 0 || stdout != want || stderr != "" {
			t.Errorf("%s: %d, %q, %q, want %q", args, code, stdout, stderr, want)
		}
	}
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no bash:", err)
	}
	_, script, _ := output(t, path, "completion", "bash")
	const try = "\nCOMP_LINE='notes uninstall g' COMP_POINT=17 __notes_complete; printf '%s\\n' \"${COMPREPLY[@]}\""
	t.Setenv("MCPCMD_TEST_PROGRAM", "1")
	if out, err := exec.CommandContext(t.Context(), bash, "--norc", "-c", script+try).CombinedOutput(); err != nil || string(out) != "gemini\n" {
		t.Errorf("%q, %v", out, err)
	}
}

// A server whose name is not valid for an entry needs -name.
func TestInstallName(t *testing.T) {
	home(t)
	var stdout strings.Builder
	s := mcp.NewServer(mcp.ServerInfo{Name: "com.example/notes"})
	err := mcpcmd.Run(t.Context(), s, []string{"uninstall", "json"}, mcpcmd.WithOutput(&stdout, &stdout))
	if _, ok := errors.AsType[*mcpcmd.UsageError](err); !ok {
		t.Error(err)
	}
}
