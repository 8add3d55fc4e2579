// Pictures draws the pictures of the README from real runs of the command, and compares the
// committed ones with a new run:
//
//	go run ./pictures           in tools: writes docs/start/pictures
//	go run ./pictures -check    writes nothing, and fails if a picture is not current
//
// readme.tape contains the commands of the recording, search.txtar the package of the other
// picture.
package main

import (
	"bytes"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

//go:embed readme.tape
var readmeTape []byte

//go:embed search.txtar
var searchPackage []byte

// maxPicture limits the size of a picture, in bytes: a README loads all of them.
const maxPicture = 60 << 10

func main() {
	check := flag.Bool("check", false, "write nothing; fail if a picture is not current")
	flag.Parse()
	if err := run("..", *check); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

// run draws the pictures of a repository, and writes or compares them.
func run(repository string, check bool) error {
	drawn, err := draw(repository)
	if err != nil {
		return err
	}
	return store(filepath.Join(repository, "docs", "start", "pictures"), drawn, check)
}

// store writes pictures to a directory, or compares them with the files there.
func store(dir string, drawn map[string][]byte, check bool) error {
	var failed []error
	for _, name := range slices.Sorted(maps.Keys(drawn)) {
		text, file := drawn[name], filepath.Join(dir, name)
		if len(text) > maxPicture {
			failed = append(failed, fmt.Errorf("%s has %d bytes, at most %d are allowed: shorten the tape", file, len(text), maxPicture))
			continue
		}
		if check {
			old, err := os.ReadFile(file)
			if err == nil && !bytes.Equal(old, text) {
				err = fmt.Errorf("%s is not what a new run draws%s: run go run ./pictures in tools", file, firstDifference(old, text))
			}
			failed = append(failed, err)
			continue
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return err
		}
	}
	return errors.Join(failed...)
}

// draw returns the pictures by their file names.
func draw(repository string) (map[string][]byte, error) {
	m, err := newMachine(repository)
	if err != nil {
		return nil, err
	}
	defer func() { _ = m.remove() }()
	t, err := parseTape(readmeTape)
	if err != nil {
		return nil, fmt.Errorf("read readme.tape: %w", err)
	}
	if err := m.module("shop", t.files); err != nil {
		return nil, err
	}
	frames, err := m.play(t)
	if err != nil {
		return nil, fmt.Errorf("play readme.tape: %w", err)
	}
	shown, err := m.tool(searchPackage)
	if err != nil {
		return nil, fmt.Errorf("read search.txtar: %w", err)
	}
	return map[string][]byte{
		"terminal.svg":   drawTerminal(t, frames),
		"tool-light.svg": drawTool(shown, light),
		"tool-dark.svg":  drawTool(shown, dark),
	}, nil
}

// firstDifference returns the first line in which two texts differ.
func firstDifference(old, text []byte) string {
	a, b := bytes.Split(old, []byte("\n")), bytes.Split(text, []byte("\n"))
	for i := range min(len(a), len(b)) {
		if !bytes.Equal(a[i], b[i]) {
			return fmt.Sprintf(" (line %d has\n\t%.200s\nand now\n\t%.200s\n)", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf(" (it has %d lines, and now %d)", len(a), len(b))
}
