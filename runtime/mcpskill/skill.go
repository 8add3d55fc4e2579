package mcpskill

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/skill"
	"github.com/mcpgen/mcpgen/runtime/internal/skillpart"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// frontmatter is a valid frontmatter.
type frontmatter struct {
	skill.Frontmatter
	json []byte // compact, members in their order
}

// describe checks a description.
func describe(info Info) (front frontmatter, err error) {
	name, err := skill.CheckURI(info.URI)
	if err != nil {
		return front, err
	}
	if front.Frontmatter, err = skill.ParseFrontmatter(info.Frontmatter, name); err != nil {
		return front, err
	}
	var b bytes.Buffer
	if err := json.Compact(&b, info.Frontmatter); err != nil {
		return front, fmt.Errorf("the frontmatter is not JSON: %w", err)
	}
	front.json = b.Bytes()
	return front, nil
}

// described is a skill that is read. It does not change.
type described struct {
	uri   string           // of the directory
	files map[string]*file // by URI; nil for a dynamic skill
}

// main returns the URI of SKILL.md.
func (d *described) main() string { return d.uri + "/" + skill.File }

// resource returns the description of SKILL.md.
func (d *described) resource(info Info, front frontmatter) *mcp.ResourceInfo {
	return &mcp.ResourceInfo{
		URI: d.main(), Name: front.Name, Description: front.Description, MIMEType: "text/markdown",
		Symbol: info.Symbol, Groups: slices.Clone(info.Groups), Scopes: slices.Clone(info.Scopes),
	}
}

// feature returns the skill of a directory. nested are the paths of the skills directly in it.
func feature(info Info, front frontmatter, all loaded, dir string, nested []string) mcp.Feature {
	d := &described{uri: info.URI, files: map[string]*file{}}
	part := &skillpart.Part{URI: info.URI, Tools: slices.Clone(info.Tools), Directories: map[string][]skillpart.Child{}}
	for _, n := range nested {
		part.Skills = append(part.Skills, skill.FileURI(info.URI, within(dir, n))+"/"+skill.File)
	}
	files := all.below(dir)
	manifest := make([]manifestFile, 0, len(files))
	for _, f := range files {
		uri := skill.FileURI(info.URI, within(dir, f.path))
		manifest = append(manifest, manifestFile{uri, f})
		if slices.ContainsFunc(nested, func(n string) bool { return strings.HasPrefix(f.path, n+"/") }) {
			continue
		}
		d.files[uri] = f
		part.Largest = max(part.Largest, f.size)
		if uri != d.main() {
			part.Files = append(part.Files, uri)
			part.Listings = append(part.Listings, add(part, uri, f))
		}
	}
	part.Entry = d.entry(front.json, manifest)
	main := d.resource(info, front)
	main.Size = int64(d.files[d.main()].size)
	return funcs.New(main, d.read, part, methods)
}

// within returns the path of a file below a directory that has it.
func within(dir, name string) string {
	if dir == "." {
		return name
	}
	return strings.TrimPrefix(name, dir+"/")
}

// read answers resources/read for a file.
func (d *described) read(_ context.Context, req *mcp.Request) (*mcp.ResourceResult, error) {
	f := d.file(req.Name)
	if f == nil {
		return nil, mcp.ErrNotFound
	}
	return &mcp.ResourceResult{Contents: []mcp.ResourceContents{{MIMEType: f.mime, Text: f.text, Blob: f.blob}}}, nil
}

type manifestFile struct {
	uri string
	*file
}

// entry returns the entry of skills/list and skills/get (skill entries of the extension). A nil
// manifest is that of a dynamic skill.
func (d *described) entry(front []byte, manifest []manifestFile) []byte {
	b := append(make([]byte, 0, 200+len(front)+200*len(manifest)), `{"uri":`...)
	b = wire.AppendString(b, d.main())
	b = append(append(b, `,"frontmatter":`...), front...)
	b = append(b, `,"resources":`...)
	if manifest == nil {
		return append(b, `"dynamic"}`...)
	}
	for i, f := range manifest {
		b = append(b, "[,"[min(i, 1)])
		b = append(b, `{"uri":`...)
		b = wire.AppendString(b, f.uri)
		b = append(append(b, `,"digest":"`...), f.digest...)
		b = strconv.AppendInt(append(b, `","size":`...), int64(f.size), 10)
		b = append(b, '}')
	}
	return slices.Clip(append(b, "]}"...))
}

// add adds a file to the directories that lead to it, and returns its entry.
func add(part *skillpart.Part, uri string, f *file) []byte {
	b := append([]byte(nil), `{"uri":`...)
	b = wire.AppendString(b, uri)
	b = wire.AppendString(append(b, `,"name":`...), path.Base(f.path))
	if f.mime != "" {
		b = wire.AppendString(append(b, `,"mimeType":`...), f.mime)
	}
	b = strconv.AppendInt(append(b, `,"size":`...), int64(f.size), 10)
	b = append(b, '}')
	c := skillpart.Child{URI: uri, Listing: b}
	for at := parent(uri); ; at = parent(at) {
		_, known := part.Directories[at]
		part.Directories[at] = append(part.Directories[at], c)
		if known || at == part.URI {
			return b
		}
		c = directory(at)
	}
}

// parent returns the URI of the directory of a file.
func parent(uri string) string { return uri[:strings.LastIndexByte(uri, '/')] }

// directory returns the entry of a directory (directory resources of the extension).
func directory(uri string) skillpart.Child {
	b := append([]byte(nil), `{"uri":`...)
	b = wire.AppendString(b, uri)
	b = wire.AppendString(append(b, `,"name":`...), skill.Unescape(uri[strings.LastIndexByte(uri, '/')+1:]))
	return skillpart.Child{URI: uri, Listing: append(b, `,"mimeType":"inode/directory"}`...)}
}
