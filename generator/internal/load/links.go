package load

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/mcpgen/mcpgen/internal/trust"
)

// follow refuses a file or directory that a link in a module points to outside of it: the module
// may be a cloned one, and the content is shown. The user has chosen the directory of this process.
func follow(name string) error {
	here, err := os.Getwd()
	if err != nil {
		here = string(filepath.Separator)
	}
	_, err = trust.Follow(here, name)
	if e, ok := errors.AsType[*trust.LinkError](err); ok {
		return &Error{Message: e.Error(), Hint: "replace the link by a file or directory of the module"}
	}
	if e, ok := errors.AsType[*trust.OwnerError](err); ok {
		return &Error{Message: e.Error(), Hint: "replace the link by a file or directory of your own"}
	}
	return nil // other errors are reported when the file is read
}

// checkLinks refuses directories that links point to outside of their module, and directories that
// contain such Go files.
func checkLinks(dirs []string) error {
	for _, dir := range dirs {
		if err := follow(dir); err != nil {
			return err
		}
		entries, _ := os.ReadDir(dir) // the go command reports the reason
		for _, e := range entries {
			if e.Type()&os.ModeSymlink == 0 || !strings.HasSuffix(e.Name(), ".go") {
				continue
			}
			if err := follow(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// dirsOf returns the known directories of targets.
func dirsOf(targets []target) (dirs []string) {
	for _, t := range targets {
		if t.dir != "" {
			dirs = append(dirs, t.dir)
		}
	}
	return dirs
}

// importedDirs returns the directories of packages of main modules, imported ones included, since
// their comments and errors are shown.
func importedDirs(loaded []*packages.Package) (dirs []string) {
	packages.Visit(loaded, nil, func(p *packages.Package) {
		if p.Module != nil && p.Module.Main && p.Dir != "" {
			dirs = append(dirs, p.Dir)
		}
	})
	return dirs
}
