package skills

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/internal/skill"
	"github.com/mcpgen/mcpgen/internal/visible"
)

// file reads and checks a file, once for all skills that contain it. It returns nil after a
// problem with reading it.
func (r *reader) file(name string) *file {
	if f, known := r.read[name]; known {
		return f
	}
	r.read[name] = nil
	data, err := readWithin(r.files, name)
	if err != nil {
		r.add(Problem{File: name, Message: fmt.Sprintf("the file cannot be read: %v", err), Hint: "make it readable, or leave it out"})
		return nil
	}
	f := &file{digest: skill.Digest(data), size: len(data)}
	r.read[name] = f
	isText := utf8.Valid(data) && !bytes.ContainsRune(data, 0)
	if path.Base(name) == skill.File && !isText {
		r.add(Problem{File: name, Message: "the file is not text in UTF-8", Hint: "save it as UTF-8"})
		r.read[name] = nil
		return nil
	}
	if isText {
		r.text(name, string(data))
		if strings.EqualFold(path.Ext(name), ".md") {
			f.text = string(data)
			r.tree.Names = append(r.tree.Names, namesIn(name, f.text)...)
		}
	}
	return f
}

// readWithin reads a file of at most the size of a skill.
func readWithin(files fs.FS, name string) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	return io.ReadAll(io.LimitReader(f, skill.MaxBytes+1))
}

// text checks a text for hidden characters, for secrets and for line ends.
func (r *reader) text(name, text string) {
	if strings.Contains(text, "\r\n") {
		r.add(Problem{
			File: name, Rule: RuleFiles, Message: "lines end with CR LF, so digests differ from those of a checkout with LF",
			Hint: "write this line into the file .gitattributes of the package, and check the files out again: " + attributes(name),
		})
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	text = strings.TrimPrefix(text, "\ufeff") // refused in a SKILL.md; programs for tables write it
	number := 0
	for line := range strings.Lines(text) {
		number++
		if c, found := visible.Hidden(line); found {
			r.add(Problem{
				File: name, Line: number, Column: strings.IndexRune(line, c) + 1,
				Message: fmt.Sprintf("the line contains the hidden character %U, which a reviewer does not see and a model reads", c), Hint: "delete it",
			})
		}
		if what, at := secretIn(line); what != "" {
			r.add(Problem{
				File: name, Line: number, Column: at + 1, Message: "the line contains " + what + ", which clients would get",
				Hint: "write a placeholder such as YOUR_KEY, and revoke the credential if it was ever committed",
			})
		}
	}
}

// attributes returns the line of .gitattributes that keeps the bytes of files in a directory.
func attributes(name string) string {
	top, _, _ := strings.Cut(name, "/")
	return top + "/** -text"
}

// hiddenIn returns a hidden character in the texts of a JSON value.
func hiddenIn(object []byte) (rune, bool) {
	for d := json.NewDecoder(bytes.NewReader(object)); ; {
		token, err := d.Token()
		if err != nil {
			return 0, false // the end
		}
		if s, ok := token.(string); ok {
			if c, found := visible.Hidden(s); found {
				return c, true
			}
		}
	}
}

// secrets match credentials by their form.
var secrets = []struct {
	what string
	form *regexp.Regexp
}{
	{"a private key", regexp.MustCompile(`-----BEGIN ([A-Z]+ )?PRIVATE KEY( BLOCK)?-----`)},
	{"an access key of AWS", regexp.MustCompile(`\b(AKIA|ASIA)[0-9A-Z]{16}\b`)},
	{"a token of GitHub", regexp.MustCompile(`\b(gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})`)},
	{"a token of GitLab", regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{20,}`)},
	{"a token of Slack", regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{20,}`)},
	{"an API key of Google", regexp.MustCompile(`\bAIza[0-9A-Za-z_-]{35}`)},
	{"an API key", regexp.MustCompile(`\bsk-(ant-|proj-)?[A-Za-z0-9_-]{32,}`)},
	{"an API key of Stripe", regexp.MustCompile(`\b[rs]k_live_[0-9A-Za-z]{16,}`)},
	{"a token of npm", regexp.MustCompile(`\bnpm_[A-Za-z0-9]{36}`)},
	{"a JSON Web Token", regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`)},
}

// minDistinct is the number of different characters from which a text is no placeholder.
const minDistinct = 10

// secretIn returns what kind of credential a line contains, and where, or "".
func secretIn(line string) (what string, at int) {
	for _, s := range secrets {
		for _, found := range s.form.FindAllStringIndex(line, -1) {
			text := line[found[0]:found[1]]
			distinct := map[rune]bool{}
			for _, c := range text {
				distinct[c] = true
			}
			if len(distinct) >= minDistinct && !strings.Contains(strings.ToLower(text), "example") {
				return s.what, found[0]
			}
		}
	}
	return "", 0
}
