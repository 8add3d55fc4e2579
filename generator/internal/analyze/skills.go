package analyze

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/embedded"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/generator/internal/skills"
	"github.com/mcpgen/mcpgen/internal/frontmatter"
	"github.com/mcpgen/mcpgen/internal/skill"
)

const skillForms = "annotate a variable of type embed.FS with //go:embed, or a function: func(ctx context.Context) (string, error)"

// collectSkills turns every //mcp:skill into skills of the model.
func (a *analyzer) collectSkills() {
	for _, d := range a.selected("skill") {
		at := diag.Place{Pos: d.dir.Pos, Subject: "skill " + d.set.Name}
		words := d.dir.Words()
		if len(words) == 0 {
			continue // refused before
		}
		s := &model.Skills{URI: words[0].Value, Symbol: a.symbol(d.set.Symbol), Pos: d.dir.Pos, Groups: a.settingsFor(d).groups}
		if groups, set := d.dir.List("group"); set {
			s.Groups = groups
		}
		var ok bool
		s.Scopes, ok = a.scopesOver(a.settingsFor(d).scopes, d.dir, at, true)
		ok = a.visible(s.URI, "URI", at.At(words[0].ValuePos)) && ok
		ok = a.skillTools(s, d, at) && ok
		ok = a.skillLines(d, at) && ok
		if d.set.Target == directive.Var {
			ok = a.skillTree(s, d, words[0], at) && ok
		} else {
			ok = a.skillFunc(s, d, words[0], at) && ok
		}
		if ok {
			a.out.Skills = append(a.out.Skills, s)
		}
	}
}

// skillLines refuses directives that have no effect on skills.
func (a *analyzer) skillLines(d declared, at diag.Place) bool {
	ok := true
	for _, word := range []string{"arg", "params", "result", "doc"} {
		line := d.set.Get(word)
		switch {
		case line == nil, word == "doc" && d.set.Target != directive.Var:
			continue
		case slices.ContainsFunc([]string{"tool", "resource", "prompt"}, func(other string) bool { return d.set.Get(other) != nil }):
			continue // it is about the other feature
		case word == "doc":
			a.diags.Errorf(line.Pos, at.Subject, "the frontmatter of each SKILL.md describes its skill, and this text is not published").Hint = "delete the line"
		default:
			a.diags.Errorf(line.Pos, at.Subject, "a skill has no arguments and no results").Hint = "delete the line"
		}
		ok = false
	}
	return ok
}

// skillTools reads tools=. The tools of all packages are known.
func (a *analyzer) skillTools(s *model.Skills, d declared, at diag.Place) bool {
	arg, set := d.dir.Get("tools")
	if !set {
		return true
	}
	ok := true
	for _, item := range arg.Names() {
		var found, named []string
		var known []string
		for _, t := range a.out.Tools {
			known = append(known, t.Name)
			switch {
			case t.Name == item.Value:
				found = append(found, t.Name)
			case t.Func.Pkg == a.pkgOf() && t.Func.Name == item.Value:
				named = append(named, t.Name)
			}
		}
		if len(found) == 0 {
			found = named
		}
		switch {
		case len(found) == 1:
			if !slices.Contains(s.Tools, found[0]) {
				s.Tools = append(s.Tools, found[0])
			}
			continue
		case len(found) > 1:
			a.diags.Errorf(item.Pos, at.Subject, "%s is the Go name of several tools", item.Value).Hint = "write the published name: " + strings.Join(found, " or ")
		default:
			e := a.diags.Errorf(item.Pos, at.Subject, "the server has no tool %s", item.Value)
			e.Hint = "name a tool that this package emits, by its published or its Go name"
			if near := diag.Nearest(item.Value, known); near != "" {
				e.Hint = "did you mean " + near + "?"
			}
		}
		ok = false
	}
	slices.Sort(s.Tools)
	return ok
}

// skillTree reads the files of a variable.
func (a *analyzer) skillTree(s *model.Skills, d declared, uri directive.Arg, at diag.Place) bool {
	obj, spec := a.object(d.set), d.set.Node.(*ast.ValueSpec)
	fail := func(hint, format string, args ...any) bool {
		a.diags.Errorf(at.Pos, at.Subject, format, args...).Hint = hint
		return false
	}
	switch {
	case len(spec.Names) > 1:
		return fail("declare them apart", "%d variables are declared here, and the directive is about one", len(spec.Names))
	case obj == nil || obj.Name() == "_":
		return fail(skillForms, "a variable without a name has no files")
	case !isEmbedFS(obj.Type()):
		return fail(skillForms, "a value of type %s cannot contain skills", a.shortType(obj.Type()))
	case !a.exported(obj, "the value", at):
		return false
	}
	if !strings.HasSuffix(s.URI, "/") {
		s.URI += "/"
	}
	if err := skill.CheckPrefix(s.URI); err != nil {
		a.diags.Errorf(uri.ValuePos, at.Subject, "%v", err).Hint = "write the begin of the skills' URIs, such as skill://acme/; the directories below it are named as in the files"
		return false
	}
	patterns, err := embedded.Patterns(d.set.File, spec)
	if err != nil {
		return fail("write paths, with spaces between them", "%v", err)
	}
	if len(patterns) == 0 {
		return fail("write //go:embed DIRECTORY above the variable", "the variable has no //go:embed, so it has no files")
	}
	files, err := embedded.Files(a.pkg.Dir, patterns)
	if e, ok := errors.AsType[*embedded.Error](err); ok {
		a.diags.Errorf(a.position(e.Pattern.Pos), at.Subject, "%v", e).Hint = e.Hint
		return false
	}
	if err != nil {
		return fail("make the directory readable", "%v", err)
	}
	ok := true
	for _, link := range files.Links {
		a.diags.Errorf(token.Position{Filename: a.fileOfSkill(link)}, at.Subject, "the file is a link or another irregular file, which go:embed leaves out").
			Hint = "write the file itself"
		ok = false
	}
	s.Pkg, s.Name = a.pkgOf(), obj.Name()
	tree, problems := skills.Read(os.DirFS(a.pkg.Dir), files.Files, files.Root)
	return a.skillProblems(s, problems, at) && a.skillsOf(s, tree, at) && ok
}

// fileOfSkill returns the absolute path of an embedded file.
func (a *analyzer) fileOfSkill(name string) string {
	return filepath.Join(a.pkg.Dir, filepath.FromSlash(name))
}

// skillProblems reports errors, and keeps warnings for mcpgen vet.
func (a *analyzer) skillProblems(s *model.Skills, problems []skills.Problem, at diag.Place) bool {
	ok := true
	for _, p := range problems {
		pos, subject := at.Pos, at.Subject
		if p.File != "" {
			pos = token.Position{Filename: a.fileOfSkill(p.File), Line: p.Line, Column: p.Column}
		}
		if p.Skill != "" {
			subject = "skill " + p.Skill
		}
		if p.Rule != "" {
			s.Warnings = append(s.Warnings, model.SkillWarning{Pos: pos, Rule: p.Rule, Subject: subject, Message: p.Message, Hint: p.Hint})
			continue
		}
		a.diags.Errorf(pos, subject, "%s", p.Message).Hint = p.Hint
		ok = false
	}
	return ok
}

// skillsOf adds the skills of a tree to the model.
func (a *analyzer) skillsOf(s *model.Skills, tree *skills.Tree, at diag.Place) bool {
	ok := true
	s.Root = tree.Root
	for _, found := range tree.Skills {
		one := &model.Skill{
			URI: skill.FileURI(s.URI, found.Path), Path: found.Path, Name: found.Name, Description: found.Description,
			Frontmatter: string(found.Frontmatter), Hash: found.Hash, Of: s,
		}
		if _, err := skill.CheckURI(one.URI); err != nil {
			a.diags.Errorf(at.Pos, "skill "+found.Path, "%v", err).Hint = "rename the directory"
			ok = false
		}
		for _, f := range found.Files {
			one.Files = append(one.Files, model.SkillFile{URI: skill.FileURI(one.URI, f.Path), Digest: f.Digest, Size: f.Size})
		}
		s.All = append(s.All, one)
	}
	for _, n := range tree.Names {
		pos := token.Position{Filename: a.fileOfSkill(n.File), Line: n.Line, Column: n.Column}
		s.Mentions = append(s.Mentions, model.SkillMention{Pos: pos, Name: n.Name, Server: n.Server, Called: n.Called})
	}
	return ok
}

// skillFunc describes the skill of a function.
func (a *analyzer) skillFunc(s *model.Skills, d declared, uri directive.Arg, at diag.Place) bool {
	name, err := skill.CheckURI(s.URI)
	if err != nil {
		a.diags.Errorf(uri.ValuePos, at.Subject, "%v", err).Hint = "write the URI of the one skill, such as skill://reports/daily"
		return false
	}
	fn := a.annotated(d, at)
	if fn == nil {
		return false
	}
	settings := a.settingsFor(d)
	s.Func = &model.SkillFunc{HideErrors: settings.hideErrors, Timeout: settings.timeout}
	var ok bool
	if s.Func.Func, ok = a.function(fn, d, at); !ok {
		return false
	}
	if r := s.Func.Receiver; r != nil && !r.Passed() {
		a.diags.Errorf(at.Pos, at.Subject, "the receiver is made for each call, and a skill is the same for all callers").Hint = "annotate a function, or a method of a type that RegisterMCP gets"
		return false
	}
	if !a.skillSignature(s.Func, fn, at) {
		return false
	}
	one := &model.Skill{URI: s.URI, Name: name, Description: strings.TrimSpace(a.featureDescription(d)), Of: s}
	one.Block = "---\nname: " + quoted(name) + "\ndescription: " + quoted(one.Description) + "\n---\n"
	block, err := frontmatter.Parse([]byte(one.Block))
	if err == nil {
		one.Frontmatter = string(block.JSON)
		_, err = skill.ParseFrontmatter(block.JSON, name)
	}
	if err != nil {
		a.diags.Errorf(at.Pos, at.Subject, "%v", err).Hint = "describe in the doc comment, or by //mcp:doc, what the skill does and when to use it, in at most 1024 characters"
		return false
	}
	s.All = []*model.Skill{one}
	return true
}

// quoted returns a text as JSON, which YAML reads as a text in double quotes.
func quoted(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string has a JSON form, and the buffer takes it
	return strings.TrimSuffix(b.String(), "\n")
}

// skillSignature checks the parameters and results of a function.
func (a *analyzer) skillSignature(f *model.SkillFunc, fn *types.Func, at diag.Place) bool {
	sig := fn.Signature()
	params, results := sig.Params(), sig.Results()
	f.Context = params.Len() == 1 && isContext(params.At(0).Type())
	f.Error = results.Len() == 2 && types.Identical(results.At(1).Type(), types.Universe.Lookup("error").Type())
	switch {
	case params.Len() > 1, params.Len() == 1 && !f.Context:
		a.diags.Errorf(at.Pos, at.Subject, "the function of a skill has no parameters other than a context").Hint = "write func(ctx context.Context) (string, error)"
	case results.Len() == 0, results.Len() > 2, results.Len() == 2 && !f.Error, !types.Identical(results.At(0).Type(), types.Typ[types.String]):
		a.diags.Errorf(at.Pos, at.Subject, "the function does not return the text of a skill").Hint = "return a string, or a string and an error"
	default:
		return true
	}
	return false
}

// finishSkills puts the skills in the order of their URIs, and refuses URIs that two features
// have.
func (a *analyzer) finishSkills() {
	slices.SortFunc(a.out.Skills, func(x, y *model.Skills) int {
		return cmp.Or(cmp.Compare(x.URI, y.URI), cmp.Compare(x.Symbol, y.Symbol))
	})
	uris := a.claims()
	for _, r := range a.out.Resources {
		uris.first[shape(r.URI)] = claim{"resource " + r.Symbol(), r.Symbol(), r.Pos}
	}
	for _, s := range a.out.Skills {
		for _, one := range s.All {
			by := claim{"skill " + s.Symbol, s.Symbol, s.Pos}
			uris.take(shape(one.URI+"/"+skill.File), "the skill "+one.URI+" is already published", "give one of them another URI", by)
			for _, other := range a.out.Skills {
				if other == s {
					continue
				}
				for _, outer := range other.All {
					if outer.Path != "" && strings.HasPrefix(one.URI, outer.URI+"/") {
						a.diags.Errorf(s.Pos, by.subject, "the skill %s is inside of the skill %s, which has the files of %s alone", one.URI, outer.URI, other.Symbol).
							Relate(other.Pos, "the outer skill").Hint = "give it a URI beside the other skill"
					}
				}
			}
		}
	}
}
