package frontmatter

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// maxNodes limits the values of a block that [Read] accepts, each counted once for every alias of
// it.
const maxNodes = 10_000

// Read reads the block at the beginning of a text as a host does, for skills of any server: it
// accepts every value that the core schema of YAML 1.2 gives a meaning in JSON, also those that
// [Parse] refuses. It returns an object, and the offset of the body. If the last value ends in a
// line break because of the line break in front of the closing ---, other contains the object for
// readers that drop that line break; otherwise it is nil.
func Read(text []byte) (object, other []byte, body int, err error) {
	inner, body, err := cutLoosely(text)
	if err != nil {
		return nil, nil, 0, err
	}
	if object, err = core(inner); err != nil {
		return nil, nil, 0, err
	}
	short, err := core(strings.TrimRight(inner, "\n"))
	if err == nil && !bytes.Equal(short, object) {
		other = short
	}
	return object, other, body, nil
}

// cutLoosely is like cut, for texts that begin with a byte order mark, have white space behind ---,
// or lines that end in CR LF.
func cutLoosely(text []byte) (inner string, body int, err error) {
	rest := bytes.TrimPrefix(text, []byte("\ufeff"))
	begin := len(text) - len(rest)
	end := begin
	for number := 1; end < len(text); number++ {
		line, _, ended := bytes.Cut(text[end:], []byte("\n"))
		at := end
		if end += len(line); ended {
			end++
		}
		isMarker := string(bytes.TrimRight(line, " \t\r")) == marker
		switch {
		case number == 1 && !isMarker:
			return "", 0, &Error{1, 1, "the file does not begin with frontmatter", beginsSo}
		case number == 1:
			begin = end
		case isMarker:
			inner = strings.ReplaceAll(string(text[begin:at]), "\r\n", "\n")
			if !utf8.ValidString(inner) {
				return "", 0, &Error{1, 1, "the frontmatter is not UTF-8", "save the file as UTF-8"}
			}
			return inner, end, nil
		case end > MaxBytes:
			return "", 0, &Error{number, 1, fmt.Sprintf("the frontmatter is larger than %d bytes", MaxBytes), "end it with a line ---, and move text into the body"}
		}
	}
	return "", 0, &Error{1, 1, "the frontmatter has no end", "write a line --- behind its last line"}
}

// core reads a mapping by the core schema.
func core(inner string) ([]byte, error) {
	loader, err := yaml.NewLoader(strings.NewReader(inner))
	if err != nil {
		return nil, fmt.Errorf("make reader of YAML: %w", err)
	}
	var doc yaml.Node
	if err := loader.Load(&doc); err != nil {
		return nil, readError(inner, err)
	}
	root := &doc
	if root.Kind == yaml.DocumentNode && len(root.Content) == 1 {
		root = root.Content[0]
	}
	if root.Kind != yaml.MappingNode {
		return nil, fault(root, "the frontmatter is no mapping of names to values", beginsSo)
	}
	w := coreWriter{}
	if err := w.node(root, 0); err != nil {
		return nil, err
	}
	return w.out.out, nil
}

// coreWriter writes values of the core schema as JSON.
type coreWriter struct {
	out   value
	nodes int
}

func (w *coreWriter) node(n *yaml.Node, depth int) error {
	if w.nodes++; w.nodes > maxNodes {
		return fault(n, fmt.Sprintf("the frontmatter has more than %d values", maxNodes), "move some into a file of the skill")
	}
	if depth > maxDepth {
		return fault(n, fmt.Sprintf("values are nested more than %d times", maxDepth), "write it flatter")
	}
	switch n.Kind {
	case yaml.AliasNode:
		if n.Alias == nil {
			return fault(n, "an alias of nothing", "write the value itself")
		}
		return w.node(n.Alias, depth+1)
	case yaml.MappingNode:
		return w.mapping(n, depth)
	case yaml.SequenceNode:
		w.out.out = append(w.out.out, '[')
		for i, item := range n.Content {
			if i > 0 {
				w.out.out = append(w.out.out, ',')
			}
			if err := w.node(item, depth+1); err != nil {
				return err
			}
		}
		w.out.out = append(w.out.out, ']')
		return nil
	case yaml.ScalarNode:
		return w.scalar(n)
	}
	return fault(n, "a value of unknown kind", "quote it")
}

func (w *coreWriter) mapping(n *yaml.Node, depth int) error {
	seen := map[string]bool{}
	w.out.out = append(w.out.out, '{')
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind == yaml.AliasNode && key.Alias != nil {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode {
			return fault(key, "a name that is no text", "write a name before the colon")
		}
		if seen[key.Value] {
			return fault(key, fmt.Sprintf("%s is written twice", key.Value), "keep one of the two")
		}
		seen[key.Value] = true
		if i > 0 {
			w.out.out = append(w.out.out, ',')
		}
		w.out.text(key.Value)
		w.out.out = append(w.out.out, ':')
		if err := w.node(n.Content[i+1], depth+1); err != nil {
			return err
		}
	}
	w.out.out = append(w.out.out, '}')
	return nil
}

// The plain scalars of the core schema (YAML 1.2.2, section 10.3.2).
var (
	coreNull    = regexp.MustCompile(`^(null|Null|NULL|~|)$`)
	coreTrue    = regexp.MustCompile(`^(true|True|TRUE)$`)
	coreFalse   = regexp.MustCompile(`^(false|False|FALSE)$`)
	coreInteger = regexp.MustCompile(`^[-+]?[0-9]+$`)
	coreBased   = regexp.MustCompile(`^(0o[0-7]+|0x[0-9a-fA-F]+)$`)
	coreFloat   = regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	coreNoJSON  = regexp.MustCompile(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
)

// The tags of the core schema, as a node has them after reading.
const (
	tagText  = "!!str"
	maxFloat = 400 // characters of a number
)

func (w *coreWriter) scalar(n *yaml.Node) error {
	s := n.Value
	tagged := n.Style&yaml.TaggedStyle != 0
	switch {
	case tagged && n.Tag == tagText || !tagged && !isPlain(n):
		w.out.text(s)
		return nil
	case tagged:
		return fault(n, fmt.Sprintf("a tag %s, which JSON cannot express", n.Tag), "delete it, and quote the value if it is text")
	case coreNull.MatchString(s):
		w.out.out = append(w.out.out, "null"...)
	case coreTrue.MatchString(s):
		w.out.out = append(w.out.out, "true"...)
	case coreFalse.MatchString(s):
		w.out.out = append(w.out.out, "false"...)
	case coreNoJSON.MatchString(s):
		return fault(n, fmt.Sprintf("%s has no form in JSON", s), fmt.Sprintf("quote it if it is text: %q", s))
	case coreInteger.MatchString(s), coreBased.MatchString(s), coreFloat.MatchString(s):
		text, err := number(s)
		if err != nil {
			return fault(n, fmt.Sprintf("the number %.40s: %v", s, err), fmt.Sprintf("quote it if it is text: %.40q", s))
		}
		w.out.out = append(w.out.out, text...)
	default:
		w.out.text(s)
	}
	return nil
}

// number returns a number of the core schema as JSON has it.
func number(s string) (string, error) {
	if len(s) > maxFloat {
		return "", errors.New("it is too long")
	}
	if coreBased.MatchString(s) {
		i, ok := new(big.Int).SetString(s, 0)
		if !ok {
			return "", errors.New("it cannot be read")
		}
		return i.String(), nil
	}
	sign := ""
	if s[0] == '-' || s[0] == '+' {
		sign, s = strings.TrimPrefix(s[:1], "+"), s[1:]
	}
	mantissa, exponent := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent = s[:i], s[i:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	return sign + whole + fraction + exponent, nil
}
