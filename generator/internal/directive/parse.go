package directive

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
)

// arguments reads the arguments of a directive into d and checks them against the table. Wrong
// arguments are reported and left out.
func (s *scanner) arguments(d *Directive, spec *Spec, rest string, origin token.Position) {
	scanned, problems := scanArgs(rest, func(name string) Kind {
		if k := spec.Key(name); k != nil {
			return k.Kind
		}
		return KindString
	})
	p := &reader{d: d, spec: spec, origin: origin, diags: s.diags, words: scanned}
	if spec.MinWords > 0 && len(scanned) > 0 && !scanned[0].equals {
		// Messages contain the name, so it is read first.
		p.word(scanned[0])
		p.words = scanned[1:]
	}
	for _, bad := range problems {
		p.errorf(bad.offset, bad.hint, "%s", bad.message)
	}
	for _, w := range p.words {
		if !p.stopped {
			p.word(w)
		}
	}
	if n := len(d.Words()); n < spec.MinWords && len(problems) == 0 {
		p.errorf(0, "write for example "+spec.Example, "%s is missing", spec.WordName)
	}
	p.exclusive()
}

type reader struct {
	d      *Directive
	spec   *Spec
	origin token.Position // position of the first argument
	diags  *diag.List
	words  []word
	// stopped is set at the first word of a description without quotes, so that the words after it
	// are not reported one by one.
	stopped bool
}

func (p *reader) errorf(offset int, hint, format string, args ...any) *diag.Diagnostic {
	e := p.diags.Errorf(shift(p.origin, offset), subject(p.d), format, args...)
	e.Hint = hint
	return e
}

func (p *reader) word(w word) {
	a := Arg{
		Key: w.key, Value: w.raw, raw: w.raw, Bare: !w.equals,
		Pos: shift(p.origin, w.start), ValuePos: shift(p.origin, w.value),
	}
	if v, ok := unquote(w.raw); ok {
		a.Value, a.Quoted = v, true
	}
	if w.equals {
		p.keyed(w, a)
	} else {
		p.positional(w, a)
	}
}

func (p *reader) positional(w word, a Arg) {
	count := len(p.d.Words())
	switch k := p.spec.Key(a.Value); {
	case a.Quoted && p.spec.Description:
		if _, twice := p.d.Description(); twice {
			p.errorf(w.start, "join the two strings", "two descriptions")
			return
		}
	case a.Quoted:
		hint := "it takes key=value and flags only"
		if p.spec.Key("description") != nil {
			hint = "write description=" + w.raw
		} else if len(p.spec.Keys) == 0 {
			hint = "write for example " + p.spec.Example
		}
		p.errorf(w.start, hint, "a string without a key")
		return
	case count < p.spec.MinWords:
	case k != nil && k.isFlag():
		p.flag(w, a, k)
		return
	case k != nil:
		p.errorf(w.start, fmt.Sprintf("write for example %s=%s", k.Name, k.Example), "%s has no value", k.Name)
		return
	case p.spec.MaxWords >= 0 && count >= p.spec.MaxWords, p.spec.TypeWord && !strings.Contains(a.Value, "."):
		p.unknown(w.start, a.Value, true)
		return
	}
	p.d.Args = append(p.d.Args, a)
}

func (p *reader) flag(w word, a Arg, k *Key) {
	a.Key, a.Value, a.Bare = a.Value, "true", false
	if p.usable(w, a, k) {
		p.d.Args = append(p.d.Args, a)
	}
}

func (p *reader) keyed(w word, a Arg) {
	k := p.spec.Key(a.Key)
	if k == nil {
		if p.spec.FreeKeys == "" {
			p.unknown(w.start, a.Key, false)
			return
		}
		k = &Key{Name: a.Key, Kind: KindString, Built: true}
	}
	if !p.usable(w, a, k) {
		return
	}
	if bad := checkValue(k, a); bad != nil {
		p.errorf(w.value+bad.offset, bad.hint, "%s", bad.message)
		return
	}
	p.d.Args = append(p.d.Args, a)
}

// usable reports whether a known key is allowed here.
func (p *reader) usable(w word, a Arg, k *Key) bool {
	if !k.Built {
		p.errorf(w.start, "leave it out for now; mcpgen help directives lists what is built", "%s is not built yet", k.Name)
		return false
	}
	if other, twice := p.d.Get(k.Name); twice {
		e := p.errorf(w.start, "keep one of the two", "%s given twice", k.Name)
		e.Related = []diag.Related{{Pos: other.Pos, Message: "the other one"}}
		return false
	}
	return true
}

// unknown reports a key or word that the directive does not take.
func (p *reader) unknown(offset int, name string, bare bool) {
	what := "unknown key"
	if bare {
		what = "unknown word"
	}
	known := p.spec.keyNames()
	hint := didYouMean(name, known)
	switch before, _, colon := strings.Cut(name, ":"); {
	case !bare && name == "description" && p.spec.Description:
		hint = fmt.Sprintf(`the text follows the name: //mcp:%s NAME "text"`, p.spec.Word)
	case hint != "":
	case p.spec.otherNames(name) != "":
		hint = "did you mean " + p.spec.otherNames(name) + "?"
	case bare && p.spec.Description:
		hint = "quote the description"
		p.stopped = true
	case bare && strings.HasPrefix(name, "//"):
		hint = "a directive takes the whole line: move the comment to a line of its own"
	case bare && colon && p.spec.Key(before) != nil:
		hint = fmt.Sprintf("write %s=VALUE", before)
	case p.elsewhere(name) != "":
		hint = "it belongs to //mcp:" + p.elsewhere(name)
	case len(known) == 0 && p.spec.MaxWords != 0:
		hint = "write for example " + p.spec.Example
	case len(known) == 0:
		hint = "it takes no arguments"
	case bare && !p.spec.acceptsFlags():
		hint = "it takes key=value: " + join(known, "and")
	default:
		hint = "it takes " + join(known, "and")
	}
	p.errorf(offset, hint, "%s %q", what, name)
}

// validatorKeys maps keys of validators and other schemas to keys of JSON Schema.
var validatorKeys = map[string][]string{
	"min": {"minimum", "minLength", "minItems"}, "max": {"maximum", "maxLength", "maxItems"},
	"gte": {"minimum"}, "ge": {"minimum"}, "lte": {"maximum"}, "le": {"maximum"}, "gt": {"exclusiveMinimum"}, "lt": {"exclusiveMaximum"},
	"len": {"minLength", "maxLength"}, "size": {"minItems", "maxItems"}, "oneof": {"enum"}, "values": {"enum"}, "options": {"enum"},
	"regex": {"pattern"}, "regexp": {"pattern"}, "match": {"pattern"}, "step": {"multipleOf"}, "unique": {"uniqueItems"},
}

// otherNames returns the keys of the directive that another validator calls by that name, or "".
func (s *Spec) otherNames(name string) string {
	var names []string
	for _, meant := range validatorKeys[strings.ToLower(name)] {
		if s.Key(meant) != nil {
			names = append(names, meant)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return join(names, "or")
}

func (s *Spec) acceptsFlags() bool {
	for _, k := range s.Keys {
		if k.isFlag() {
			return true
		}
	}
	return false
}

// elsewhere returns the directive that takes the key.
func (p *reader) elsewhere(name string) string {
	for _, s := range table() {
		if s != p.spec && s.Key(name) != nil {
			return s.Word
		}
	}
	return ""
}

// exclusive reports flags that contradict each other.
func (p *reader) exclusive() {
	for _, pair := range exclusive {
		a, _ := p.d.Get(pair[0])
		b, _ := p.d.Get(pair[1])
		if a.Value == "true" && b.Value == "true" && p.spec.Key(pair[0]).Kind == KindFlag {
			e := p.diags.Errorf(b.Pos, subject(p.d), "%s contradicts %s", pair[1], pair[0])
			e.Hint = "keep one of the two"
			e.Related = []diag.Related{{Pos: a.Pos, Message: pair[0]}}
		}
	}
}
