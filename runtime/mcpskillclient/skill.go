package mcpskillclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/internal/skillentry"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// Skill is a loaded skill. It holds the entry from which it was loaded: [Skill.Read] reads only the
// files of that entry, in the state that the entry describes. Several goroutines may call its
// methods.
type Skill struct {
	Entry *Entry
	Text  string // SKILL.md with its frontmatter
	Body  string // SKILL.md without its frontmatter

	client *Client

	mu   sync.Mutex
	read int64 // bytes of a dynamic skill
}

// Content is a file that was read.
type Content struct {
	Path     string // below the directory of the skill
	MIMEType string // as the server sent it; "" for a file from the cache
	Data     []byte
	// Verified is set if size and digest were compared with the entry: for every skill but dynamic
	// ones.
	Verified bool
}

// Load reads the SKILL.md of a skill that the host has decided to use, and compares it with the
// entry: size, digest, and each field of the frontmatter, as YAML 1.2 with its core schema. The
// error is a *[VerificationError] for any difference, and [ErrDynamic] for a dynamic skill without
// Options.Dynamic. Loading a skill loads no skill within its directory, which has its own entry and
// its own approval.
func (c *Client) Load(ctx context.Context, e *Entry, options ...mcpclient.RequestOption) (*Skill, error) {
	if e == nil || e.checked == nil {
		return nil, errors.New("mcpskillclient: Load: the entry must be one of List or Get")
	}
	if e.server != c.server {
		return nil, fmt.Errorf("mcpskillclient: Load: the entry belongs to the server %q, and this client reads the skills of %q", e.server, c.server)
	}
	if e.checked.Dynamic && !c.options.Dynamic {
		return nil, fmt.Errorf("%s: %w; set Options.Dynamic to load it", e.id(), ErrDynamic)
	}
	if err := c.check(ctx, skillentry.MethodList); err != nil {
		return nil, err
	}
	s := &Skill{Entry: e, client: c}
	content, err := s.fetch(ctx, e.checked.Main(), options)
	if err != nil {
		return nil, err
	}
	body, err := e.checked.CheckMain(content.Data)
	if err != nil {
		return nil, e.verification(err)
	}
	s.Text = string(content.Data)
	s.Body = s.Text[body:]
	return s, nil
}

// Read reads a file of the skill, and compares it with the entry. The reference is a path as the
// texts of the skill write it, relative to the directory of the skill, or a URI; a fragment is
// ignored. The error is a *[VerificationError] for a file that the entry does not list, which is
// not requested, and for a file with another size or digest. The SKILL.md of a skill within the
// directory is read like any other file: its frontmatter has no effect.
func (s *Skill) Read(ctx context.Context, ref string, options ...mcpclient.RequestOption) (*Content, error) {
	f, ok := s.Entry.checked.File(ref)
	if !ok {
		return nil, s.Entry.verification(&skillentry.CheckError{Reason: skillentry.Unlisted, URI: ref})
	}
	return s.fetch(ctx, f, options)
}

// Tag returns a line that names the origin of the skill. A host puts it in front of every text of
// the skill that it gives to a model (Origin is visible to the model).
func (s *Skill) Tag() string {
	return fmt.Sprintf("[The following text is from the skill %s. The server wrote it, and not the user.]", s.Entry.id())
}

// fetch returns a verified file: from the cache, or from the server.
func (s *Skill) fetch(ctx context.Context, f skillentry.File, options []mcpclient.RequestOption) (*Content, error) {
	c, e := s.client, s.Entry
	key := CacheKey{ID: e.id(), Digest: f.Digest}
	if !e.checked.Dynamic {
		data, err := c.options.Cache.Get(key)
		if err != nil {
			c.options.Logger.Warn("mcpskillclient: a file cannot be read from the cache", "skill", e.id().String(), "file", f.Path, "error", err)
		}
		// A cached file may have been changed since: it is verified like a new one.
		if data != nil && err == nil && f.Check(data) == nil {
			return &Content{Path: f.Path, Data: data, Verified: true}, nil
		}
	}
	// The digest decides whether a result is current, and not the time that the server allows.
	result, err := c.client.Read(ctx, f.URI, append(slices.Clip(options), mcpclient.WithoutCache())...)
	if err != nil {
		return nil, err
	}
	content, err := only(f, result)
	if err != nil {
		return nil, &mcpclient.ProtocolViolationError{Target: c.server, Method: "resources/read", Text: err.Error()}
	}
	if e.checked.Dynamic {
		if err := s.count(len(content.Data)); err != nil {
			return nil, err
		}
		return content, nil
	}
	if err := f.Check(content.Data); err != nil {
		return nil, e.verification(err)
	}
	content.Verified = true
	if err := c.options.Cache.Put(key, content.Data); err != nil {
		c.options.Logger.Warn("mcpskillclient: a file cannot be written to the cache", "skill", e.id().String(), "file", f.Path, "error", err)
	}
	return content, nil
}

// count adds the bytes of a dynamic skill, which has no other limit.
func (s *Skill) count(n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.read += int64(n); s.read > MaxBytes {
		return &EntryError{ID: s.Entry.id(), Err: fmt.Errorf("%w: more than %d bytes were read; load it again", ErrTooLarge, MaxBytes)}
	}
	return nil
}

// only returns the content of a file from the result of its request.
func only(f skillentry.File, result *mcp.ResourceResult) (*Content, error) {
	i := slices.IndexFunc(result.Contents, func(c mcp.ResourceContents) bool { return c.URI == f.URI })
	if len(result.Contents) != 1 || i != 0 {
		return nil, fmt.Errorf("the content of %q must be one text or blob with that URI, got %d contents", f.URI, len(result.Contents))
	}
	part := result.Contents[0]
	data := part.Blob
	if data == nil {
		data = []byte(part.Text)
	}
	return &Content{Path: f.Path, MIMEType: part.MIMEType, Data: data}, nil
}
