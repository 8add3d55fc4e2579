package skill

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// maxDepth limits how deeply the values of a frontmatter are nested.
const maxDepth = 32

// Frontmatter has the fields of a frontmatter that every skill has.
type Frontmatter struct {
	Name        string
	Description string
}

// ParseFrontmatter reads the frontmatter of the skill with that name, as a JSON object. It returns
// an error if Agent Skills does not allow it: name and description are required, and license,
// compatibility, metadata and allowed-tools have their types and lengths. Other fields may have any
// value. Members with the same name are an error, since readers disagree on them.
func ParseFrontmatter(object []byte, name string) (Frontmatter, error) {
	var f Frontmatter
	if err := checkMembers(object); err != nil {
		return f, fmt.Errorf("the frontmatter %w", err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(object, &fields); err != nil || fields == nil {
		return f, errors.New("the frontmatter is not an object")
	}
	var err error
	if f.Name, err = text(fields, "name", MaxName, true); err != nil {
		return f, err
	}
	if err := CheckName(f.Name); err != nil {
		return f, err
	}
	if f.Name != name {
		return f, fmt.Errorf("the name %q in the frontmatter differs from %q, the last segment of the skill's path", f.Name, name)
	}
	if f.Description, err = text(fields, "description", MaxDescription, true); err != nil {
		return f, err
	}
	for field, most := range map[string]int{"license": 0, "compatibility": MaxCompatibility, "allowed-tools": 0} {
		if _, err := text(fields, field, most, false); err != nil {
			return f, err
		}
	}
	if value, ok := fields["metadata"]; ok {
		var metadata map[string]*string
		if json.Unmarshal(value, &metadata) != nil || metadata == nil {
			return f, errors.New("metadata in the frontmatter must be an object whose values are texts")
		}
		for key, value := range metadata {
			if value == nil {
				return f, fmt.Errorf("the value of %q in metadata of the frontmatter must be a text", key)
			}
		}
	}
	return f, nil
}

// text returns a field that is a text of 1 to most characters; most is 0 without a limit.
func text(fields map[string]json.RawMessage, field string, most int, required bool) (string, error) {
	value, ok := fields[field]
	if !ok {
		if required {
			return "", fmt.Errorf("the frontmatter has no %s", field)
		}
		return "", nil
	}
	var s *string
	if json.Unmarshal(value, &s) != nil || s == nil {
		return "", fmt.Errorf("%s in the frontmatter must be a text", field)
	}
	switch n := utf8.RuneCountInString(*s); {
	case strings.TrimSpace(*s) == "" && (required || most > 0):
		return "", fmt.Errorf("%s in the frontmatter is empty", field)
	case most > 0 && n > most:
		return "", fmt.Errorf("%s in the frontmatter has %d characters; at most %d are allowed", field, n, most)
	}
	return *s, nil
}

// checkMembers returns an error for a text that is not one JSON value, for a member that an object
// has twice, and for values that are nested too deeply.
func checkMembers(text []byte) error {
	if !utf8.Valid(text) {
		return errors.New("is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	type level struct {
		members map[string]bool // nil in an array
		value   bool            // the value of a member comes next
	}
	var levels []level
	for {
		token, err := d.Token()
		if err == io.EOF && len(levels) == 0 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("is not JSON: %w", err)
		}
		inner := &level{}
		if len(levels) > 0 {
			inner = &levels[len(levels)-1]
		}
		switch t := token.(type) {
		case json.Delim:
			switch t {
			case '{', '[':
				inner.value = false
				if len(levels) == maxDepth {
					return fmt.Errorf("is nested more than %d levels deep", maxDepth)
				}
				next := level{}
				if t == '{' {
					next.members = map[string]bool{}
				}
				levels = append(levels, next)
			default:
				levels = levels[:len(levels)-1]
			}
		case string:
			if inner.members == nil || inner.value {
				inner.value = false
				continue
			}
			if inner.members[t] {
				return fmt.Errorf("has the member %q twice", t)
			}
			inner.members[t], inner.value = true, true
		default:
			inner.value = false
		}
		if len(levels) == 0 && d.More() {
			return errors.New("has text behind its value")
		}
	}
}
