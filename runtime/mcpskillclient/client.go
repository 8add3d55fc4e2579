package mcpskillclient

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/skill"
	"github.com/mcpgen/mcpgen/internal/skillentry"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// Extension is the name of the extension.
const Extension = skill.Extension

// Limits of the extension for one skill. An entry that exceeds one is an [EntryError], and so is a
// dynamic skill of which more than MaxBytes are read.
const (
	MaxFiles = skill.MaxFiles
	MaxBytes = skill.MaxBytes // of all files together
)

// Options configures a client. The zero value is a client with a cache in memory that loads no
// dynamic skills.
type Options struct {
	// Cache stores verified files. Nil gives the client its own cache of 64 MiB in memory.
	Cache Cache
	// Dynamic allows skills whose content the server generates. Nothing binds an approval to the
	// content of such a skill, and nothing verifies it but the frontmatter of SKILL.md.
	Dynamic bool
	// Logger gets a record when the cache fails. Nil is slog.Default.
	Logger *slog.Logger
}

// Client reads the skills of one server. Several goroutines may call its methods.
type Client struct {
	client  *mcpclient.Client
	server  string
	options Options
}

// maxServer limits the bytes of a server's name, which is part of the path of a file.
const maxServer = 64

// New returns a client for the skills of a server. The server's name is chosen by the host, and
// unique among its servers: it is the first half of every [ID]. The name that a server gives itself
// is no such name. It has 1 to 64 bytes without control characters.
func New(client *mcpclient.Client, server string, o Options) (*Client, error) {
	switch {
	case client == nil:
		return nil, errors.New("mcpskillclient: New: the client is nil")
	case server == "":
		return nil, errors.New("mcpskillclient: New: the server has no name: give it the name by which the host knows it")
	case len(server) > maxServer:
		return nil, fmt.Errorf("mcpskillclient: New: the server's name has %d bytes, and may have %d", len(server), maxServer)
	case !utf8.ValidString(server) || strings.ContainsFunc(server, func(r rune) bool { return !unicode.IsPrint(r) }):
		return nil, fmt.Errorf("mcpskillclient: New: the server's name %q has a character that cannot be seen", server)
	}
	if o.Cache == nil {
		o.Cache = NewMemoryCache(0)
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return &Client{client: client, server: server, options: o}, nil
}

// Supported reports whether the server declares the extension and speaks a revision that has it:
// 2026-07-28 or later. To the others, the other methods send no request, and return a
// *mcpclient.UnsupportedError.
func (c *Client) Supported(ctx context.Context) (bool, error) {
	switch err := c.check(ctx, skillentry.MethodList); err.(type) {
	case nil:
		return true, nil
	case *mcpclient.UnsupportedError:
		return false, nil
	default:
		return false, err
	}
}

func (c *Client) check(ctx context.Context, method string) error {
	server, err := c.client.Server(ctx)
	if err != nil {
		return err
	}
	revision := c.client.Revision()
	switch {
	case revision < skillentry.MinRevision:
		return &mcpclient.UnsupportedError{Target: c.server, Method: method, Revision: revision}
	case !skillentry.Declared(server.Capabilities):
		return &mcpclient.UnsupportedError{Target: c.server, Method: method, Capability: "extensions." + Extension, Revision: revision}
	}
	return nil
}

// List is the result of [Client.List].
type List struct {
	Skills []*Entry
	// Refused are the entries that a host must not load, and repeated ones. They do not prevent the
	// others.
	Refused []*EntryError
}

// SameName returns the skills that share their name with another one of the list, in its order. A
// host must tell them apart, for instance by [Entry.Dir].
func (l *List) SameName() (skills []*Entry) {
	count := map[string]int{}
	for _, e := range l.Skills {
		count[e.Name]++
	}
	for _, e := range l.Skills {
		if count[e.Name] > 1 {
			skills = append(skills, e)
		}
	}
	return skills
}

// List returns the entries on all pages of skills/list, and reads no file. A server need not list
// all of its skills: [Client.Get] returns the others. A list may have 10000 skills, 1000 pages and
// 64 MiB; [ErrTooLong] is returned for a longer one.
func (c *Client) List(ctx context.Context, options ...mcpclient.RequestOption) (*List, error) {
	if err := c.check(ctx, skillentry.MethodList); err != nil {
		return nil, err
	}
	pages := new(skillentry.Listing)
	for pages.More() {
		result, err := c.client.Request(ctx, skillentry.MethodList, pages.Params(), append(slices.Clip(options), mcpclient.WithIdempotent())...)
		if err != nil {
			return nil, err
		}
		if err := pages.Add(result); err != nil {
			return nil, c.wrap(skillentry.MethodList, err)
		}
	}
	list := &List{}
	for _, e := range pages.Skills {
		list.Skills = append(list.Skills, c.entry(e))
	}
	for _, e := range pages.Refused {
		list.Refused = append(list.Refused, c.refused(e))
	}
	return list, nil
}

// Get returns the entry of the skill whose SKILL.md has a URI, whether the server lists it or not,
// and reads no file. The error is a *jsonrpc.Error with code -32602 if the server has no such
// skill, and an *[EntryError] for an entry that a host must not load.
func (c *Client) Get(ctx context.Context, uri string, options ...mcpclient.RequestOption) (*Entry, error) {
	params, err := skillentry.GetParams(uri)
	if err != nil {
		return nil, c.wrap(skillentry.MethodGet, err)
	}
	if err := c.check(ctx, skillentry.MethodGet); err != nil {
		return nil, err
	}
	result, err := c.client.Request(ctx, skillentry.MethodGet, params, append(slices.Clip(options), mcpclient.WithIdempotent())...)
	if err != nil {
		return nil, err
	}
	e, err := skillentry.ReadGet(uri, result)
	if err != nil {
		return nil, c.wrap(skillentry.MethodGet, err)
	}
	return c.entry(e), nil
}

// wrap returns an error of skillentry as an error of this package.
func (c *Client) wrap(method string, err error) error {
	if e, ok := errors.AsType[*skillentry.Error](err); ok {
		return c.refused(e)
	}
	if errors.Is(err, ErrTooLong) {
		return fmt.Errorf("%s: %w", c.server, err)
	}
	return &mcpclient.ProtocolViolationError{Target: c.server, Method: method, Text: err.Error()}
}

func (c *Client) refused(e *skillentry.Error) *EntryError {
	return &EntryError{ID: ID{c.server, e.URI}, Err: e.Err}
}
