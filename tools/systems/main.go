// Systems checks that the packages of modules have valid types on other systems. It type-checks the
// source of all packages and compiles none, so it takes seconds where go vet takes minutes.
//
//	go run ./systems .. ../examples                # the systems to check before a merge
//	go run ./systems -all .. ../examples           # every supported system
//	go run ./systems -on plan9/amd64 ../examples   # another one
//
// The list of exceptions contains modules without valid types on a system, with the reason. An
// unnecessary exception is an error too.
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// system is a value of GOOS and of GOARCH.
type system struct {
	os, arch string
	tests    bool
	release  bool // checked with -all only
}

func (s system) String() string { return s.os + "/" + s.arch }

// systems are all supported systems. Plan 9 is unsupported: its package syscall lacks error numbers
// and SIGPIPE.
var systems = []system{
	{os: "darwin", arch: "amd64"},
	{os: "windows", arch: "amd64", tests: true},
	{os: "linux", arch: "386", tests: true}, // int has 32 bits
	{os: "illumos", arch: "amd64", tests: true},
	{os: "wasip1", arch: "wasm"},
	{os: "js", arch: "wasm"},
	{os: "linux", arch: "arm", tests: true, release: true},
	{os: "linux", arch: "mipsle", tests: true, release: true},
	{os: "linux", arch: "riscv64", tests: true, release: true},
	{os: "freebsd", arch: "amd64", tests: true, release: true},
	{os: "openbsd", arch: "amd64", tests: true, release: true},
	{os: "netbsd", arch: "amd64", release: true},
	{os: "dragonfly", arch: "amd64", release: true},
	{os: "solaris", arch: "amd64", release: true},
	{os: "aix", arch: "ppc64", release: true},
}

func main() {
	all := flag.Bool("all", false, "check every system that the project supports")
	on := flag.String("on", "", "check this `GOOS/GOARCH` only, without tests")
	flag.Parse()
	if goos, goarch, ok := strings.Cut(*on, "/"); ok {
		systems = []system{{os: goos, arch: goarch}}
	}
	valid := true
	for _, dir := range flag.Args() {
		for _, s := range systems {
			if s.release && !*all {
				continue
			}
			problems, n, err := s.check(dir)
			why, failed := exceptionOf(dir, s)
			if err == nil {
				err = failed
			}
			switch {
			case err != nil:
				fmt.Fprintln(os.Stderr, "systems:", err)
				os.Exit(2)
			case len(problems) > 0 && why != "":
				fmt.Printf("%s on %s: not supported: %s\n", dir, s, why)
			case why != "":
				valid = false
				fmt.Printf("%s on %s: valid, so the exception in tools/systems can be removed: %s\n", dir, s, why)
			case len(problems) > 0:
				valid = false
				fmt.Printf("%s on %s:\n%s\n", dir, s, strings.Join(problems, "\n"))
			default:
				fmt.Printf("%s on %s: %d packages\n", dir, s, n)
			}
		}
	}
	if !valid {
		os.Exit(1)
	}
}

// check returns the errors in the packages of the module in dir, and the number of packages.
func (s system) check(dir string) ([]string, int, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, 0, err
	}
	loaded, err := packages.Load(&packages.Config{
		Mode:  packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesSizes,
		Dir:   dir,
		Tests: s.tests,
		Env:   append(os.Environ(), "GOWORK=off", "GOOS="+s.os, "GOARCH="+s.arch, "CGO_ENABLED=0"),
		// Function bodies in other modules are skipped: their authors have checked them. The main
		// packages of tests, which the go command writes into its cache, have names without .go.
		ParseFile: func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
			file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
			if file != nil && strings.HasSuffix(name, ".go") && !strings.HasPrefix(name, dir+string(filepath.Separator)) {
				for _, decl := range file.Decls {
					if f, ok := decl.(*ast.FuncDecl); ok {
						f.Body = nil
					}
				}
			}
			return file, err
		},
	}, "./...")
	if err != nil {
		return nil, 0, err
	}
	var problems []string
	packages.Visit(loaded, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			if !slices.Contains(problems, e.Error()) && !missesBodies(e) { // packages are loaded again with their tests
				problems = append(problems, e.Error())
			}
		}
	})
	return problems, len(loaded), nil
}

// missesBodies reports whether an error is due to the bodies that are skipped above.
func missesBodies(e packages.Error) bool {
	return e.Kind == packages.TypeError && (strings.HasSuffix(e.Msg, "not used") || strings.HasSuffix(e.Msg, "function body") || strings.HasSuffix(e.Msg, "must have a body"))
}
