package frontmatter

import (
	"bytes"
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v4"
)

// Without returns a text without the fields of its block for which drop returns true, and their
// names, in order. Everything else stays as it is, but comments behind a dropped field go with it.
// Errors are of type [*Error]; without a field to drop, the text is returned itself.
func Without(text []byte, drop func(name string) bool) (rest []byte, dropped []string, err error) {
	before, _, _, err := Read(text)
	if err != nil {
		return nil, nil, err
	}
	inner, body, err := cutLoosely(text)
	if err != nil {
		return nil, nil, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(inner), &doc); err != nil {
		return nil, nil, readError(inner, err)
	}
	root := doc.Content[0] // a mapping, since Read has read it
	lines := bytes.SplitAfter(text[:body], []byte("\n"))
	keep := lines[:1:1] // the line ---
	for i := 0; i < len(root.Content); i += 2 {
		key, end := root.Content[i], len(lines)-1
		if len(lines[end]) == 0 {
			end-- // the text ends in a line break
		}
		if i+2 < len(root.Content) {
			end = root.Content[i+2].Line
		}
		begin := key.Line
		if i == 0 {
			begin = 1
		}
		if !drop(key.Value) {
			keep = append(keep, lines[begin:end]...)
			continue
		}
		if root.Style&yaml.FlowStyle != 0 {
			return nil, nil, fault(key, fmt.Sprintf("%s is in a mapping with braces, from which it cannot be left out", key.Value), "write each field on a line of its own")
		}
		dropped = append(dropped, key.Value)
	}
	if len(dropped) == 0 {
		return text, nil, nil
	}
	last := len(lines) - 1
	if len(lines[last]) == 0 {
		last--
	}
	rest = append(bytes.Join(append(keep, lines[last:]...), nil), text[body:]...)
	return rest, dropped, sameWithout(before, rest, drop)
}

// sameWithout checks that the block of a text has all fields of an object but the dropped ones.
func sameWithout(before, rest []byte, drop func(string) bool) error {
	after, _, _, err := Read(rest)
	if err != nil {
		return err
	}
	var was, is map[string]json.RawMessage
	if json.Unmarshal(before, &was) != nil || json.Unmarshal(after, &is) != nil {
		return &Error{1, 1, "the frontmatter cannot be read again", "write each field on a line of its own"}
	}
	for name, value := range was {
		if drop(name) {
			delete(was, name)
		} else if !bytes.Equal(value, is[name]) {
			return &Error{1, 1, fmt.Sprintf("%s depends on a field that is left out", name), "write its value without an alias"}
		}
	}
	if len(was) != len(is) {
		return &Error{1, 1, "the fields to leave out cannot be distinguished from the others", "write each field on a line of its own"}
	}
	return nil
}
