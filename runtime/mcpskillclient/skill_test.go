package mcpskillclient_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpskillclient"
)

// List returns the entries of all pages, and neither List nor Get reads a file.
func TestList(t *testing.T) {
	s := newServer()
	s.list = []string{
		`"skills":[` + s.get[main] + `],"nextCursor":"1"`,
		`"skills":[` + s.get[nested] + `,{"uri":"skill://broken/SKILL.md"}],"nextCursor":"2"`,
		`"skills":[` + s.get[main] + `,` + strings.ReplaceAll(s.get[main], "acme/", "other/") + `]`,
	}
	c := s.client(t, mcpskillclient.Options{})
	list, err := c.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var dirs, refused, same []string
	for _, e := range list.Skills {
		dirs = append(dirs, e.Dir)
	}
	for _, e := range list.Refused {
		refused = append(refused, e.ID.URI)
	}
	for _, e := range list.SameName() {
		same = append(same, e.Dir)
	}
	if got := fmt.Sprint(dirs, refused, same); got != "[acme/refunds acme/refunds/eu other/refunds] [skill://broken/SKILL.md skill://acme/refunds/SKILL.md] [acme/refunds other/refunds]" {
		t.Error(got)
	}
	e := list.Skills[0]
	if e.ID != (mcpskillclient.ID{Server: "shop", URI: main}) || e.Name != "refunds" || e.Description != "Give money back" || len(e.Files) != 3 || e.Files[1].Path != "references/RETURNS.md" {
		t.Errorf("%+v", e)
	}
	if _, err := c.Get(t.Context(), nested); err != nil {
		t.Error(err)
	}
	if n := s.count("resources/read"); n != 0 {
		t.Errorf("%d files were read ahead of need", n)
	}
}

// A skill is loaded by a request for SKILL.md alone, and a file is requested when it is read, once.
func TestLoad(t *testing.T) {
	s := newServer()
	c := s.client(t, mcpskillclient.Options{})
	skill, err := load(t, c, main)
	if err != nil {
		t.Fatal(err)
	}
	if skill.Text != mainText || skill.Body != "\n# Refunds\n" {
		t.Errorf("%q, %q", skill.Text, skill.Body)
	}
	if tag := skill.Tag(); !strings.Contains(tag, main) || !strings.Contains(tag, `"shop"`) {
		t.Error(tag)
	}
	if n := s.count("resources/read"); n != 1 {
		t.Errorf("loading reads %d files", n)
	}
	for _, ref := range []string{"references/RETURNS.md", "./references/../references/RETURNS.md#late", reference} {
		content, err := skill.Read(t.Context(), ref)
		if err != nil || string(content.Data) != "Return it.\n" || !content.Verified || content.Path != "references/RETURNS.md" {
			t.Errorf("%s: %+v, %v", ref, content, err)
		}
	}
	if n := s.count("resources/read " + reference); n != 1 {
		t.Errorf("the file was read %d times", n)
	}
}

// A file that the entry does not list is refused without a request.
func TestUnlisted(t *testing.T) {
	s := newServer()
	skill, err := load(t, s.client(t, mcpskillclient.Options{}), main)
	if err != nil {
		t.Fatal(err)
	}
	before := s.count("resources/read")
	for _, ref := range []string{
		"", ".", "..", "/", "/etc/passwd", "references", "references/", "new.md", "../../refunds/SKILL.md", "../refunds/SKILL.md", `references\RETURNS.md`,
		"references/RETURNS.md\x00", "skill://acme/other/SKILL.md", "skill://acme/refunds/../other/SKILL.md", "skill://acme/refunds/%2e%2e/other/SKILL.md",
		"skill://acme/refunds/references%2fRETURNS.md", "skill://acme/refunds/references/RETURNS.md?x", "http://127.0.0.1:1/SKILL.md", "file:///etc/passwd",
	} {
		_, err := skill.Read(t.Context(), ref)
		if e, ok := errors.AsType[*mcpskillclient.VerificationError](err); !ok || e.Reason != mcpskillclient.Unlisted {
			t.Errorf("%q: %v", ref, err)
		}
	}
	if n := s.count("resources/read"); n != before {
		t.Errorf("%d requests", n-before)
	}
}

// The entry from which a skill was loaded remains the reference when the skill changes, until the
// caller loads the new entry. The approval of the old one does not cover the new one.
func TestHeldEntry(t *testing.T) {
	s := newServer()
	c := s.client(t, mcpskillclient.Options{})
	skill, err := load(t, c, main)
	if err != nil {
		t.Fatal(err)
	}
	s.change(func() {
		s.serve(reference, "Keep it...")
		s.serve("skill://acme/refunds/new.md", "new")
		s.get[main] = entryOf(main, mainFields, file(main, mainText), file(reference, "Keep it..."), file("skill://acme/refunds/new.md", "new"))
	})
	changed, err := c.Get(t.Context(), main)
	if err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]mcpskillclient.Reason{
		"references/RETURNS.md": mcpskillclient.WrongSize, "new.md": mcpskillclient.Unlisted,
	} {
		_, err := skill.Read(t.Context(), ref)
		if e, ok := errors.AsType[*mcpskillclient.VerificationError](err); !ok || e.Reason != want || e.ID != skill.Entry.ID {
			t.Errorf("%s: %v, want %s", ref, err, want)
		}
	}
	old, err := skill.Entry.Approval()
	if err != nil {
		t.Fatal(err)
	}
	if now, err := changed.Approval(); err != nil || now == old {
		t.Errorf("%v equals %v, %v", now, old, err)
	}
	skill, err = c.Load(t.Context(), changed)
	if err != nil {
		t.Fatal(err)
	}
	if content, err := skill.Read(t.Context(), "new.md"); err != nil || string(content.Data) != "new" {
		t.Errorf("%+v, %v", content, err)
	}
}

// An approval covers the same set of files in another order, and no other server.
func TestApproval(t *testing.T) {
	s := newServer()
	c := s.client(t, mcpskillclient.Options{})
	first, err := c.Get(t.Context(), main)
	if err != nil {
		t.Fatal(err)
	}
	s.change(func() {
		s.get[main] = entryOf(main, mainFields, file(nested, nestedText), file(reference, "Return it.\n"), file(main, mainText))
	})
	second, err := c.Get(t.Context(), main)
	if err != nil {
		t.Fatal(err)
	}
	a, errA := first.Approval()
	b, errB := second.Approval()
	if errA != nil || errB != nil || a != b {
		t.Errorf("%v %v, %v %v", a, b, errA, errB)
	}
	if a.ID.Server != "shop" || a.ID.URI != main {
		t.Errorf("%+v", a)
	}
	other := newServer().named(t, "bank", mcpskillclient.Options{})
	first.ID.Server = "bank" // which is for display
	if _, err := other.Load(t.Context(), first); err == nil {
		t.Error("the entry of another server was loaded")
	}
}

// The SKILL.md of a skill in the directory is read like another file; to load it takes its own
// entry, whose request for tools is only shown.
func TestNested(t *testing.T) {
	s := newServer()
	c := s.client(t, mcpskillclient.Options{})
	skill, err := load(t, c, main)
	if err != nil {
		t.Fatal(err)
	}
	if content, err := skill.Read(t.Context(), "eu/SKILL.md"); err != nil || string(content.Data) != nestedText {
		t.Errorf("%+v, %v", content, err)
	}
	if tools := skill.Entry.AllowedTools(); tools != "" {
		t.Errorf("tools %q", tools)
	}
	inner, err := load(t, c, nested)
	if err != nil || inner.Entry.AllowedTools() != "Bash" || inner.Body != "" {
		t.Errorf("%+v, %v", inner, err)
	}
}

// A dynamic skill is loaded if the options allow it. Its frontmatter is compared, its content is
// neither verified nor cached, and its bytes are bounded.
func TestDynamic(t *testing.T) {
	s := newServer()
	s.get[main] = `{"uri":"` + main + `","frontmatter":` + mainFields + `,"resources":"dynamic"}`
	if _, err := load(t, s.client(t, mcpskillclient.Options{}), main); !errors.Is(err, mcpskillclient.ErrDynamic) {
		t.Errorf("%v", err)
	}
	c := s.client(t, mcpskillclient.Options{Dynamic: true})
	skill, err := load(t, c, main)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := skill.Entry.Approval(); !errors.Is(err, mcpskillclient.ErrDynamic) {
		t.Errorf("%v", err)
	}
	for _, text := range []string{"one", "two"} {
		s.change(func() { s.serve("skill://acme/refunds/a%20b.md", text) })
		if content, err := skill.Read(t.Context(), "a b.md"); err != nil || string(content.Data) != text || content.Verified {
			t.Errorf("%+v, %v", content, err)
		}
	}
	if _, err := skill.Read(t.Context(), "../other/SKILL.md"); err == nil {
		t.Error("a file of another skill was read")
	}
	s.change(func() { s.serve(reference, strings.Repeat("x", mcpskillclient.MaxBytes)) })
	if _, err := skill.Read(t.Context(), "references/RETURNS.md"); !errors.Is(err, mcpskillclient.ErrTooLarge) {
		t.Errorf("%.100v", err)
	}
	s.change(func() { s.serve(main, strings.Replace(mainText, "back", "away", 1)) })
	_, err = c.Load(t.Context(), skill.Entry)
	if e, ok := errors.AsType[*mcpskillclient.VerificationError](err); !ok || e.Reason != mcpskillclient.Frontmatter {
		t.Errorf("%v", err)
	}
}

// Without the extension, or in an older revision, no request is sent.
func TestUnsupported(t *testing.T) {
	for name, change := range map[string]func(*server){
		"no extension": func(s *server) { s.extension = "" },
		"no object":    func(s *server) { s.extension = "true" },
		"old revision": func(s *server) { s.legacy = true },
	} {
		s := newServer()
		change(s)
		c := s.client(t, mcpskillclient.Options{})
		if ok, err := c.Supported(t.Context()); ok || err != nil {
			t.Errorf("%s: %v, %v", name, ok, err)
		}
		_, errList := c.List(t.Context())
		_, errGet := c.Get(t.Context(), main)
		for _, err := range []error{errList, errGet} {
			if _, ok := errors.AsType[*mcpclient.UnsupportedError](err); !ok {
				t.Errorf("%s: %v", name, err)
			}
		}
		if n := s.count(""); n != 0 {
			t.Errorf("%s: %d requests", name, n)
		}
	}
	s := newServer()
	c := s.client(t, mcpskillclient.Options{})
	if ok, err := c.Supported(t.Context()); !ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
	_, err := c.Get(t.Context(), "skill://acme/none/SKILL.md")
	if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("%v", err)
	}
}

// New takes the name that the host gives to the server.
func TestNew(t *testing.T) {
	s := newServer()
	s.client(t, mcpskillclient.Options{})
	for _, name := range []string{"", "a\nb", "a\u202eb", "\xff", strings.Repeat("x", 65)} {
		if _, err := mcpskillclient.New(new(mcpclient.Client), name, mcpskillclient.Options{}); err == nil {
			t.Errorf("%q is accepted", name)
		}
	}
	if _, err := mcpskillclient.New(nil, "shop", mcpskillclient.Options{}); err == nil {
		t.Error("nil is accepted")
	}
}
