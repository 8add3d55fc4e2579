// Package mcpskill serves Agent Skills (agentskills.io): directories with a SKILL.md, the
// instructions for a model, and the files that these instructions use. Generated code calls it for
// //mcp:skill.
//
// The files of a skill are resources. In revision 2026-07-28, a server with a skill declares the
// extension io.modelcontextprotocol/skills with directoryRead, and answers skills/list, skills/get
// and resources/directory/read. In earlier revisions these methods do not exist, and clients find
// SKILL.md in resources/list.
//
// A skill is one feature, a resource whose URI is that of its SKILL.md: what decides on resources
// (policies, [mcp.Access], scopes, groups, [mcp.Select], Unregister ...) decides on all of its
// files, its entry and its directories at once. A URI pattern of a policy denies the skill if it
// denies one of the files, and allows it by the URI of SKILL.md.
package mcpskill

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/mcpgen/mcpgen/internal/skill"
	"github.com/mcpgen/mcpgen/runtime/internal/friend"
	"github.com/mcpgen/mcpgen/runtime/internal/skillpart"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// funcs are functions of package mcp that it does not export.
var funcs = mcp.SkillFuncs(friend.Key{})

// Info describes a skill.
type Info struct {
	// URI is the URI of the directory, without a slash at its end: skill://acme/refunds. Its last
	// segment is the name of the skill.
	URI string
	// Frontmatter is the object that the YAML of SKILL.md means, as JSON. It has at least name and
	// description. Clients compare it with the YAML, and refuse the skill if they differ.
	Frontmatter json.RawMessage
	Groups      []string
	Scopes      []string // scopes that a caller needs, all of them
	// Tools hide the skill from callers who may not use all of these tools. They are published
	// names, or aliases.
	Tools  []string
	Symbol string // the Go variable or function, for diagnostics
}

// New returns a skill whose files are those of a file system: its root is the directory of the
// skill, with SKILL.md. All files are published, also hidden ones, as text if they are UTF-8 and
// their MIME type is one of texts, and otherwise as blobs. They are read once, by New: a later
// change of a file is not seen, until another New makes a skill that replaces this one by
// [mcp.Server.Unregister] and Register. A SKILL.md in a directory below is a file like any other;
// [Tree] makes it a skill.
//
// New panics if the URI, the frontmatter or the path of a file is not valid, if a file cannot be
// read or is not a regular one (a link, a device), without a SKILL.md that begins with a
// frontmatter, and above 512 files or 16 MiB (limits of the extension). [mcp.Server.Register]
// panics if a file is larger than [mcp.Limits].ResourceBytes. A server that begins to serve panics
// if it has no tool with a name of Tools, unless a policy may have left it out; later, a skill is
// hidden while one of its tools is not registered.
func New(info Info, files fs.FS) mcp.Feature {
	f, err := newSkill(info, files)
	if err != nil {
		panic(fmt.Sprintf("mcpskill: skill %s: %v", info.URI, err))
	}
	return f
}

func newSkill(info Info, files fs.FS) (mcp.Feature, error) {
	front, err := describe(info)
	if err != nil {
		return nil, err
	}
	all, err := newSource(files).load(".")
	if err != nil {
		return nil, err
	}
	if err := all.check("."); err != nil {
		return nil, err
	}
	return feature(info, front, all, ".", nil), nil
}

// Dynamic returns a skill of one file, SKILL.md, whose text a function returns at each read. The
// extension publishes it as "dynamic", without sizes and digests; some hosts refuse such skills.
// Other resources below its URI are files of the skill for resources/directory/read. text may be
// called by many goroutines at once. Its text must begin with the frontmatter of info, in YAML;
// without one a read is an error.
//
// Dynamic panics if the URI or the frontmatter is not valid.
func Dynamic(info Info, text func(ctx context.Context) (string, error)) mcp.Feature {
	front, err := describe(info)
	if err != nil {
		panic(fmt.Sprintf("mcpskill: skill %s: %v", info.URI, err))
	}
	d := &described{uri: info.URI}
	return funcs.New(d.resource(info, front), func(ctx context.Context, _ *mcp.Request) (*mcp.ResourceResult, error) {
		s, err := text(ctx)
		if err != nil {
			return nil, err
		}
		if _, ok := skill.Block([]byte(s[:min(len(s), maxBlock)])); !ok {
			return nil, errNoBlock
		}
		return mcp.TextContents(s), nil
	}, &skillpart.Part{URI: info.URI, Tools: slices.Clone(info.Tools), Entry: d.entry(front.json, nil)}, methods)
}

// maxBlock limits the frontmatter of a text that a function returns, in bytes.
const maxBlock = 1 << 20

var errNoBlock = errors.New("mcpskill: the text of the skill does not begin with a frontmatter: a line ---, YAML, a line ---")
