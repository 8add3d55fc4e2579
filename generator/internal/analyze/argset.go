package analyze

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// argSet are the //mcp:arg lines of one feature.
type argSet struct {
	own []*directive.Directive // lines of the feature itself
	far []*directive.Directive // lines of its receiver type and of packages, nearer ones first
	all []*directive.Directive // own, completed by far

	lines   []*directive.Directive // without the lines for parameters that are not arguments
	leftOut []*model.Param         // by _ in //mcp:params
	inline  *directive.Directive   // for a receiver that is made of arguments
}

// about reports whether a line names a parameter or something inside of it.
func about(line *directive.Directive, name string) bool {
	first, _, _ := strings.Cut(line.Name(), ".")
	return first == name && name != "" && name != "_"
}

// omits reports whether a line leaves the parameter out, not only a part of it.
func (s *argSet) omits(name string) bool {
	return slices.ContainsFunc(s.lines, func(l *directive.Directive) bool {
		v, _ := l.Flag("omit")
		return v && l.Name() == name && name != "_"
	})
}

// shorten removes the name of the only parameter from the names of its fields. The names may
// include it, since the fields of one parameter among several need it.
func (s *argSet) shorten(param string, object *model.Type) {
	if param == "" || slices.ContainsFunc(object.Fields, func(f *model.Field) bool { return f.Name == param }) {
		return
	}
	lines := slices.Clone(s.lines)
	for i, line := range lines {
		rest, found := strings.CutPrefix(line.Name(), param+".")
		if !found {
			continue
		}
		c := *line
		c.Args = slices.Clone(line.Args)
		for j, arg := range c.Args {
			if arg.Bare && !arg.Quoted {
				c.Args[j].Value = rest
				break
			}
		}
		lines[i] = &c
	}
	s.lines = lines
}

// fixes returns the line that fixes the value of a parameter, or nil.
func (s *argSet) fixes(name string) *directive.Directive {
	i := slices.IndexFunc(s.all, func(l *directive.Directive) bool { return l.Has("fixed") && l.Name() == name && name != "_" })
	if i < 0 {
		return nil
	}
	return s.all[i]
}

// take removes the lines for a parameter that is not an argument, and returns them.
func (s *argSet) take(p *model.Param) []*directive.Directive {
	if p.Source == model.FromArgument || p.Source == model.FromWhole {
		return nil
	}
	var taken, left []*directive.Directive
	for _, l := range s.lines {
		if about(l, p.Name) {
			taken = append(taken, l)
		} else {
			left = append(left, l)
		}
	}
	s.lines = left
	return taken
}
