package skillentry

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/mcpgen/mcpgen/internal/jsontree"
	"github.com/mcpgen/mcpgen/internal/skill"
)

// Entry describes one skill (Skill Entries). Functions do not modify it.
type Entry struct {
	URI         string // of SKILL.md
	Dir         string // decoded path of the skill's directory, without the scheme: acme/refunds
	Name        string
	Description string
	Frontmatter json.RawMessage // all fields, name and description included
	Files       []File          // nil for a dynamic skill
	Dynamic     bool

	root        string // URI of the directory
	frontmatter *jsontree.Value
	byPath      map[string]int // index of Files
}

// File is a file of a skill.
type File struct {
	URI    string
	Path   string // below the skill's directory, decoded, with slashes
	Digest string // sha256: and 64 hexadecimal digits; "" for a file of a dynamic skill
	Size   int64  // in bytes
}

// ErrTooLarge is the cause of an [Error] about a skill that exceeds [skill.MaxFiles] or
// [skill.MaxBytes].
var ErrTooLarge = errors.New("the skill exceeds the limits of the extension")

// Error describes an entry that a host must not load.
type Error struct {
	URI string // "" if the entry has none
	Err error
}

// Error names the skill and the problem.
func (e *Error) Error() string {
	if e.URI == "" {
		return "entry of a skill: " + e.Err.Error()
	}
	return fmt.Sprintf("entry of the skill %q: %v", clip(e.URI), e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// maxShown limits the bytes of a server's text in an error.
const maxShown = 200

func clip(text string) string {
	if len(text) > maxShown {
		return strings.ToValidUTF8(text[:maxShown], "") + "..."
	}
	return text
}

// read reads an entry. Errors are of type [*Error].
func read(v *jsontree.Value) (*Entry, error) {
	e := &Entry{}
	if uri := v.Get("uri"); uri.Is(jsontree.Text) {
		e.URI = uri.Text
	}
	if err := e.read(v); err != nil {
		return nil, &Error{e.URI, err}
	}
	return e, nil
}

func (e *Entry) read(v *jsontree.Value) (err error) {
	switch {
	case !v.Is(jsontree.Object):
		return errors.New("it is not an object")
	case e.URI == "":
		return errors.New("uri is missing, or no text")
	}
	if e.root, e.Dir, err = parseSkillURI(e.URI); err != nil {
		return err
	}
	if e.frontmatter = v.Get("frontmatter"); !e.frontmatter.Is(jsontree.Object) {
		return errors.New("frontmatter is missing, or not an object")
	}
	for _, field := range []struct {
		name  string
		value *string
	}{{"name", &e.Name}, {"description", &e.Description}} {
		member := e.frontmatter.Get(field.name)
		if !member.Is(jsontree.Text) || strings.TrimSpace(member.Text) == "" {
			return fmt.Errorf("frontmatter has no %s, or no text in it", field.name)
		}
		*field.value = member.Text
	}
	if len(e.Name) > skill.MaxName { // not in the error, since it may be long
		return fmt.Errorf("the name has %d bytes, and may have %d", len(e.Name), skill.MaxName)
	}
	if err := skill.CheckName(e.Name); err != nil {
		return err
	}
	if last := path.Base(e.Dir); last != e.Name {
		return fmt.Errorf("the skill's name is %q, and its directory is %q: they must be equal", clip(e.Name), clip(last))
	}
	e.Frontmatter = json.RawMessage(e.frontmatter.Compact())
	return e.readFiles(v.Get("resources"))
}

func (e *Entry) readFiles(v *jsontree.Value) error {
	switch {
	case v.Is(jsontree.Text) && v.Text == "dynamic":
		e.Dynamic = true
		return nil
	case !v.Is(jsontree.Array):
		return errors.New(`resources is neither a list of files nor "dynamic"`)
	case len(v.Items) > skill.MaxFiles:
		return fmt.Errorf("%w: it lists %d files, and may list %d", ErrTooLarge, len(v.Items), skill.MaxFiles)
	}
	e.byPath = make(map[string]int, len(v.Items))
	var total int64
	for i, item := range v.Items {
		f, err := e.readFile(item)
		if err != nil {
			return fmt.Errorf("file %d: %w", i+1, err)
		}
		if _, again := e.byPath[f.Path]; again {
			return fmt.Errorf("the file %q is listed twice", clip(f.Path))
		}
		// Each size is at most skill.MaxBytes, so the sum cannot overflow.
		if total += f.Size; total > skill.MaxBytes {
			return fmt.Errorf("%w: its files have more than %d bytes together", ErrTooLarge, skill.MaxBytes)
		}
		e.byPath[f.Path] = i
		e.Files = append(e.Files, f)
	}
	if _, ok := e.byPath[skill.File]; !ok {
		return errors.New("resources does not list " + skill.File)
	}
	for _, f := range e.Files {
		for dir := path.Dir(f.Path); dir != "."; dir = path.Dir(dir) {
			if _, ok := e.byPath[dir]; ok {
				return fmt.Errorf("%q is listed as a file, and as the directory of %q", clip(dir), clip(f.Path))
			}
		}
	}
	return nil
}

var digest = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

func (e *Entry) readFile(v *jsontree.Value) (f File, err error) {
	uri, hash, size := v.Get("uri"), v.Get("digest"), jsontree.Rational(v.Get("size"))
	if !uri.Is(jsontree.Text) {
		return f, errors.New("uri is missing, or no text")
	}
	f.URI = uri.Text
	if f.Path, err = filePath(e.root, f.URI); err != nil {
		return f, fmt.Errorf("%q: %w", clip(f.URI), err)
	}
	if !hash.Is(jsontree.Text) || !digest.MatchString(hash.Text) {
		return f, fmt.Errorf("%q: digest must be sha256: and 64 hexadecimal digits", clip(f.URI))
	}
	f.Digest = hash.Text
	switch {
	case size == nil || !size.IsInt() || size.Sign() < 0:
		return f, fmt.Errorf("%q: size must be a number of bytes", clip(f.URI))
	case !size.Num().IsInt64() || size.Num().Int64() > skill.MaxBytes:
		return f, fmt.Errorf("%w: %q has more than %d bytes", ErrTooLarge, clip(f.URI), skill.MaxBytes)
	}
	f.Size = size.Num().Int64()
	return f, nil
}

// Main returns the file SKILL.md.
func (e *Entry) Main() File {
	f, _ := e.File(skill.File) // every entry has one
	return f
}

// File returns the file that a reference in the skill leads to: a path below the skill's directory,
// as a file system resolves it, or a URI. A fragment is ignored. It returns false for a file that
// the entry does not list, and for a dynamic skill only if the reference leads out of the skill.
func (e *Entry) File(ref string) (File, bool) {
	file := relative(e.root, ref)
	if file == "" {
		return File{}, false
	}
	if e.Dynamic {
		return File{URI: skill.FileURI(e.root, file), Path: file}, true
	}
	i, ok := e.byPath[file]
	if !ok {
		return File{}, false
	}
	return e.Files[i], true
}

// AllowedTools returns the tools that the skill asks to use without a question, as it names them,
// or "". The request has no effect unless the user grants it for this skill.
func (e *Entry) AllowedTools() string {
	switch v := e.frontmatter.Get("allowed-tools"); {
	case v == nil:
		return ""
	case v.Is(jsontree.Text):
		return v.Text
	default:
		return v.Compact()
	}
}

// Fields returns the names of all fields of the frontmatter, in the order of the server.
func (e *Entry) Fields() (names []string) {
	for _, m := range e.frontmatter.Members {
		names = append(names, m.Name)
	}
	return names
}
