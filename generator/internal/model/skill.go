package model

import (
	"go/token"
	"go/types"
	"time"
)

// Skills is one declaration with //mcp:skill: a variable with a tree of files, or a function that
// returns the text of one skill.
type Skills struct {
	// URI is the prefix of the skills' URIs, with a slash at its end, or the URI of the skill of a
	// function, without one.
	URI    string
	Symbol string
	Groups []string
	Scopes []string // scopes that a caller needs
	Tools  []string // published names of the tools that a caller must be allowed to use, sorted
	All    []*Skill // in order of path

	Pkg  *types.Package // of the variable; nil for the package itself
	Name string         // of the variable
	Root string         // directory in the variable that the paths of the skills begin at

	Func *SkillFunc // nil for a variable

	// Warnings are about the files. Mentions are names in them that may be meant as tools.
	Warnings []SkillWarning
	Mentions []SkillMention
	Pos      token.Position
}

// SkillFunc is a function that returns the text of a skill.
type SkillFunc struct {
	Func
	Context bool // takes a context.Context
	Error   bool // returns an error
	// HideErrors is set if clients receive only the messages of declared errors.
	HideErrors bool
	Timeout    time.Duration
}

// Skill is one published skill.
type Skill struct {
	URI         string // of its directory, without a slash at its end
	Path        string // of its directory, below the root of the tree; "" for a function
	Name        string
	Description string
	Frontmatter string // JSON
	Hash        string // SHA-256 of the frontmatter block, in hex; "" for a function
	Block       string // the frontmatter block of a function's text; "" for files
	Files       []SkillFile
	Of          *Skills
}

// MainURI returns the URI of its SKILL.md, by which clients know it.
func (s *Skill) MainURI() string { return s.URI + "/SKILL.md" }

// SkillFile is a file of a skill.
type SkillFile struct {
	URI    string
	Digest string // sha256:HEX
	Size   int
}

// SkillWarning is a finding about a file, by the rule of mcpgen vet.
type SkillWarning struct {
	Pos                          token.Position
	Rule, Subject, Message, Hint string
}

// SkillMention is a name in snake case in the text of a skill.
type SkillMention struct {
	Pos    token.Position
	Name   string
	Server string // of mcp__SERVER__NAME, otherwise ""
	Called bool   // the words beside it call it a tool
}

// AllSkills returns the skills of all declarations, in order of declaration.
func (p *Package) AllSkills() []*Skill {
	var all []*Skill
	for _, s := range p.Skills {
		all = append(all, s.All...)
	}
	return all
}
