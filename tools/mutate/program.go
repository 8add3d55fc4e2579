package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Environment of a test binary: the active mutant, and the file for the numbers of the requested
// mutants.
const (
	envMutant = "MUTANT"
	envAsked  = "MUTANT_ASKED"
)

// asking is added to each package that has mutants.
const asking = `package %s

import (
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
)

var (
	mutantThatIsOn, _ = strconv.Atoi(os.Getenv("` + envMutant + `"))
	mutantsFile       = os.Getenv("` + envAsked + `")
	mutantsAsked      [%d]atomic.Bool
)

// mutantIsOn reports whether a mutant is on.
func mutantIsOn(id int) bool {
	if mutantsFile != "" && !mutantsAsked[id].Load() && !mutantsAsked[id].Swap(true) {
		mutantAsked(id)
	}
	return id == mutantThatIsOn
}

func mutantAsked(id int) {
	f, err := os.OpenFile(mutantsFile, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		panic(err)
	}
	if _, err := fmt.Fprintln(f, id); err != nil {
		panic(err)
	}
	_ = f.Close()
}
`

// number numbers the mutants.
func number(all []*mutant) {
	for i, m := range all {
		m.id = i + 1
	}
}

// withMutants returns a file with its mutants inserted.
func withMutants(src []byte, mutants []*mutant) []byte {
	type insertion struct {
		at    int
		after bool
		size  int // of the part that it encloses
		text  string
	}
	var all []insertion
	for _, m := range mutants {
		all = append(all, insertion{m.from, false, m.to - m.from, fmt.Sprintf(m.before, m.id)}, insertion{m.to, true, m.to - m.from, m.after})
	}
	slices.SortStableFunc(all, func(a, b insertion) int {
		switch {
		case a.at != b.at:
			return a.at - b.at
		case a.after != b.after: // ends precede beginnings at the same position
			if a.after {
				return -1
			}
			return 1
		case a.after: // the inner one ends first
			return a.size - b.size
		}
		return b.size - a.size
	})
	var out []byte
	done := 0
	for _, in := range all {
		out = append(append(out, src[done:in.at]...), in.text...)
		done = in.at
	}
	return append(out, src[done:]...)
}

// writeOverlay writes the files with mutants into dir, and returns the name of the overlay.
func writeOverlay(root, dir string, all []*mutant) (string, error) {
	files := map[string][]*mutant{}
	for _, m := range all {
		files[m.file] = append(files[m.file], m)
	}
	replace := map[string]string{}
	put := func(name string, text []byte) error {
		original, err := filepath.Abs(filepath.Join(root, name))
		if err != nil {
			return err
		}
		changed := filepath.Join(dir, strings.ReplaceAll(name, "/", "+"))
		replace[original] = changed
		return os.WriteFile(changed, text, 0o600)
	}
	for name, mutants := range files {
		src, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return "", err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.PackageClauseOnly)
		if err != nil {
			return "", err
		}
		help := fmt.Sprintf(asking, file.Name.Name, len(all)+1)
		if err := errors.Join(put(name, withMutants(src, mutants)), put(path.Join(path.Dir(name), "mutants_asked.go"), []byte(help))); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o600)
}
