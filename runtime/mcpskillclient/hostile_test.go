package mcpskillclient_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpskillclient"
)

// verification returns a check for a VerificationError with a reason.
func verification(reason mcpskillclient.Reason) func(error) bool {
	return func(err error) bool {
		e, ok := errors.AsType[*mcpskillclient.VerificationError](err)
		return ok && e.Reason == reason
	}
}

func invalidEntry(err error) bool {
	_, ok := errors.AsType[*mcpskillclient.EntryError](err)
	return ok && !errors.Is(err, mcpskillclient.ErrTooLarge)
}

func tooLarge(err error) bool { return errors.Is(err, mcpskillclient.ErrTooLarge) }

func violation(err error) bool {
	_, ok := errors.AsType[*mcpclient.ProtocolViolationError](err)
	return ok
}

// entry returns a change of the entry of the skill.
func withEntry(uri, frontmatter string, files ...string) func(*server) {
	return func(s *server) {
		s.get[main] = entryOf(uri, frontmatter, files...)
	}
}

// extra returns a change that lists another file.
func extra(uri string) func(*server) {
	return withEntry(main, mainFields, file(main, mainText), file(uri, "x"))
}

const named = `{"name":"refunds","description":"Give money back"}`

// hostileSkills are changes of a server, and the error of the client.
var hostileSkills = map[string]struct {
	change func(*server)
	want   func(error) bool
}{
	"another digest": {func(s *server) { s.serve(main, strings.Replace(mainText, "Refunds", "Reviews", 1)) }, verification(mcpskillclient.WrongDigest)},
	"another size":   {func(s *server) { s.serve(main, mainText+"\nMore.") }, verification(mcpskillclient.WrongSize)},
	"an empty file":  {func(s *server) { s.serve(main, "") }, verification(mcpskillclient.WrongSize)},
	"another frontmatter": {
		withEntry(main, strings.Replace(mainFields, "back", "away", 1), file(main, mainText)), verification(mcpskillclient.Frontmatter),
	},
	"a field that SKILL.md lacks": {
		withEntry(main, strings.Replace(mainFields, "{", `{"license":"MIT",`, 1), file(main, mainText)), verification(mcpskillclient.Frontmatter),
	},
	"a field that the entry lacks": {withEntry(main, named, file(main, mainText)), verification(mcpskillclient.Frontmatter)},
	"a number for text": {
		withEntry(main, strings.Replace(mainFields, "1.1", `"1.1"`, 1), file(main, mainText)), verification(mcpskillclient.Frontmatter),
	},
	"no frontmatter": {func(s *server) {
		s.serve(main, "# Refunds\n")
		s.get[main] = entryOf(main, mainFields, file(main, "# Refunds\n"))
	}, verification(mcpskillclient.Frontmatter)},
	"an entry that changes": {func(s *server) {
		s.serve(main, mainText+" ")
	}, verification(mcpskillclient.WrongSize)},

	"SKILL.md in no manifest":    {withEntry(main, mainFields, file(reference, "x")), invalidEntry},
	"a file twice":               {withEntry(main, mainFields, file(main, mainText), file(reference, "x"), file(reference, "y")), invalidEntry},
	"a file twice, encoded":      {withEntry(main, mainFields, file(main, mainText), file(reference, "x"), file(strings.Replace(reference, "R", "%52", 1), "x")), invalidEntry},
	"a file that is a directory": {withEntry(main, mainFields, file(main, mainText), file(reference, "x"), file("skill://acme/refunds/references", "x")), invalidEntry},
	"no manifest":                {func(s *server) { s.get[main] = `{"uri":"` + main + `","frontmatter":` + mainFields + `}` }, invalidEntry},
	"a manifest of another kind": {func(s *server) {
		s.get[main] = `{"uri":"` + main + `","frontmatter":` + mainFields + `,"resources":"none"}`
	}, invalidEntry},
	"a name of another directory": {withEntry(main, strings.Replace(mainFields, "refunds", "returns", 1), file(main, mainText)), invalidEntry},
	"a name in capitals":          {withEntry("skill://Refunds/SKILL.md", `{"name":"Refunds","description":"d"}`, file("skill://Refunds/SKILL.md", "x")), invalidEntry},
	"no description":              {withEntry(main, `{"name":"refunds"}`, file(main, mainText)), invalidEntry},
	"another skill":               {withEntry(nested, `{"name":"eu","description":"d"}`, file(nested, nestedText)), invalidEntry},
	"an entry that is a list":     {func(s *server) { s.get[main] = `[]` }, invalidEntry},
	"no entry":                    {func(s *server) { s.get[main] = `null` }, invalidEntry},
	"a member twice":              {func(s *server) { s.get[main] = strings.Replace(s.get[main], "{", `{"uri":"skill://x/SKILL.md",`, 1) }, violation},

	"a parent directory":          {extra("skill://acme/refunds/../other.md"), invalidEntry},
	"an encoded parent directory": {extra("skill://acme/refunds/%2e%2e/other.md"), invalidEntry},
	"a current directory":         {extra("skill://acme/refunds/./other.md"), invalidEntry},
	"an empty name":               {extra("skill://acme/refunds//other.md"), invalidEntry},
	"an encoded slash":            {extra("skill://acme/refunds/a%2f..%2f..%2fother.md"), invalidEntry},
	"an encoded backslash":        {extra("skill://acme/refunds/..%5cother.md"), invalidEntry},
	"a backslash":                 {extra(`skill://acme/refunds/..\other.md`), invalidEntry},
	"a NUL":                       {extra("skill://acme/refunds/a%00.md"), invalidEntry},
	"a character that is hidden":  {extra("skill://acme/refunds/a%E2%80%AE.md"), invalidEntry},
	"no UTF-8":                    {extra("skill://acme/refunds/a%FF.md"), invalidEntry},
	"a wrong encoding":            {extra("skill://acme/refunds/a%zz.md"), invalidEntry},
	"a file of another skill":     {extra("skill://acme/other/a.md"), invalidEntry},
	"a file beside the skill":     {extra("skill://acme/refunds.md"), invalidEntry},
	"the directory itself":        {extra("skill://acme/refunds/"), invalidEntry},
	"a query":                     {extra("skill://acme/refunds/a.md?b"), invalidEntry},
	"a long URI":                  {extra("skill://acme/refunds/" + strings.Repeat("a", 4096)), invalidEntry},

	"513 files": {func(s *server) {
		files := []string{file(main, mainText)}
		for i := range 512 {
			files = append(files, file(fmt.Sprintf("skill://acme/refunds/%d", i), "x"))
		}
		s.get[main] = entryOf(main, mainFields, files...)
	}, tooLarge},
	"more than 16 MiB":    {withEntry(main, mainFields, file(main, mainText), sized("a", "9000000"), sized("b", "9000000")), tooLarge},
	"a huge size":         {withEntry(main, mainFields, file(main, mainText), sized("a", "9223372036854775807"), sized("b", "9223372036854775807")), tooLarge},
	"a size beyond int64": {withEntry(main, mainFields, file(main, mainText), sized("a", "1e30")), tooLarge},
	"a size out of range": {withEntry(main, mainFields, file(main, mainText), sized("a", "1e999999999")), invalidEntry},
	"a negative size":     {withEntry(main, mainFields, file(main, mainText), sized("a", "-1")), invalidEntry},
	"a part of a byte":    {withEntry(main, mainFields, file(main, mainText), sized("a", "0.5")), invalidEntry},
	"a size as text":      {withEntry(main, mainFields, file(main, mainText), sized("a", `"1"`)), invalidEntry},
	"a digest of MD5": {withEntry(main, mainFields, file(main, mainText),
		`{"uri":"skill://acme/refunds/a","digest":"md5:d41d8cd98f00b204e9800998ecf8427e","size":0}`), invalidEntry},
	"a digest in capitals": {withEntry(main, mainFields, file(main, mainText),
		`{"uri":"skill://acme/refunds/a","digest":"sha256:`+strings.Repeat("A", 64)+`","size":0}`), invalidEntry},

	"the content of another resource": {func(s *server) { s.contents[main] = s.contents[reference] }, violation},
	"two contents":                    {func(s *server) { s.contents[main] += "," + s.contents[main] }, violation},
}

// sized returns a file with a size, as JSON.
func sized(name, size string) string {
	return `{"uri":"skill://acme/refunds/` + name + `","digest":"sha256:` + strings.Repeat("0", 64) + `","size":` + size + `}`
}

// A server that breaks a rule of the extension gets an error, no byte of its file is returned, and
// the next skill works. List refuses the same entries, and returns the others.
func TestHostileSkills(t *testing.T) {
	for name, row := range hostileSkills {
		t.Run(name, func(t *testing.T) {
			s := newServer()
			c := s.client(t, mcpskillclient.Options{})
			row.change(s)
			var skill *mcpskillclient.Skill
			e, err := c.Get(t.Context(), main)
			if err == nil {
				skill, err = c.Load(t.Context(), e)
			}
			if !row.want(err) || skill != nil {
				t.Errorf("%+v, %v (%T)", skill, err, err)
			}
			if inner, err := load(t, c, nested); err != nil || inner.Text != nestedText {
				t.Errorf("the next skill: %v", err)
			}
			s.change(func() { s.list = []string{`"skills":[` + s.get[main] + `,` + s.get[nested] + `]`} })
			list, err := c.List(t.Context())
			if err == nil && e == nil && len(list.Refused) != 1 && name != "another skill" || err != nil && name != "a member twice" {
				t.Errorf("%+v, %v", list, err)
			}
		})
	}
}

// A list that never ends is refused, without the skills so far.
func TestHostileLists(t *testing.T) {
	endless := func(s *server) {
		for i := range 2000 {
			s.list = append(s.list, fmt.Sprintf(`"skills":[],"nextCursor":"%d"`, i+1))
		}
	}
	for name, row := range map[string]struct {
		change func(*server)
		want   func(error) bool
	}{
		"endless":     {endless, func(err error) bool { return errors.Is(err, mcpskillclient.ErrTooLong) }},
		"same cursor": {func(s *server) { s.list = []string{`"skills":[],"nextCursor":"0"`} }, violation},
		"many skills": {func(s *server) { s.list = []string{`"skills":[` + strings.Repeat("{},", 10_000) + `{}]`} }, func(err error) bool {
			return errors.Is(err, mcpskillclient.ErrTooLong)
		}},
		"no list":        {func(s *server) { s.list = []string{`"skills":{}`} }, violation},
		"missing":        {func(s *server) { s.list = []string{`"_meta":{}`} }, violation},
		"another cursor": {func(s *server) { s.list = []string{`"skills":[],"nextCursor":7`} }, violation},
	} {
		s := newServer()
		s.list = nil
		row.change(s)
		if list, err := s.client(t, mcpskillclient.Options{}).List(t.Context()); !row.want(err) || list != nil {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
		if n := s.count("skills/list"); n > 1000 {
			t.Errorf("%s: %d requests", name, n)
		}
	}
}
