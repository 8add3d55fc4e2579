package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// fake compiles programs that contain their platform.
func fake(p platform) ([]byte, error) { return []byte(p.os + "/" + p.arch), nil }

// published are the files of a folder.
func published(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// unpacked returns the members of an archive, each as "name mode".
func unpacked(t *testing.T, name string, data []byte) (names []string, contents map[string][]byte) {
	t.Helper()
	contents = map[string][]byte{}
	add := func(name string, mode os.FileMode, r io.Reader, err error) {
		t.Helper()
		text, readErr := io.ReadAll(r)
		if err = errors.Join(err, readErr); err != nil {
			t.Fatal(err)
		}
		names, contents[name] = append(names, fmt.Sprintf("%s %o", name, mode)), text
	}
	if strings.HasSuffix(name, ".zip") {
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			r, err := f.Open()
			add(f.Name, f.Mode(), r, err)
		}
		return names, contents
	}
	var r io.Reader = bytes.NewReader(data)
	if strings.HasSuffix(name, ".gz") {
		z, err := gzip.NewReader(r)
		if err != nil {
			t.Fatal(err)
		}
		r = z
	}
	for archive := tar.NewReader(r); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return names, contents
		}
		if err != nil {
			t.Fatal(err)
		}
		add(h.Name, h.FileInfo().Mode(), archive, nil)
	}
}

// tagged is a small repository with a tag.
func tagged(t *testing.T) (repository, *release) {
	t.Helper()
	r := newRepository(t)
	for _, name := range []string{"LICENSE", "README.md"} {
		r.write(name, name)
	}
	r.commit()
	r.git("tag", "v0.1.0")
	return r, &release{dir: r.dir, version: "v0.1.0", out: io.Discard}
}

// TestBuild reads everything that is published: archives, checksums, the formula and the image.
func TestBuild(t *testing.T) {
	_, r := tagged(t)
	dir := filepath.Join(t.TempDir(), "dist")
	if err := r.build(dir, fake, platforms); err != nil {
		t.Fatal(err)
	}
	files := published(t, dir)
	for _, p := range platforms {
		name, program := fmt.Sprintf("mcpgen_0.1.0_%s_%s.tar.gz", p.os, p.arch), "mcpgen"
		if p.os == "windows" {
			name, program = strings.Replace(name, "tar.gz", "zip", 1), "mcpgen.exe"
		}
		names, contents := unpacked(t, name, files[name])
		if want := []string{program + " 755", "LICENSE 644", "README.md 644", "CHANGELOG.md 644"}; !slices.Equal(names, want) {
			t.Errorf("%s has %q, want %q", name, names, want)
		}
		if string(contents[program]) != p.os+"/"+p.arch || string(contents["LICENSE"]) != "LICENSE" {
			t.Errorf("%s has the program for %s, and the license %q", name, contents[program], contents["LICENSE"])
		}
	}
	var sums strings.Builder
	for _, name := range []string{"mcpgen.rb", "mcpgen_0.1.0_darwin_amd64.tar.gz", "mcpgen_0.1.0_darwin_arm64.tar.gz", "mcpgen_0.1.0_image.tar",
		"mcpgen_0.1.0_linux_amd64.tar.gz", "mcpgen_0.1.0_linux_arm64.tar.gz", "mcpgen_0.1.0_windows_amd64.zip", "mcpgen_0.1.0_windows_arm64.zip"} {
		sums.WriteString(hash(files[name]) + "  " + name + "\n")
	}
	if got := string(files["checksums.txt"]); got != sums.String() || len(files) != 9 {
		t.Errorf("%d files, checksums\n%s\nwant\n%s", len(files), got, &sums)
	}
	formula := string(files["mcpgen.rb"])
	for _, p := range platforms[:4] {
		name := fmt.Sprintf("mcpgen_0.1.0_%s_%s.tar.gz", p.os, p.arch)
		if want := "url \"https://github.com/mcpgen/mcpgen/releases/download/v0.1.0/" + name + "\"\n      sha256 \"" + hash(files[name]) + "\"\n"; strings.Count(formula, want) != 1 {
			t.Errorf("no %s in\n%s", want, formula)
		}
	}
	opened, ended := regexp.MustCompile(`(?m)^class |^  def | do$`), regexp.MustCompile(`(?m)^ *end$`)
	if n := len(opened.FindAllString(formula, -1)); n != 9 || n != len(ended.FindAllString(formula, -1)) {
		t.Errorf("blocks that do not end:\n%s", formula)
	}
	checkImage(t, files["mcpgen_0.1.0_image.tar"])

	again := filepath.Join(t.TempDir(), "dist")
	if err := r.build(again, fake, platforms); err != nil {
		t.Fatal(err)
	}
	for name, data := range published(t, again) {
		if !bytes.Equal(data, files[name]) {
			t.Errorf("built twice, %s has other bytes", name)
		}
	}
}

// checkImage follows an image from its index to the programs.
func checkImage(t *testing.T, layout []byte) {
	t.Helper()
	_, files := unpacked(t, "image.tar", layout)
	if string(files["oci-layout"]) != `{"imageLayoutVersion":"1.0.0"}` {
		t.Errorf("layout %s", files["oci-layout"])
	}
	type index struct{ Manifests []descriptor }
	read := func(d descriptor, v any) []byte {
		t.Helper()
		data := files["blobs/"+strings.Replace(d.Digest, ":", "/", 1)]
		if "sha256:"+hash(data) != d.Digest || len(data) != d.Size {
			t.Fatalf("%+v: the blob has %d bytes and the hash %s", d, len(data), hash(data))
		}
		if v != nil {
			if err := json.Unmarshal(data, v); err != nil {
				t.Fatal(err)
			}
		}
		return data
	}
	var top, image index
	if err := json.Unmarshal(files["index.json"], &top); err != nil || len(top.Manifests) != 1 || top.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != "0.1.0" {
		t.Fatalf("%v, index %s", err, files["index.json"])
	}
	read(top.Manifests[0], &image)
	var found []string
	for _, d := range image.Manifests {
		var manifest struct {
			Config descriptor
			Layers []descriptor
		}
		var config struct {
			OS, Architecture, Created string
			Config                    struct{ Entrypoint []string }
			Rootfs                    struct {
				IDs []string `json:"diff_ids"`
			}
		}
		read(d, &manifest)
		read(manifest.Config, &config)
		layer := read(manifest.Layers[0], nil)
		z, err := gzip.NewReader(bytes.NewReader(layer))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(z)
		if err != nil || len(manifest.Layers) != 1 || !slices.Equal(config.Rootfs.IDs, []string{"sha256:" + hash(plain)}) {
			t.Errorf("%v, %d layers, %q is not the hash of the layer", err, len(manifest.Layers), config.Rootfs.IDs)
		}
		names, contents := unpacked(t, "layer.tar", plain)
		if !slices.Equal(names, []string{"mcpgen 755"}) || !slices.Equal(config.Config.Entrypoint, []string{"/mcpgen"}) || config.OS != d.Platform.OS || config.Architecture != d.Platform.Architecture {
			t.Errorf("files %q, configuration %+v, platform %+v", names, config, d.Platform)
		}
		if got := string(contents["mcpgen"]); got != config.OS+"/"+config.Architecture {
			t.Errorf("the image for %s/%s has the program for %s", config.OS, config.Architecture, got)
		}
		found = append(found, config.OS+"/"+config.Architecture)
	}
	if !slices.Equal(found, []string{"linux/amd64", "linux/arm64"}) {
		t.Errorf("the image is for %q", found)
	}
}

func TestBuildRefuses(t *testing.T) {
	for want, change := range map[string]func(r repository, dir string){
		"v0.1.0 is not checked out: git checkout v0.1.0": func(r repository, _ string) {
			r.write("api/api.go", "package api\n")
			r.commit()
		},
		"there are changes that are not committed": func(r repository, _ string) { r.write("new.txt", "") },
		"is not empty: files of another version would be published too": func(r repository, dir string) {
			if err := os.WriteFile(filepath.Join(dir, "mcpgen_0.0.9_linux_amd64.tar.gz"), nil, 0o644); err != nil {
				r.t.Fatal(err)
			}
		},
		"build for windows/amd64: it has no memory": func(repository, string) {},
	} {
		repo, r := tagged(t)
		dir := t.TempDir()
		change(repo, dir)
		err := r.build(dir, func(p platform) ([]byte, error) {
			if p.os == "windows" {
				return nil, errors.New("it has no memory")
			}
			return fake(p)
		}, platforms)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if _, err := os.Stat(filepath.Join(dir, "checksums.txt")); err == nil {
			t.Errorf("%s: files were written", want)
		}
	}
	for _, args := range [][]string{{}, {"build", "v0.1.0"}, {"check", "v0.1.0", "dist"}, {"publish", "v0.1.0"}, {"x"}} {
		if err := run(t.TempDir(), args, io.Discard); err == nil || !strings.HasPrefix(err.Error(), "usage: ") {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// TestPrograms builds a clone of this repository for this machine, and with MCPGEN_LONG for every
// platform, and runs the program of the archive.
func TestPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles the command; the step release of .ci/run has it")
	}
	r := cloned(t)
	version := r.next()
	r.git("add", "--all")
	r.git("commit", "--quiet", "--allow-empty", "--message", "change")
	r.git("tag", version)
	all := platforms
	if os.Getenv("MCPGEN_LONG") == "" {
		all = slices.DeleteFunc(slices.Clone(platforms), func(p platform) bool { return p != platform{runtime.GOOS, runtime.GOARCH} })
	}
	if len(all) == 0 {
		t.Skip("no program is published for this machine")
	}
	dir := filepath.Join(t.TempDir(), "dist")
	built := &release{dir: r.dir, version: version, out: io.Discard}
	if err := built.build(dir, built.compile, all); err != nil {
		t.Fatal(err)
	}
	for name, data := range published(t, dir) {
		number, rest, _ := strings.Cut(strings.TrimPrefix(name, "mcpgen_"), "_")
		system, cpu, _ := strings.Cut(strings.TrimSuffix(strings.TrimSuffix(rest, ".tar.gz"), ".zip"), "_")
		if !slices.Contains(all, platform{system, cpu}) {
			continue
		}
		_, contents := unpacked(t, name, data)
		program := contents["mcpgen"]
		if system == "windows" {
			program = contents["mcpgen.exe"]
		}
		if got := machine(program); got != system+"/"+cpu || number != strings.TrimPrefix(version, "v") {
			t.Errorf("%s has a program for %s", name, got)
		}
		if system != runtime.GOOS || cpu != runtime.GOARCH {
			continue
		}
		path := filepath.Join(t.TempDir(), "mcpgen")
		if err := os.WriteFile(path, program, 0o755); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(path, "version").CombinedOutput(); err != nil || !strings.Contains(string(out), version) {
			t.Errorf("%v: mcpgen version printed %q, want %s", err, out, version)
		}
	}
}

// machine returns the platform that a program is for, by its header.
func machine(program []byte) string {
	r := bytes.NewReader(program)
	if f, err := elf.NewFile(r); err == nil {
		return map[elf.Machine]string{elf.EM_X86_64: "linux/amd64", elf.EM_AARCH64: "linux/arm64"}[f.Machine]
	}
	if f, err := macho.NewFile(r); err == nil {
		return map[macho.Cpu]string{macho.CpuAmd64: "darwin/amd64", macho.CpuArm64: "darwin/arm64"}[f.Cpu]
	}
	if f, err := pe.NewFile(r); err == nil {
		return map[uint16]string{pe.IMAGE_FILE_MACHINE_AMD64: "windows/amd64", pe.IMAGE_FILE_MACHINE_ARM64: "windows/arm64"}[f.Machine]
	}
	return "no system"
}
