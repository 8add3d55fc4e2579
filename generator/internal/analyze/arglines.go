package analyze

import (
	"go/token"
	"slices"

	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/keyword"
)

// homeOf is the analyzer of the package whose source has a position.
func (a *analyzer) homeOf(pos token.Position) *analyzer {
	for _, source := range a.sources {
		if source.holds(pos) {
			return source
		}
	}
	return a
}

// joinLines joins //mcp:arg lines of two places: the nearer ones win, key by key.
func joinLines(near, far []*directive.Directive) []*directive.Directive {
	all := slices.Clone(near)
	for _, line := range far {
		i := slices.IndexFunc(all, func(l *directive.Directive) bool { return l.Name() == line.Name() })
		if i < 0 {
			all = append(all, line)
		} else {
			all[i] = joinLine(all[i], line)
		}
	}
	return all
}

// joinLine completes a line by one further away.
func joinLine(near, far *directive.Directive) *directive.Directive {
	joined := *near
	joined.Args = slices.Clone(near.Args)
	for _, arg := range far.Args {
		if !settles(near, arg) {
			joined.Args = append(joined.Args, arg)
		}
	}
	return &joined
}

// settles reports whether a line says what an argument of another one says, or that there is nothing to say.
func settles(line *directive.Directive, arg directive.Arg) bool {
	if arg.Bare && !arg.Quoted || hides(line) {
		return true
	}
	if arg.Bare {
		_, set := line.Description()
		return set
	}
	return slices.ContainsFunc(append(rivals[arg.Key], arg.Key), line.Has)
}

// rivals are the keys of a line with which one of another line has no meaning.
var rivals = map[string][]string{
	"required":      {"optional", "default"},
	"optional":      {"required"},
	"default":       {"required"},
	"enum":          {keyword.Choices},
	keyword.Choices: {"enum"},
}

// hides reports whether a line keeps its argument from being published.
func hides(line *directive.Directive) bool {
	omit, _ := line.Flag("omit")
	by, filled := line.String("inject")
	return omit || line.Has("fixed") || filled && by != published
}
