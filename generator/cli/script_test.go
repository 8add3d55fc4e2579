package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcpgen/mcpgen/generator/cli/testdata/kept"
)

var update = flag.Bool("update", false, "write what is printed into the scripts that compare it")

func TestMain(m *testing.M) {
	testscript.Main(withKept{m}, map[string]func(){"mcpgen": scriptMain, "hostile-server": hostileMain})
}

// TestScripts runs testdata/scripts. In addition to the commands of testscript there are
//
//	module PATH [DIR]    write go.mod and go.sum as "go mod init PATH" and
//	                     "go get -tool github.com/mcpgen/mcpgen/cmd/mcpgen" would
//	snapshot             remember all files below the current directory
//	untouched            fail unless they are unchanged: names, contents,
//	                     times, and the files themselves
//	listed LIST REPLIES  fail unless list -json contains the tools of the
//	                     reply to tools/list among the lines of REPLIES
//	exitcode N CMD ...   run a command that exits with that code
//	replace FILE OLD NEW replace a text that occurs once
//	serve, post, end     see serveCommands
//
// The program mcpgen builds each program once; see [buildOnce]. The program hostile-server is a
// server over standard input and output that sends escape sequences of terminals.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	env := goEnvironment(t)
	if err := buildKeptGo(); err != nil {
		t.Fatal(err)
	}
	// The go command compiles the runtime now, so that the output of scripts does not begin with a
	// line about it.
	warm := exec.Command("go", "build", "./runtime/...")
	warm.Dir, warm.Env = root, append(os.Environ(), env...)
	if out, err := warm.CombinedOutput(); err != nil {
		t.Fatalf("go build ./runtime/...: %v\n%s", err, out)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join(root, "testdata", "scripts"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, env...)
			e.Vars = append(e.Vars, "ROOT="+root, kept.Variable+"="+keptDir)
			e.Values["snapshot"] = map[string]state{}
			e.Values["served"] = map[string]*served{}
			e.Values["environment"] = e.Vars
			return nil
		},
		Cmds: serveCommands(map[string]func(*testscript.TestScript, bool, []string){
			"module": func(ts *testscript.TestScript, _ bool, args []string) {
				dir := "."
				if len(args) == 2 {
					dir = args[1]
				}
				ts.Check(writeModule(ts.MkAbs(dir), root, args[0]))
			},
			"snapshot": func(ts *testscript.TestScript, _ bool, _ []string) {
				now, err := states(ts.MkAbs("."))
				ts.Check(err)
				before := ts.Value("snapshot").(map[string]state)
				clear(before)
				for name, s := range now {
					before[name] = s
				}
			},
			"untouched": func(ts *testscript.TestScript, _ bool, _ []string) {
				now, err := states(ts.MkAbs("."))
				ts.Check(err)
				if diff := changes(ts.Value("snapshot").(map[string]state), now); len(diff) > 0 {
					ts.Fatalf("files have changed: %s", strings.Join(diff, ", "))
				}
			},
			"listed": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(sameTools(ts.ReadFile(args[0]), ts.ReadFile(args[1])))
			},
			"exitcode": func(ts *testscript.TestScript, _ bool, args []string) {
				code := "0"
				err := ts.Exec(args[1], args[2:]...)
				if exit, ok := errors.AsType[*exec.ExitError](err); ok {
					code = fmt.Sprint(exit.ExitCode())
				} else {
					ts.Check(err)
				}
				if code != args[0] {
					ts.Fatalf("exit code %s, want %s", code, args[0])
				}
			},
			"replace": func(ts *testscript.TestScript, _ bool, args []string) {
				text := ts.ReadFile(args[0])
				if strings.Count(text, args[1]) != 1 {
					ts.Fatalf("%q is in %s %d times", args[1], args[0], strings.Count(text, args[1]))
				}
				text = strings.Replace(text, args[1], args[2], 1)
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
			},
		}),
	})
}

// goEnvironment gives scripts the caches of the user who runs the tests, and nothing else. The
// caches contain all needed packages, as these tests were built with them; with another
// CGO_ENABLED, the runtime and half of the standard library would be compiled once more. The
// programs of scripts are linked without debug information, which is faster, and run too briefly to
// collect much garbage.
func goEnvironment(t testing.TB) []string {
	out, err := exec.Command("go", "env", "-json", "CGO_ENABLED", "GOCACHE", "GOMODCACHE", "GOROOT", "GOTOOLCHAIN").Output()
	if err != nil {
		t.Skip("there is no go command:", err)
	}
	var vars map[string]string
	if err := json.Unmarshal(out, &vars); err != nil {
		t.Fatal(err)
	}
	env := []string{"GOFLAGS=-ldflags=-s", "GOGC=400", "GOPROXY=off", "GONOSUMDB=*", "GOWORK=", "GOENV=off", "TERM=dumb"}
	for name, value := range vars {
		env = append(env, name+"="+value)
	}
	return env
}

var requirement = regexp.MustCompile(`(?m)^\t([^\s/]+\.[^\s]+ v[^\s]+)`)

func writeModule(dir, root, path string) error {
	own, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return err
	}
	var mod strings.Builder
	fmt.Fprintf(&mod, "module %s\n\ngo 1.26.0\n\ntool github.com/mcpgen/mcpgen/cmd/mcpgen\n\n", path)
	fmt.Fprintf(&mod, "require (\n\tgithub.com/mcpgen/mcpgen v0.0.0 // indirect\n")
	for _, m := range requirement.FindAllSubmatch(own, -1) {
		fmt.Fprintf(&mod, "\t%s // indirect\n", m[1])
	}
	fmt.Fprintf(&mod, ")\n\nreplace github.com/mcpgen/mcpgen => %q\n", filepath.ToSlash(root))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod.String()), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o644)
}

// state is the former state of a file.
type state struct {
	info fs.FileInfo
	text []byte
}

func states(dir string) (map[string]state, error) {
	all := map[string]state{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		all[path] = state{info, text}
		return err
	})
	return all, err
}

func changes(before, after map[string]state) []string {
	var names []string
	for name, s := range before {
		now, ok := after[name]
		if !ok || !os.SameFile(s.info, now.info) || !s.info.ModTime().Equal(now.info.ModTime()) || !bytes.Equal(s.text, now.text) {
			names = append(names, filepath.Base(name))
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			names = append(names, "new "+filepath.Base(name))
		}
	}
	return names
}

// sameTools compares list -json with the tools that a client receives.
func sameTools(list, replies string) error {
	var listed struct{ Tools []map[string]any }
	if err := json.Unmarshal([]byte(list), &listed); err != nil {
		return err
	}
	for _, tool := range listed.Tools {
		for _, name := range []string{"symbol", "position", "tokens"} {
			if tool[name] == nil {
				return fmt.Errorf("a tool has no %s: %v", name, tool)
			}
			delete(tool, name)
		}
	}
	for line := range strings.Lines(replies) {
		var reply struct {
			Result struct{ Tools []map[string]any }
		}
		if err := json.Unmarshal([]byte(line), &reply); err != nil {
			return err
		}
		if reply.Result.Tools == nil {
			continue
		}
		if !reflect.DeepEqual(reply.Result.Tools, listed.Tools) {
			return fmt.Errorf("clients get\n%v\nthe list has\n%v", reply.Result.Tools, listed.Tools)
		}
		return nil
	}
	return fmt.Errorf("no reply lists tools:\n%s", replies)
}
