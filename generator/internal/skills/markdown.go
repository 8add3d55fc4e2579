package skills

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/skill"
)

// line is a line of Markdown outside of fenced code.
type line struct {
	number int
	text   string
}

// prose returns the lines of a Markdown text without the fenced code.
func prose(text string) []line {
	var lines []line
	fence, number := "", 0
	for l := range strings.SplitSeq(text, "\n") {
		number++
		word := strings.TrimLeft(l, " \t>")
		mark := ""
		if strings.HasPrefix(word, "```") || strings.HasPrefix(word, "~~~") {
			mark = word[:len(word)-len(strings.TrimLeft(word, word[:1]))]
		}
		switch {
		case fence == "" && mark != "":
			fence = mark
		case fence == "":
			lines = append(lines, line{number, strings.TrimRight(l, "\r")})
		case strings.HasPrefix(mark, fence) && strings.TrimSpace(word) == mark:
			fence = ""
		}
	}
	return lines
}

var (
	codeSpan  = regexp.MustCompile("`([^`]+)`")
	inline    = regexp.MustCompile(`\]\(\s*(<[^<>]*>|[^\s()<>]+(?:\([^\s()]*\)[^\s()]*)*)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)`)
	reference = regexp.MustCompile(`^ {0,3}\[[^\[\]]+\]:\s*(<[^<>]*>|\S+)`)
	hasScheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)
	pathWord  = regexp.MustCompile(`^(?:\./)?[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+/?$`)
)

// links checks that references of a SKILL.md lead to files of its skill: links, and paths in code
// whose first directory the skill has.
func (r *reader) links(s *Skill, dir, text string, names []string) {
	main := path.Join(dir, skill.File)
	check := func(number, column int, target string) {
		p := Problem{File: main, Line: number, Column: column, Skill: s.Path, Rule: RuleLink, Hint: "write the file, or correct the path, which begins at the directory of the skill"}
		if hidden := slices.ContainsFunc(strings.Split(target, "/"), func(e string) bool {
			return e != "." && e != ".." && (strings.HasPrefix(e, ".") || strings.HasPrefix(e, "_"))
		}); hidden {
			p.Hint += "; go:embed leaves names out that begin with . or _, unless its pattern begins with all:"
		}
		to := path.Join(dir, target)
		_, inside := below(dir, to)
		switch there := slices.ContainsFunc(names, func(name string) bool { return name == to || strings.HasPrefix(name, to+"/") }); {
		case to != dir && !inside:
			p.Message = fmt.Sprintf("%s leads out of the skill, and hosts read the files of the skill alone", target)
			p.Hint = "move the file into the skill"
			r.add(p)
		case !there:
			p.Message = fmt.Sprintf("%s leads to no file of the skill", target)
			r.add(p)
		}
	}
	for _, l := range prose(text) {
		for _, span := range codeSpan.FindAllStringSubmatchIndex(l.text, -1) {
			code := l.text[span[2]:span[3]]
			for word := range strings.FieldsSeq(code) {
				word = strings.TrimRight(word, ".,;:")
				first, _, _ := strings.Cut(strings.TrimPrefix(word, "./"), "/")
				if pathWord.MatchString(word) && hasDirectory(dir, first, names) {
					check(l.number, span[2]+strings.Index(code, word)+1, strings.TrimSuffix(word, "/"))
				}
			}
		}
		plain := codeSpan.ReplaceAllStringFunc(l.text, func(code string) string { return strings.Repeat(" ", len(code)) })
		targets := inline.FindAllStringSubmatchIndex(plain, -1)
		if m := reference.FindStringSubmatchIndex(plain); m != nil {
			targets = append(targets, m)
		}
		for _, m := range targets {
			if target, ok := localTarget(plain[m[2]:m[3]]); ok {
				check(l.number, m[2]+1, target)
			}
		}
	}
}

// hasDirectory reports whether a skill has a directory of that name.
func hasDirectory(dir, name string, names []string) bool {
	return slices.ContainsFunc(names, func(file string) bool { return strings.HasPrefix(file, path.Join(dir, name)+"/") })
}

// localTarget returns the path of a link, and whether it leads to a file beside the text.
func localTarget(target string) (string, bool) {
	target = strings.TrimSuffix(strings.TrimPrefix(target, "<"), ">")
	if target == "" || hasScheme.MatchString(target) || strings.ContainsAny(target[:1], "#/?") {
		return "", false
	}
	if i := strings.IndexAny(target, "?#"); i >= 0 {
		target = target[:i]
	}
	if plain, err := url.PathUnescape(target); err == nil {
		target = plain
	}
	return strings.TrimSuffix(target, "/"), true
}

// Name is a name in the text of a skill that may be meant as a tool.
type Name struct {
	Name         string
	Server       string // of names that hosts make, mcp__SERVER__NAME, otherwise ""
	File         string
	Line, Column int
	// Called is set if the words beside it say that it is a tool.
	Called bool
}

var (
	// toolName matches names in snake case, and those that hosts give to tools of servers.
	toolName = regexp.MustCompile(`^(?:mcp__([A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*)__)?([a-z][a-z0-9]*(?:_[a-z0-9]+)+)(?:\(.*\))?$`)
	before   = regexp.MustCompile(`(?i)\b(tools?|call|calls|calling)\s*:?\s*$`)
	after    = regexp.MustCompile(`(?i)^\s*(tools?)\b`)
)

// namesIn returns the code spans of a Markdown text that may be names of tools: words in snake
// case, as functions are published.
func namesIn(file, text string) (all []Name) {
	for _, l := range prose(text) {
		for _, span := range codeSpan.FindAllStringSubmatchIndex(l.text, -1) {
			m := toolName.FindStringSubmatch(strings.TrimSpace(l.text[span[2]:span[3]]))
			if m == nil {
				continue
			}
			all = append(all, Name{
				Name: m[2], Server: m[1], File: file, Line: l.number, Column: span[2] + 1,
				Called: before.MatchString(l.text[:span[0]]) || after.MatchString(l.text[span[1]:]),
			})
		}
	}
	return all
}
