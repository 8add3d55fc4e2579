package load

import (
	"bytes"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/packages"
)

// exports contains the packages of one Load, by import path. Of a package that only others import
// it contains the declarations that these mention, until [exports.complete] reads the rest.
type exports struct {
	fset     *token.FileSet
	packages map[string]*packages.Package
	types    map[string]*types.Package
	failed   map[*types.Package]error
}

func newExports(loaded []*packages.Package) *exports {
	e := &exports{
		packages: map[string]*packages.Package{},
		types:    map[string]*types.Package{},
		failed:   map[*types.Package]error{},
	}
	packages.Visit(loaded, nil, func(p *packages.Package) {
		if p.Fset != nil {
			e.fset = p.Fset
		}
		e.packages[p.PkgPath] = p
		if p.Types != nil {
			e.types[p.PkgPath] = p.Types
		}
	})
	return e
}

// complete reads the export data of a package from the file that the go command named in its
// listing. Objects that are known already stay the same.
func (e *exports) complete(pkg *types.Package) error {
	if pkg.Complete() {
		return nil
	}
	err, done := e.failed[pkg]
	if !done {
		if err = e.read(pkg); err != nil {
			err = fmt.Errorf("read the types of package %s: %w", pkg.Path(), err)
		}
		e.failed[pkg] = err
	}
	return err
}

// listed returns a package as the go command lists it, or nil.
func (e *exports) listed(path string) *packages.Package {
	if e == nil {
		return nil
	}
	return e.packages[path]
}

func (e *exports) read(pkg *types.Package) error {
	listed := e.packages[pkg.Path()]
	switch {
	case e.types[pkg.Path()] != pkg:
		return errors.New("the go command did not list it")
	case listed.ExportFile == "" && len(listed.Errors) > 0:
		return errors.New(listed.Errors[0].Msg)
	case listed.ExportFile == "":
		return errors.New("the go command has no export data of it")
	}
	data, err := os.ReadFile(listed.ExportFile)
	if err != nil {
		return err
	}
	//lint:ignore SA1019 up to Go 1.27 the files are archives, and Read does not find the data in them
	r, err := gcexportdata.NewReader(bytes.NewReader(data)) //nolint:staticcheck // see above
	if err != nil {
		return err
	}
	_, err = gcexportdata.Read(r, e.fset, e.types, pkg.Path())
	return err
}

// Complete reads all exported declarations of a package that the package imports, directly or
// indirectly. Without it the scope of an indirectly imported package contains only the declarations
// that its importers mention, and so depends on them. Complete must not be called while another
// goroutine reads types of packages of the same Load.
func (p *Package) Complete(pkg *types.Package) error {
	if p.exports == nil {
		return nil
	}
	return p.exports.complete(pkg)
}

// Find returns the packages that the package imports, directly or indirectly, and whose import path
// is pathOrName. If no path matches, it compares names. They are in order of path.
func (p *Package) Find(pathOrName string) []*types.Package {
	var found []*types.Package
	reached := make([]*packages.Package, 0, len(p.Imports))
	for _, imp := range p.Imports {
		reached = append(reached, imp)
	}
	packages.Visit(reached, nil, func(imp *packages.Package) {
		if imp.Types != nil && (imp.PkgPath == pathOrName || imp.Name == pathOrName) {
			found = append(found, imp.Types)
		}
	})
	for _, pkg := range found {
		if pkg.Path() == pathOrName {
			return []*types.Package{pkg}
		}
	}
	slices.SortFunc(found, func(a, b *types.Package) int { return strings.Compare(a.Path(), b.Path()) })
	return found
}
