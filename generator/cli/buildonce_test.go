package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/mcpgen/mcpgen/generator/internal/program"
)

// buildOnceMain is [Main] with buildOnce.
func buildOnceMain() {
	tuneGC()
	os.Exit(start(buildOnce))
}

// buildOnce builds a program as [program.Build] does, unless another command of the same
// script has built it from the same files. Linking is most of the time of a call, and
// scripts about types have many calls.
func buildOnce(ctx context.Context, t *program.Target, cfg program.Config) (*program.Program, error) {
	work := os.Getenv("WORK")
	key, err := programKey(work, t, &cfg)
	if err != nil {
		return nil, err
	}
	kept := filepath.Join(filepath.Dir(work), "programs", key) // beside the files that "untouched" compares
	if _, err := os.Stat(kept); err == nil {
		return &program.Program{Path: kept}, nil
	}
	built, err := program.Build(ctx, t, cfg)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		return nil, err
	}
	// A program of which there are two names outlives Close.
	return built, os.Link(built.Path, kept)
}

// programKey identifies what a program is built from: the generated file, the flags,
// and all files of the script.
func programKey(work string, t *program.Target, cfg *program.Config) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %t %t %q\n", t.Generated, cfg.Tags, cfg.HTTP, cfg.Auth, t.Source)
	err := filepath.WalkDir(work, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path == filepath.Join(work, ".tmp"):
			return filepath.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(h, "%q %q\n", path, text)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}
