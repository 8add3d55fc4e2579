// Package frontmatter reads the YAML block at the beginning of a SKILL.md, and accepts only values
// that all readers of YAML understand alike.
//
// Hosts compare the block with the JSON that a server publishes, and refuse the skill on any
// difference (Skills extension, Frontmatter Verification). Readers of YAML 1.1 and 1.2 disagree on
// dates, 017, 1e3, yes and others; [Parse] refuses these, with the remedy.
package frontmatter

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// MaxBytes limits the size of a block, both of its --- lines included.
const MaxBytes = 64 << 10

// Block is the frontmatter of a text.
type Block struct {
	JSON []byte // an object with the members in order of the source, without white space
	Hash string // SHA-256 of the block, from its first byte to the end of its last line, in hex
	Size int    // bytes of the block, which is the offset of the body

	lines map[string]int
}

// Line returns the line of a member of the block, from 1, or the first line for members that it
// does not contain.
func (b *Block) Line(member string) int { return max(b.lines[member], 1) }

// Error is a fault of a block.
type Error struct {
	Line, Column int // from 1, in bytes
	Problem      string
	Hint         string
}

// Error returns line, column and problem.
func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Problem) }

const (
	marker   = "---"
	beginsSo = "begin the file with ---, name: NAME, description: TEXT and ---, each on a line"
)

// Parse reads the block at the beginning of a text: a line ---, a mapping in YAML, and a line ---.
// Values follow the core schema of YAML 1.2. Errors are of type [*Error].
func Parse(text []byte) (*Block, error) {
	inner, size, err := cut(text)
	if err != nil {
		return nil, err
	}
	v, err := parse(inner)
	if err != nil {
		return nil, err
	}
	// Some hosts pass the last line break to their reader, and others do not: it is a part of a
	// last value that is written with | or >.
	if short, err := parse(strings.TrimRight(inner, "\r\n")); err != nil || !bytes.Equal(short.out, v.out) {
		return nil, &Error{
			Line: strings.Count(inner, "\n") + 1, Column: 1, Problem: "the last line break is a part of the last value for some readers, and not for others",
			Hint: "write |- for | and >- for >, or quote the text on one line",
		}
	}
	sum := sha256.Sum256(text[:size])
	return &Block{JSON: v.out, Hash: hex.EncodeToString(sum[:]), Size: size, lines: v.lines}, nil
}

// cut returns the text between the two markers, and the size of the block.
func cut(text []byte) (inner string, size int, err error) {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	switch word := string(bytes.TrimRight(first, "\r")); {
	case bytes.HasPrefix(text, []byte("\ufeff")):
		return "", 0, &Error{1, 1, "the file begins with a byte order mark", "save it as UTF-8 without one"}
	case strings.TrimRight(word, " \t") == marker && word != marker:
		return "", 0, &Error{1, len(marker) + 1, "white space follows ---", "delete it"}
	case word != marker:
		return "", 0, &Error{1, 1, "the file does not begin with frontmatter", beginsSo}
	}
	size = len(first) + 1
	for number := 2; size < len(text); number++ {
		line, _, ended := bytes.Cut(text[size:], []byte("\n"))
		begin := size
		if size += len(line); ended {
			size++
		}
		if size > MaxBytes {
			return "", 0, &Error{number, 1, fmt.Sprintf("the frontmatter is larger than %d bytes", MaxBytes), "end it with a line ---, and move text into the body"}
		}
		word := string(bytes.TrimRight(line, "\r"))
		if word == marker {
			return string(text[len(first)+1 : begin]), size, nil
		}
		if err := checkLine(number, word); err != nil {
			return "", 0, err
		}
	}
	return "", 0, &Error{1, 1, "the frontmatter has no end", "write a line --- behind its last line"}
}

// checkLine refuses lines that end the block, or change how it is read, for some readers only.
func checkLine(number int, line string) error {
	switch {
	case strings.HasPrefix(line, marker):
		return &Error{number, 1, "a line begins with --- and goes on", "end the frontmatter with --- alone, or quote the text"}
	case strings.HasPrefix(line, "..."):
		return &Error{number, 1, "a line begins with ..., the end of a document in YAML", "end the frontmatter with ---"}
	case strings.HasPrefix(line, "%"):
		return &Error{number, 1, "a line begins with %, a directive in YAML", "delete it, or quote the text"}
	}
	for i, r := range line {
		_, width := utf8.DecodeRuneInString(line[i:])
		switch {
		case r == utf8.RuneError && width == 1:
			return &Error{number, i + 1, "the text is not UTF-8", "save the file as UTF-8"}
		case r < 0x20 && r != '\t', r >= 0x7f && r < 0xa0, r == '\u2028', r == '\u2029', r == '\ufeff':
			return &Error{number, i + 1, fmt.Sprintf("the character %U is a line break or forbidden, depending on the reader", r), "delete it"}
		}
	}
	return nil
}

// parse reads the mapping between the markers.
func parse(inner string) (*value, error) {
	loader, err := yaml.NewLoader(strings.NewReader(inner))
	if err != nil {
		return nil, fmt.Errorf("make reader of YAML: %w", err)
	}
	var doc yaml.Node
	switch err := loader.Load(&doc); {
	case errors.Is(err, io.EOF):
		return nil, &Error{2, 1, "the frontmatter is empty", beginsSo}
	case err != nil:
		return nil, readError(inner, err)
	}
	v := &value{lines: map[string]int{}}
	root := &doc
	if root.Kind == yaml.DocumentNode && len(root.Content) == 1 {
		root = root.Content[0]
	}
	if root.Kind != yaml.MappingNode {
		return nil, fault(root, "the frontmatter is no mapping of names to values", beginsSo)
	}
	if err := v.node(root, 0); err != nil {
		return nil, err
	}
	return v, nil
}

// readError returns an error of the YAML reader with its line.
func readError(inner string, err error) error {
	e := &Error{Line: 1, Column: 1, Problem: "YAML: " + strings.TrimPrefix(err.Error(), "yaml: "), Hint: `quote the value: "..."; a text with ": " or " #" needs quotes`}
	var at *yaml.LoadError
	if errors.As(err, &at) {
		e.Problem = "YAML: " + at.Message
		e.Line = min(max(at.Mark.Line, 1), strings.Count(inner, "\n")+1) + 1
		e.Column = max(at.Mark.Column, 1)
	}
	return e
}

// fault returns an error at a node.
func fault(n *yaml.Node, problem, hint string) *Error {
	return &Error{Line: n.Line + 1, Column: max(n.Column, 1), Problem: problem, Hint: hint}
}
