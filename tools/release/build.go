package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// platform is one that programs are built for.
type platform struct{ os, arch string }

// platforms have an archive each.
var platforms = []platform{
	{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

// beside are the files that archives have beside the program.
var beside = []string{"LICENSE", "README.md", "CHANGELOG.md"}

// file is a file of an archive or a release.
type file struct {
	name string
	mode int64
	data []byte
}

// compile compiles the command for a platform. The go command takes its version from the tag in
// git.
func (r *release) compile(p platform) ([]byte, error) {
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program := filepath.Join(dir, "mcpgen")
	env := []string{"CGO_ENABLED=0", "GOFLAGS=", "GOOS=" + p.os, "GOARCH=" + p.arch}
	if _, err := commandWith(env, r.dir, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", program, "./cmd/mcpgen"); err != nil {
		return nil, err
	}
	return os.ReadFile(program)
}

// build writes the files of the release into a folder: archives, the image, the formula, and the
// checksums of all.
func (r *release) build(dir string, compile func(platform) ([]byte, error), all []platform) error {
	date, err := r.tagged()
	if err != nil {
		return err
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty: files of another version would be published too; remove it first", dir)
	}
	number := strings.TrimPrefix(r.version, "v")
	extra := make([]file, len(beside))
	for i, name := range beside {
		data, err := os.ReadFile(filepath.Join(r.dir, name))
		if err != nil {
			return err
		}
		extra[i] = file{name, 0o644, data}
	}
	var files []file
	programs := map[platform][]byte{}
	for _, p := range all {
		program, err := compile(p)
		if err != nil {
			return fmt.Errorf("build for %s/%s: %w", p.os, p.arch, err)
		}
		programs[p] = program
		name, pack := fmt.Sprintf("mcpgen_%s_%s_%s", number, p.os, p.arch), tarball
		members := append([]file{{"mcpgen", 0o755, program}}, extra...)
		if p.os == "windows" {
			members[0].name, name, pack = "mcpgen.exe", name+".zip", zipped
		} else {
			name += ".tar.gz"
		}
		data, err := pack(members, date)
		if err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		files = append(files, file{name, 0o644, data})
	}
	image, err := ociImage(r.version, programs, date)
	if err != nil {
		return fmt.Errorf("write image: %w", err)
	}
	files = append(files, file{"mcpgen_" + number + "_image.tar", 0o644, image}, file{"mcpgen.rb", 0o644, formula(number, files)})
	files = append(files, file{"checksums.txt", 0o644, checksums(files)})
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.name), f.data, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(r.out, "%9d %s\n", len(f.data), f.name)
	}
	return nil
}

// tagged checks that the tag of the version is checked out, without other changes, and returns the
// time of its commit.
func (r *release) tagged() (time.Time, error) {
	tags, err := command(r.dir, "git", "tag", "--points-at", "HEAD")
	if err == nil && !slices.Contains(strings.Fields(tags), r.version) {
		err = fmt.Errorf("%s is not checked out: git checkout %[1]s", r.version)
	}
	if err := errors.Join(err, r.cleanTree()); err != nil {
		return time.Time{}, err
	}
	text, err := command(r.dir, "git", "log", "-1", "--format=%ct")
	if err != nil {
		return time.Time{}, err
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return time.Unix(seconds, 0).UTC(), err
}

// tarball packs files into a compressed tar archive.
func tarball(files []file, date time.Time) ([]byte, error) {
	plain, err := tarred(files, date)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression) // its header has neither a name nor a time
	if err == nil {
		_, err = z.Write(plain)
	}
	if err == nil {
		err = z.Close()
	}
	return out.Bytes(), err
}

// tarred packs files into a tar archive. Its members belong to root.
func tarred(files []file, date time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: date, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// zipped packs files into a ZIP archive.
func zipped(files []file, date time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: date}
		header.SetMode(os.FileMode(f.mode))
		member, err := w.CreateHeader(header)
		if err == nil {
			_, err = member.Write(f.data)
		}
		if err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// checksums are lines as sha256sum prints and checks them.
func checksums(files []file) []byte {
	var lines []string
	for _, f := range files {
		lines = append(lines, hash(f.data)+"  "+f.name+"\n")
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return []byte(strings.Join(lines, ""))
}

// hash returns the SHA-256 of data in hexadecimal digits.
func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
