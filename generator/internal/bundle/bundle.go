// Package bundle makes MCP bundles (MCPB): an archive with a manifest and the programs of a server,
// which clients install without Go.
//
// [Platforms] and [Plan] determine the bundles, [ReadConfig] checks the members of the manifest
// that an author writes, and [Bundle.Make] compiles and packs. The package starts no program and
// writes no file: the caller compiles.
package bundle

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// Error is a mistake of an author.
type Error struct {
	Problem string
	Hint    string
}

// Error returns the problem, without the hint.
func (e *Error) Error() string { return e.Problem }

// Build compiles the program of the server.
type Build func(context.Context, Program) ([]byte, error)

// Source is the input for the bundles of a server.
type Source struct {
	Server *Server
	Config *Config
	Files  fs.FS // contains the files that Config names, such as icons; may be nil if it names none
	Build  Build
}

// epoch is the time of all files in a bundle, the earliest that a ZIP archive can express.
var epoch = time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC)

// maxAsset limits the size of a file that the configuration names.
const maxAsset = 16 << 20

// Make compiles the programs and returns the archive, which depends on nothing else. It calls Build
// for one program after the other.
func (b *Bundle) Make(ctx context.Context, s *Source) ([]byte, error) {
	manifest, err := b.Manifest(s.Server, s.Config)
	if err != nil {
		return nil, err
	}
	assets, err := s.Config.assets(s.Files)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	err = add(w, manifestFile, 0o644, manifest)
	for _, a := range assets {
		err = cmp.Or(err, add(w, a.name, 0o644, a.data))
	}
	for _, p := range b.platforms {
		if err != nil {
			return nil, err
		}
		var program []byte
		if program, err = p.build(ctx, s.Build); err == nil {
			err = add(w, p.file(s.Server.Name), 0o755, program)
		}
	}
	if err = cmp.Or(err, w.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// build compiles the program of a platform, or joins several programs if the platform needs them.
func (p Platform) build(ctx context.Context, build Build) ([]byte, error) {
	var programs [][]byte
	for _, one := range p.programs {
		program, err := build(ctx, one)
		if err != nil {
			return nil, err
		}
		programs = append(programs, program)
	}
	if len(programs) == 1 {
		return programs[0], nil
	}
	return Universal(programs...)
}

// add adds a file with Unix permissions, which the archive keeps on every system.
func add(w *zip.Writer, name string, mode fs.FileMode, data []byte) error {
	header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: epoch}
	header.SetMode(mode)
	f, err := w.CreateHeader(header)
	if err == nil {
		_, err = f.Write(data)
	}
	if err != nil {
		return fmt.Errorf("pack %s: %w", name, err)
	}
	return nil
}

// ErrNoBundle is the error for a file that is not a bundle.
var ErrNoBundle = errors.New("it is not a bundle: there is no " + manifestFile + " in a ZIP archive")

// ReadManifest returns the manifest of a bundle, or [ErrNoBundle].
func ReadManifest(archive []byte) ([]byte, error) {
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, ErrNoBundle
	}
	f, err := z.Open(manifestFile)
	if err != nil {
		return nil, ErrNoBundle
	}
	defer func() { _ = f.Close() }() // closing a file that was only read
	data, err := io.ReadAll(io.LimitReader(f, maxAsset))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", manifestFile, err)
	}
	return data, nil
}
