package interop

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
)

// The paths of the built programs. servers is the directory of the servers.
var bookstore, talker, replaced, many, servers string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "interop")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	bookstore, talker, replaced = filepath.Join(dir, "bookstore"), filepath.Join(dir, "talker"), filepath.Join(dir, "replaced")
	many = filepath.Join(dir, "many")
	servers = filepath.Join(dir, "servers") + string(filepath.Separator)
	if runtime.GOOS == "windows" {
		bookstore += ".exe"
		talker += ".exe"
		replaced += ".exe"
		many += ".exe"
	}
	if !build(bookstore, filepath.Join("..", "examples"), "./bookstore/cmd/bookstore", dir) || !build(talker, ".", "./talker", dir) || !build(replaced, ".", "./replaced", dir) || !build(many, ".", "./many", dir) ||
		!compile(exec.Command("go", "build", "-o", servers, "./servers/...")) {
		return 1
	}
	// The tests mostly wait for other processes.
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		if err := flag.Set("test.parallel", fmt.Sprint(4*runtime.GOMAXPROCS(0))); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return spec.Main{M: m, Least: 500}.Run()
}

// build builds a program in a directory that is a separate module.
func build(to, dir, path, temporary string) bool {
	build := exec.Command("go", "build", "-o", to, path)
	build.Dir = dir
	build.Env = append(os.Environ(), "GOWORK=off")
	if os.Getenv("MCP_SPEC_DIR") != "" {
		flags, err := validating(filepath.Join(dir, path, "main.go"), temporary)
		if err != nil {
			fmt.Fprintln(os.Stderr, "build "+path+":", err)
			return false
		}
		build.Args = slices.Insert(build.Args, 2, flags...)
		// Only the root and this module require the validator.
		if work := filepath.Join(temporary, "go.work"); dir != "." {
			if err := workspace(work, "..", dir); err != nil {
				fmt.Fprintln(os.Stderr, "build "+path+":", err)
				return false
			}
			build.Env = append(build.Env, "GOWORK="+work)
		}
	}
	return compile(build)
}

// compile runs go build.
func compile(build *exec.Cmd) bool {
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, strings.Join(build.Args, " ")+":", err)
		return false
	}
	return true
}

// validating returns go build flags for a program whose main function comes from
// internal/proof/spec/program, which validates its messages, in place of mcpcmd's.
func validating(main, temporary string) (flags []string, err error) {
	path, err := filepath.Abs(main)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	changed := strings.Replace(string(text), "mcpcmd.Main(", "program.Main(", 1)
	changed = strings.Replace(changed, "import (", "import (\n\t\"github.com/mcpgen/mcpgen/internal/proof/spec/program\"", 1)
	if strings.Count(changed, "program") < strings.Count(string(text), "program")+2 {
		return nil, fmt.Errorf("%s does not call mcpcmd.Main", path)
	}
	to, err := os.MkdirTemp(temporary, "validating")
	if err != nil {
		return nil, err
	}
	other, overlay := filepath.Join(to, "main.go"), filepath.Join(to, "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{path: other}})
	if err != nil {
		return nil, err
	}
	set := "-X=github.com/mcpgen/mcpgen/internal/proof/spec/program.Dir=" + os.Getenv("MCP_SPEC_DIR")
	return []string{"-overlay", overlay, "-ldflags", set}, errors.Join(os.WriteFile(other, []byte(changed), 0o600), os.WriteFile(overlay, list, 0o600))
}

// workspace writes a go.work of modules.
func workspace(path string, modules ...string) error {
	text := "go 1.26.0\n"
	for _, module := range modules {
		absolute, err := filepath.Abs(module)
		if err != nil {
			return err
		}
		text += "use " + strconv.Quote(absolute) + "\n"
	}
	return os.WriteFile(path, []byte(text), 0o600)
}
