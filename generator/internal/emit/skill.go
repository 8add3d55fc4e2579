package emit

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/internal/codec"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

const skillPath = "github.com/mcpgen/mcpgen/runtime/mcpskill"

// skill returns a qualified name of package mcpskill.
func (g *generator) skill(name string) code { return g.qualified(skillPath, "mcpskill", name) }

// skillInfo returns the identifier of the description of skills.
func (g *generator) skillInfo(s *model.Skills) string {
	if name, ok := g.skills[s]; ok {
		return name
	}
	taken := func(name string) bool {
		for _, other := range g.skills {
			if other == name {
				return true
			}
		}
		return g.p.Types != nil && g.p.Types.Scope().Lookup(name) != nil
	}
	stem := s.Name
	if s.Func != nil {
		if r := s.Func.Receiver; r != nil {
			stem = r.TypeName + "_"
		}
		stem += s.Func.Name
	}
	stem = "mcpSkill" + codec.Camel(stem)
	name := stem
	for n := 2; taken(name); n++ {
		name = stem + strconv.Itoa(n)
	}
	g.skills[s] = name
	return name
}

// skillInfos prints the descriptions of all skills.
func (g *generator) skillInfos() {
	for _, s := range g.p.Skills {
		var l items
		l.put("URI", text(s.URI))
		if s.Func == nil {
			l.put("Root", jen.Lit(s.Root))
		} else {
			l.put("Frontmatter", jen.Index().Byte().Call(g.frontmatter(s.All[0])))
		}
		l.list("Groups", s.Groups)
		l.list("Scopes", s.Scopes)
		l.list("Tools", s.Tools)
		l.put("Symbol", text(s.Symbol))
		name := g.skillInfo(s)
		if s.Func != nil {
			g.add(name+" describes the skill "+strconv.Quote(s.URI)+" (func "+s.Symbol+").", define(name, g.skill("Info").Add(composite(true, l...))))
			continue
		}
		var blocks []jen.Code
		for _, one := range s.All {
			var b items
			b.put("Path", text(one.Path))
			b.put("Frontmatter", g.frontmatter(one))
			b.put("Hash", jen.Lit(one.Hash))
			blocks = append(blocks, composite(true, b...))
		}
		l.put("Blocks", jen.Index().Add(g.skill("Block"), composite(true, blocks...)))
		g.add(name+" describes the skills of "+s.Symbol+" below "+strconv.Quote(s.URI)+".", define(name, g.skill("TreeInfo").Add(composite(true, l...))))
	}
}

// frontmatter returns the frontmatter of a skill as a text.
func (g *generator) frontmatter(s *model.Skill) code {
	return g.longText(breakJSON(s.Frontmatter, len("Frontmatter: "), lineWidth-30), 4)
}

// registerSkills returns the statements of RegisterMCP for skills.
func (g *generator) registerSkills() []jen.Code {
	var out []jen.Code
	for _, s := range g.p.Skills {
		if s.Func == nil {
			tree := g.skill("Tree").Call(jen.Op("&").Id(g.skillInfo(s)), g.declared(s.Pkg, s.Name))
			f := g.local("f")
			out = append(out, jen.For(jen.List(jen.Id("_"), f).Op(":=").Range().Add(tree)).Block(g.local("r").Dot("Register").Call(f)))
			continue
		}
		out = append(out, g.skillRegistrar(s).Dot("Register").Call(
			g.skill("Dynamic").Call(jen.Id(g.skillInfo(s)), g.skill("WithBlock").Call(text(s.All[0].Block), g.skillText(s.Func)))))
	}
	return out
}

// skillDefaults returns the settings of a function.
func (g *generator) skillDefaults(f *model.SkillFunc) defaults {
	return defaults{g.errorsFunc(f.HideErrors), f.HideErrors, f.Timeout}
}

// skillRegistrar returns the registrar that completes the skill of a function.
func (g *generator) skillRegistrar(s *model.Skills) code {
	d := g.skillDefaults(s.Func)
	if d == (defaults{}) || g.isUsual(d) {
		return g.registrar(d)
	}
	var l items
	g.putFields(&l, d)
	return g.impl("ApplyDefaults").Call(g.local("r"), g.impl("Defaults").Values(l...))
}

// skillText returns a function that calls the function of a skill.
func (g *generator) skillText(f *model.SkillFunc) code {
	fn := g.declared(f.Pkg, f.Name)
	if f.Receiver != nil {
		fn = jen.Id(g.locals.user(f.Receiver.Param)).Dot(f.Name)
	}
	param, args := jen.Id("_"), []jen.Code{}
	if f.Context {
		param, args = g.local("ctx"), append(args, g.local("ctx"))
	}
	call := []jen.Code{fn.Call(args...)}
	if !f.Error {
		call = append(call, jen.Nil())
	}
	return jen.Func().Params(param.Add(g.std("context", "Context"))).Params(jen.String(), jen.Error()).Block(jen.Return(call...))
}
