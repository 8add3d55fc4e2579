package mcp

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/regularfile"
	"github.com/mcpgen/mcpgen/internal/valid"
	"github.com/mcpgen/mcpgen/runtime/internal/exactpath"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
)

// FilesInfo describes how files are published as resources.
type FilesInfo struct {
	// Prefix is the beginning of all URIs, up to and including the slash before the name of a file:
	// file:///docs/ or docs://
	Prefix      string
	Name        string // "" = the prefix
	Title       string
	Description string
	Groups      []string
	Scopes      []string // scopes that a caller needs, all of them
	Annotations *Annotations

	// Hidden also shows files and directories whose names begin with a dot.
	Hidden bool
	// Unlisted keeps the files out of the list of resources. They can be read.
	Unlisted bool
	// MaxFiles limits the number of files in the list; 0 means 10,000.
	MaxFiles int
	// MIMEType returns the MIME type of a file by its name. For "", the extension and the content
	// of the file decide.
	MIMEType func(name string) string

	ReadInfo
}

const defaultMaxFiles = 10_000

// NewFiles returns the files below root as resources: as text if a file is UTF-8 text, and as a
// blob otherwise. Names with .. or a NUL, absolute ones, links that lead out of root, directories
// and devices are not found, nor are links to hidden files unless those are shown. A name must be
// spelled like the directory entry, also where the file system opens files by other names. A hard
// link is a file like any other. Changes in the directory take effect at once;
// [Server.ResourceUpdated] notifies clients of it.
func NewFiles(info FilesInfo, root *os.Root) Feature {
	open := func(name string) (fs.File, error) { return openWithoutWaiting(root, name) }
	return newFiles(info, &files{fsys: root.FS(), open: open, exact: exactpath.Needed(runtime.GOOS)})
}

// NewFS is like [NewFiles] for another file system, such as an [embed.FS]. It panics for
// [os.DirFS], which follows links out of its directory.
func NewFS(info FilesInfo, fsys fs.FS) Feature {
	if leavesDirectory(reflect.ValueOf(fsys)) {
		panic("mcp: os.DirFS does not keep links inside of the directory; use NewFiles with os.OpenRoot")
	}
	return newFiles(info, &files{fsys: fsys, open: fsys.Open})
}

// leavesDirectory reports whether a file system is an os.DirFS, or a part of one by [fs.Sub].
func leavesDirectory(fsys reflect.Value) bool {
	for fsys.Kind() == reflect.Interface || fsys.Kind() == reflect.Pointer {
		fsys = fsys.Elem()
	}
	switch {
	case !fsys.IsValid():
		return false
	case fsys.Type() == reflect.TypeOf(os.DirFS(".")):
		return true
	case fsys.Kind() != reflect.Struct || fsys.Type().PkgPath() != "io/fs":
		return false
	}
	for _, field := range fsys.Fields() {
		if leavesDirectory(field) {
			return true
		}
	}
	return false
}

func newFiles(info FilesInfo, f *files) Feature {
	if fault := valid.FilesPrefix("files", info.Prefix); fault != nil {
		panic("mcp: " + fault.Error())
	}
	f.info = info
	t := &TemplateInfo{
		URITemplate: info.Prefix + "{+path}", Name: orElse(info.Name, info.Prefix), Title: info.Title,
		Description: info.Description, Groups: info.Groups, Scopes: info.Scopes, Annotations: info.Annotations, ReadInfo: info.ReadInfo,
	}
	if !info.Unlisted {
		t.List = f.list
	}
	return newTemplate(t, t.Name, f.read, nil)
}

// files serves the files of a file system.
type files struct {
	info FilesInfo
	fsys fs.FS
	open func(name string) (fs.File, error)
	// exact is set if the file system also opens files by names that differ from their directory
	// entries.
	exact bool
}

func (f *files) read(ctx context.Context, req *Request) (*ResourceResult, error) {
	name := req.Var("path")
	if !f.allowed(name) {
		return nil, ErrNotFound
	}
	data, err := f.readFile(name, req)
	if err != nil {
		if large, ok := errors.AsType[*tooLarge](err); ok {
			return nil, large
		}
		if !errors.Is(err, fs.ErrNotExist) {
			req.log().Program(ctx, slog.LevelWarn, "file not read", logs.Text("uri", req.Name), slog.Any("error", err))
		}
		return nil, ErrNotFound
	}
	mime := f.mimeType(name, data)
	c := ResourceContents{MIMEType: mime}
	if isTextFile(mime) && utf8.Valid(data) {
		c.Text = string(data)
	} else {
		c.Blob = bytesOf(data)
	}
	return &ResourceResult{Contents: []ResourceContents{c}}, nil
}

// allowed reports whether a name may be looked up at all.
func (f *files) allowed(name string) bool {
	if !fs.ValidPath(name) || strings.ContainsAny(name, "\\\x00") {
		return false
	}
	return f.info.Hidden || !(name[0] == '.' || strings.Contains(name, "/."))
}

var (
	errNotRegular = errors.New("not a regular file")
	errHidden     = errors.New("the link leads to a hidden file")
	errManyLinks  = errors.New("too many symbolic links")
)

// openWithoutWaiting opens a file. A pipe may have replaced the file since it was checked: without
// the flag, opening it would wait for a writer.
func openWithoutWaiting(root *os.Root, name string) (fs.File, error) {
	return root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|regularfile.FlagNonblock, 0)
}

// maxLinks limits the number of symbolic links that are followed for one name, as in Linux.
const maxLinks = 40

// withoutLinks resolves all symbolic links in a name.
func withoutLinks(fsys fs.ReadLinkFS, name string) (string, error) {
	var way []string
	links := 0
	for rest := strings.Split(name, "/"); len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if len(way) == 0 {
				return "", fs.ErrNotExist
			}
			way = way[:len(way)-1]
			continue
		}
		at := path.Join(path.Join(way...), part)
		info, err := fsys.Lstat(at)
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			way = append(way, part)
			continue
		}
		if links++; links > maxLinks {
			return "", errManyLinks
		}
		target, err := fsys.ReadLink(at)
		if err != nil {
			return "", err
		}
		target = filepath.ToSlash(target)
		if path.IsAbs(target) || filepath.VolumeName(target) != "" {
			return "", fs.ErrNotExist // it leads out of the root
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return path.Join(way...), nil
}

func (f *files) readFile(name string, req *Request) ([]byte, error) {
	if f.exact && !exactpath.Spelled(f.fsys, name) {
		return nil, fs.ErrNotExist
	}
	if links, ok := f.fsys.(fs.ReadLinkFS); ok && !f.info.Hidden {
		target, err := withoutLinks(links, name)
		if err != nil {
			return nil, err
		}
		if !f.allowed(target) {
			return nil, errHidden
		}
		name = target
	}
	// Opening a device can have effects.
	if err := regular(fs.Stat(f.fsys, name)); err != nil {
		return nil, err
	}
	file, err := f.open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // opened for reading only
	if err := regular(file.Stat()); err != nil {
		return nil, err
	}
	return readAll(file, req.resourceLimit())
}

func regular(info fs.FileInfo, err error) error {
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	return err
}

// list returns the files in the order of their names.
func (f *files) list(ctx context.Context) ([]ResourceInfo, error) {
	most := f.info.MaxFiles
	if most <= 0 {
		most = defaultMaxFiles
	}
	var all []ResourceInfo
	err := fs.WalkDir(f.fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case name == ".":
			return err
		case !f.allowed(name):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !entry.Type().IsRegular(): // also a directory that cannot be read
			return nil
		case len(all) == most:
			return fs.SkipAll
		}
		info, err := entry.Info()
		if err != nil {
			return nil // it has just been deleted
		}
		r := ResourceInfo{
			URI: f.info.Prefix + escapeSegments(name), Name: name, Size: info.Size(), MIMEType: f.mimeType(name, nil),
		}
		if a := f.info.Annotations; a != nil || !info.ModTime().IsZero() {
			r.Annotations = new(Annotations)
			if a != nil {
				*r.Annotations = *a
			}
			if r.Annotations.LastModified.IsZero() {
				r.Annotations.LastModified = info.ModTime().UTC()
			}
		}
		all = append(all, r)
		return nil
	})
	return all, err
}

// mimeType returns the MIME type of a file by its name, or "" if the name does not determine it.
func (f *files) mimeType(name string, data []byte) string {
	if f.info.MIMEType != nil {
		if mime := f.info.MIMEType(name); mime != "" {
			return mime
		}
	}
	return mimeTypeOf(name, data)
}

// isTextFile reports whether a file with that MIME type is published as text.
func isTextFile(mime string) bool { return isText(mime) || textTypes[mime] }

// mimeTypeOf returns the MIME type of a file by its extension, or else by its content. It returns
// "" if data is nil and the extension is not known.
func mimeTypeOf(name string, data []byte) string {
	if mime := mimeTypes[strings.ToLower(path.Ext(name))]; mime != "" {
		return mime
	}
	switch {
	case data == nil:
		return ""
	case utf8.Valid(data) && !strings.Contains(string(data), "\x00"):
		return "text/plain"
	}
	return "application/octet-stream"
}

// textTypes are types of text files that [isText] does not recognize.
var textTypes = map[string]bool{
	"application/yaml": true, "application/toml": true, "application/javascript": true, "application/sql": true, "application/x-sh": true, "application/jsonl": true,
}

// mimeTypes are the types of common file name extensions. The tables of the operating system are
// not used, so that a server has the same types everywhere.
var mimeTypes = map[string]string{
	".txt": "text/plain", ".md": "text/markdown", ".html": "text/html", ".htm": "text/html", ".css": "text/css",
	".csv": "text/csv", ".tsv": "text/tab-separated-values", ".js": "text/javascript", ".mjs": "text/javascript",
	".xml": "application/xml", ".json": "application/json", ".jsonl": "application/jsonl", ".yaml": "application/yaml",
	".yml": "application/yaml", ".toml": "application/toml", ".sql": "application/sql", ".sh": "application/x-sh",
	".go": "text/x-go", ".mod": "text/plain", ".py": "text/x-python", ".rs": "text/x-rust", ".java": "text/x-java",
	".c": "text/x-c", ".h": "text/x-c", ".cpp": "text/x-c++", ".ts": "text/x-typescript", ".log": "text/plain",
	".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif",
	".webp": "image/webp", ".avif": "image/avif", ".ico": "image/x-icon", ".pdf": "application/pdf",
	".wav": "audio/wav", ".mp3": "audio/mpeg", ".ogg": "audio/ogg", ".flac": "audio/flac", ".mp4": "video/mp4",
	".webm": "video/webm", ".zip": "application/zip", ".gz": "application/gzip", ".tar": "application/x-tar",
	".wasm": "application/wasm",
}
