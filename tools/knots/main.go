// Knots checks that the files of a package do not all use one another. A file uses another one if
// it names a declaration, a method or a field of it. A knot is the largest group of files in which
// each uses each other one, directly or by way of others: none of them can be read alone.
//
//	go run ./knots ../runtime
//	go run ./knots -v ../runtime/mcp
//
// It looks at the packages of the modules in the given folders. With -v it prints all of them.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

const (
	mostFiles = 45 // in the knot of any package
	mostShare = 70 // percent of the lines, in a package with more files than that
)

func main() {
	all := flag.Bool("v", false, "print every package")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: knots [-v] FOLDER...")
		os.Exit(2)
	}
	large := 0
	for _, folder := range flag.Args() {
		n, err := check(os.Stdout, folder, *all)
		if err != nil {
			fmt.Fprintln(os.Stderr, "knots:", err)
			os.Exit(2)
		}
		large += n
	}
	if large > 0 {
		fmt.Printf("%d knots are too large: at most %d files, and %d %% of the lines of a package with more files. "+
			"-v lists their files: move what others need into files that use none of them.\n", large, mostFiles, mostShare)
		os.Exit(1)
	}
}

// check prints the packages of a folder whose knot is too large, or all of them, and returns how
// many knots are too large.
func check(w io.Writer, folder string, all bool) (large int, err error) {
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo |
			packages.NeedImports | packages.NeedDeps,
		Dir: folder, Env: append(os.Environ(), "GOWORK=off"),
	}, "./...")
	if err != nil {
		return 0, err
	}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return 0, p.Errors[0]
		}
		k, err := measure(p)
		if err != nil {
			return 0, err
		}
		tooLarge := len(k.files) > mostFiles || k.of > mostFiles && k.share() > mostShare
		if tooLarge {
			large++
		}
		if tooLarge || all {
			fmt.Fprintf(w, "%s: %d of %d files, %d %% of the lines\n", p.PkgPath, len(k.files), k.of, k.share())
		}
		if all && len(k.files) > 1 {
			fmt.Fprintf(w, "\t%s\n", strings.Join(k.files, " "))
		}
	}
	return large, nil
}
