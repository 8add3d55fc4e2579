package interop

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// clients is the directory of the clients for Node.js.
const clients = "clients"

// nodePath returns the absolute path of the Node.js that npm has installed with the clients, or an
// error if a package in package-lock.json is not installed.
var nodePath = sync.OnceValues(func() (string, error) {
	if err := installed(clients); err != nil {
		return "", err
	}
	system, cpu, file := runtime.GOOS, runtime.GOARCH, "node"
	if cpu == "amd64" {
		cpu = "x64"
	}
	if system == "windows" {
		system, file = "win", "node.exe"
	}
	path, err := filepath.Abs(filepath.Join(clients, "node_modules", "node-"+system+"-"+cpu, "bin", file))
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	return systemNode()
})

// systemNode serves systems for which npm provides no Node.js.
func systemNode() (string, error) {
	path, err := exec.LookPath("node")
	if err != nil {
		return "", err
	}
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		return "", err
	}
	var major, minor int
	if _, err := fmt.Sscanf(string(out), "v%d.%d", &major, &minor); err != nil || major < 22 || (major == 22 && minor < 19) {
		return "", fmt.Errorf("%s is %s, and the Inspector needs v22.19 or later", path, strings.TrimSpace(string(out)))
	}
	return path, nil
}

// installed returns an error if a package in the package-lock.json of a directory is not installed,
// or not in its version.
func installed(dir string) error {
	type lock struct {
		Packages map[string]struct {
			Version, Integrity string
			Optional           bool
		}
	}
	read := func(path string) (l lock, err error) {
		text, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(text, &l)
		}
		return l, err
	}
	want, err := read(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return err
	}
	have, err := read(filepath.Join(dir, "node_modules", ".package-lock.json"))
	if err != nil {
		return err
	}
	for path, p := range want.Packages {
		switch got, ok := have.Packages[path]; {
		case path == "": // the clients themselves
		case !ok && p.Optional: // for another system
		case !ok:
			return fmt.Errorf("%s is not installed", path)
		case got.Version != p.Version || got.Integrity != p.Integrity:
			return fmt.Errorf("%s is installed in version %s, not %s", path, got.Version, p.Version)
		}
	}
	return nil
}

// node returns the path of Node.js. If the clients are not installed, it skips the test, or fails
// it in CI (CI=true).
func node(t *testing.T) string {
	t.Helper()
	path, err := nodePath()
	if err == nil {
		return path
	}
	complain := t.Skipf
	if os.Getenv("CI") == "true" {
		complain = t.Fatalf
	}
	complain("the clients of package.json cannot run, install them with \"npm ci\" in interop/%s: %v", clients, err)
	panic("unreachable")
}
