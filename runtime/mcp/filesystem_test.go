package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// faultyFS is a file system with faults, by the names of its files.
type faultyFS struct {
	fstest.MapFS
	failsOpen map[string]error
	failsLink map[string]error
	failsInfo map[string]bool // the directory entry returns no information
	opensAs   map[string]fs.FileMode
	reading   func(name string) // called before a directory is read

	lookups, opened, closed int
	read                    []string // directories that were read
}

func (f *faultyFS) Open(name string) (fs.File, error) {
	if err := f.failsOpen[name]; err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	file, err := f.MapFS.Open(name)
	if err != nil {
		return nil, err
	}
	f.opened++
	return &faultyFile{file, f, f.opensAs[name]}, nil
}

func (f *faultyFS) Lstat(name string) (fs.FileInfo, error) {
	f.lookups++
	return f.MapFS.Lstat(name)
}

func (f *faultyFS) ReadLink(name string) (string, error) {
	if err := f.failsLink[name]; err != nil {
		return "", err
	}
	return f.MapFS.ReadLink(name)
}

func (f *faultyFS) ReadDir(name string) ([]fs.DirEntry, error) {
	f.read = append(f.read, name)
	if f.reading != nil {
		f.reading(name)
	}
	if err := f.failsOpen[name]; err != nil {
		return nil, err
	}
	entries, err := f.MapFS.ReadDir(name)
	for i, entry := range entries {
		if f.failsInfo[entry.Name()] {
			entries[i] = unknownEntry{entry}
		}
	}
	return entries, err
}

type faultyFile struct {
	fs.File
	fsys *faultyFS
	mode fs.FileMode
}

func (f *faultyFile) Stat() (fs.FileInfo, error) {
	info, err := f.File.Stat()
	if f.mode != 0 {
		info = otherMode{info, f.mode}
	}
	return info, err
}

func (f *faultyFile) Close() error {
	f.fsys.closed++
	return f.File.Close()
}

type otherMode struct {
	fs.FileInfo
	mode fs.FileMode
}

func (m otherMode) Mode() fs.FileMode { return m.mode }

type unknownEntry struct{ fs.DirEntry }

func (unknownEntry) Info() (fs.FileInfo, error) { return nil, fs.ErrNotExist }

var errDisk = errors.New("disk on fire")

// readResource reads a resource of a server.
func readResource(client func(string) string, uri string) string {
	text, err := json.Marshal(uri)
	if err != nil {
		panic(err)
	}
	return client(request(1, "resources/read", `{"uri":`+string(text)+`}`))
}

// If any operation below the root fails while a file is read, the resource is not found. All opened
// files are closed. The reason is logged, unless the file does not exist.
func TestFilesThatCannotBeRead(t *testing.T) {
	file := &fstest.MapFile{Data: []byte("text")}
	link := func(target string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink}
	}
	for _, test := range []struct {
		name  string // percent-encoded
		log   string // a part of the warning; "" without a warning
		found bool
	}{
		{name: "f", found: true},
		{name: "d/f", found: true},
		{name: "link", found: true},
		{name: "none"},
		{name: "d/none"},
		{name: "link-to-none"},
		{name: "absolute"}, // it would lead to the file f if the slash were ignored
		{name: "above"},
		{name: "a%5Cb"},
		{name: "a%00b"},
		{name: "d", log: "not a regular file"},
		{name: "loop", log: "too many"},
		{name: "unreadable", log: "disk on fire"},
		{name: "unreadable-link", log: "disk on fire"},
		{name: "becomes-device", log: "not a regular file"},
		{name: ".hidden"},
		{name: "link-to-hidden", log: "hidden"},
	} {
		fsys := &faultyFS{
			MapFS: fstest.MapFS{
				"f": file, "d/f": file, "unreadable": file, "becomes-device": file, ".hidden": file, "a\\b": file, "a\x00b": file,
				"link": link("d/../f"), "link-to-none": link("none"), "absolute": link("/f"), "above": link("../f"),
				"loop": link("loop"), "unreadable-link": link("f"), "link-to-hidden": link(".hidden"),
			},
			failsOpen: map[string]error{"unreadable": errDisk},
			failsLink: map[string]error{"unreadable-link": errDisk},
			opensAs:   map[string]fs.FileMode{"becomes-device": fs.ModeDevice},
		}
		var log testbed.Log
		s := mcp.NewServer(fixtureInfo(), mcp.WithLogger(log.Logger()))
		s.Register(mcp.NewFS(mcp.FilesInfo{Prefix: "x:///"}, fsys))
		client := connect(t, s)
		got := readResource(client, "x:///"+test.name)
		if found := strings.Contains(got, `"text":"text"`); found != test.found {
			t.Errorf("%s: %s", test.name, got)
		}
		if !test.found && !strings.Contains(got, `"code":-32002`) {
			t.Errorf("%s: %s", test.name, got)
		}
		if text := log.String(); strings.Contains(text, "file not read") != (test.log != "") || !strings.Contains(text, test.log) {
			t.Errorf("%s: the log is %s", test.name, text)
		}
		if fsys.opened != fsys.closed {
			t.Errorf("%s: %d files have been opened, and %d closed", test.name, fsys.opened, fsys.closed)
		}
		if fsys.lookups > 50 {
			t.Errorf("%s: %d lookups", test.name, fsys.lookups)
		}
	}
}

// The list contains the files that can be read, whatever else is in the directory. Hidden
// directories are not read. Only a root that cannot be read is an error.
func TestListOfFiles(t *testing.T) {
	file := &fstest.MapFile{Data: []byte("text"), ModTime: time.Unix(0, 0)}
	fsys := &faultyFS{
		MapFS: fstest.MapFS{
			"LICENSE": file, "d/f.md": file, ".git/config": file, "d/.env": file, "d/.draft/f": file, "a\\b": file, "a\x00b": file, "\xff": file,
			"deleted": file, "locked/f": file, "pipe": {Mode: fs.ModeNamedPipe}, "link": {Mode: fs.ModeSymlink, Data: []byte("LICENSE")},
		},
		failsOpen: map[string]error{"locked": errDisk},
		failsInfo: map[string]bool{"deleted": true},
	}
	list := func() string {
		s := mcp.NewServer(fixtureInfo(), quiet)
		s.Register(mcp.NewFS(mcp.FilesInfo{Prefix: "x:///"}, fsys))
		return connect(t, s)(request(1, "resources/list", `{}`))
	}
	const modified = `"annotations":{"lastModified":"1970-01-01T00:00:00Z"}`
	want := `"resources":[{"uri":"x:///LICENSE","name":"LICENSE","size":4,` + modified + `},` +
		`{"uri":"x:///d/f.md","name":"d/f.md","mimeType":"text/markdown","size":4,` + modified + `}]`
	if got := list(); !strings.Contains(got, want) {
		t.Errorf("the list is %s, want %s", got, want)
	}
	if got := strings.Join(fsys.read, " "); got != ". d locked" {
		t.Errorf("directories that were read: %s", got)
	}
	fsys.failsOpen["."] = errDisk
	if got := list(); !strings.Contains(got, `"error":{"code":-32603`) {
		t.Errorf("without a root that can be read: %s", got)
	}
}

// Listing stops when its request is cancelled, in the middle of the files.
func TestListOfFilesIsCancelled(t *testing.T) {
	fsys := &faultyFS{MapFS: fstest.MapFS{"a/f": {}, "b/f": {}, "c/f": {}}}
	var cancel context.CancelFunc
	fsys.reading = func(name string) {
		if name == "a" {
			cancel()
		}
	}
	s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
			ctx, cancel = context.WithCancel(ctx)
			defer cancel()
			return next(ctx, req)
		}
	}))
	s.Register(mcp.NewFS(mcp.FilesInfo{Prefix: "x:///"}, fsys))
	if got := connect(t, s)(request(1, "resources/list", `{}`)); !strings.Contains(got, `"error"`) {
		t.Errorf("the list is %s", got)
	}
	if got := strings.Join(fsys.read, " "); got != ". a" {
		t.Errorf("directories that were read: %s", got)
	}
}

// The extension determines the type of a file, or else its content.
func TestTypesOfFiles(t *testing.T) {
	fsys := fstest.MapFS{
		"text": {Data: []byte("a")}, "empty": {}, "latin": {Data: []byte("\xe4")}, "nul": {Data: []byte("a\x00")},
		"latin.txt": {Data: []byte("\xe4")}, "a.YAML": {Data: []byte("a: b")}, "a.png": {Data: []byte("png")}, "a.svg": {Data: []byte("<svg/>")},
	}
	s := mcp.NewServer(fixtureInfo(), quiet)
	s.Register(mcp.NewFS(mcp.FilesInfo{Prefix: "x:///"}, fsys))
	client := connect(t, s)
	for name, want := range map[string]string{
		"text": `"mimeType":"text/plain","text":"a"`, "empty": `"mimeType":"text/plain","text":""`,
		"latin": `"mimeType":"application/octet-stream","blob":"5A=="`, "nul": `"mimeType":"application/octet-stream","blob":"YQA="`,
		"latin.txt": `"mimeType":"text/plain","blob":"5A=="`, "a.YAML": `"mimeType":"application/yaml","text":"a: b"`,
		"a.png": `"mimeType":"image/png","blob":"cG5n"`, "a.svg": `"mimeType":"image/svg+xml","text":"<svg/>"`,
	} {
		if got := readResource(client, "x:///"+name); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// pointerFS is a file system that may be nil.
type pointerFS struct{ fs.FS }

func (p *pointerFS) Open(string) (fs.File, error) { return nil, fs.ErrNotExist }

// checkingFS checks links itself.
type checkingFS struct{ fs.FS }

// NewFS looks for os.DirFS in the wrappers of package io/fs, not in file systems of others. A
// prefix is the beginning of a URI, up to a slash.
func TestFilesThatCanBePublished(t *testing.T) {
	for _, fsys := range []fs.FS{(*pointerFS)(nil), checkingFS{os.DirFS(".")}, &checkingFS{os.DirFS(".")}} {
		if text := panics(func() { mcp.NewFS(mcp.FilesInfo{Prefix: "x:///"}, fsys) }); text != "<nil>" {
			t.Errorf("%T: %s", fsys, text)
		}
	}
	for _, prefix := range []string{"", "docs/", "/docs/", "x:///docs", "x://a b/", "x:", "x:docs"} {
		text := panics(func() { mcp.NewFS(mcp.FilesInfo{Prefix: prefix}, fstest.MapFS{}) })
		if !strings.Contains(text, "must be the begin of a URI, with a slash at its end") {
			t.Errorf("%q: %s", prefix, text)
		}
	}
}

// foldedFS opens files regardless of the case of their names.
type foldedFS struct{ fstest.MapFS }

func (f foldedFS) Open(name string) (fs.File, error) { return f.MapFS.Open(strings.ToLower(name)) }

func (f foldedFS) Stat(name string) (fs.FileInfo, error) { return f.MapFS.Stat(strings.ToLower(name)) }

func (f foldedFS) Lstat(name string) (fs.FileInfo, error) {
	return f.MapFS.Lstat(strings.ToLower(name))
}

// If the file system opens files by other names, only the names of directory entries are found.
func TestNamesOfEntries(t *testing.T) {
	s := mcp.NewServer(fixtureInfo(), quiet)
	fsys := foldedFS{fstest.MapFS{"dir/file.txt": {Data: []byte("text")}}}
	s.Register(mcp.NewInexactFS(mcp.FilesInfo{Prefix: "x:///"}, fsys))
	s.Register(mcp.NewFS(mcp.FilesInfo{Prefix: "y:///"}, fsys))
	client := connect(t, s)
	for uri, want := range map[string]bool{
		"x:///dir/file.txt": true, "x:///dir/FILE.txt": false, "x:///DIR/file.txt": false, "y:///dir/FILE.txt": true,
	} {
		if got := readResource(client, uri); strings.Contains(got, `"text":"text"`) != want {
			t.Errorf("%s: %s", uri, got)
		}
	}
}
