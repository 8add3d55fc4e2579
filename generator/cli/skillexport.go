package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/generator/internal/skillexport"
	"github.com/mcpgen/mcpgen/internal/mask"
	"github.com/mcpgen/mcpgen/internal/skill"
	"github.com/mcpgen/mcpgen/internal/skillentry"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

const helpSkill = `usage: mcpgen skill export [flags] PACKAGE | SERVER DIR

Writes the skills of a package or a server into DIR, such as .claude/skills or
.agents/skills, where hosts look for skills: one directory for each, named as
the skill. It prints what it would write, and asks on the terminal. Every file
is compared with the size and the digest that the server publishes for it, and
SKILL.md with its frontmatter, before any of them is written.

Nothing is overwritten. NAME.lock.json beside a directory has its origin: the
server, the URI, the date and the digests; a second export compares with it.

A skill may ask for tools that a host then uses without a question
(allowed-tools). The field is left out, also in skills within the skill, unless
-allowed-tools is given. Hooks, programs that a host runs by itself, are always
left out. Scripts are written without the right to be executed.

	-skill NAME | URI
	            only this skill; by its URI also one that is not listed
	-allowed-tools
	            keep allowed-tools as the server has it
	-yes        do not ask

` + helpFlags

// skill exports skills.
func (c *command) skill(args []string) int {
	f := newFlags("skill")
	new(serverFlags).define(f)
	e := &export{c: c}
	f.StringVar(&e.only, "skill", "", "")
	f.BoolVar(&e.keepTools, "allowed-tools", false, "")
	f.BoolVar(&e.yes, "yes", false, "")
	rest, code, ok := c.parse(f, args)
	switch {
	case !ok:
		return code
	case len(rest) == 0:
		return c.usage("skill", "the action is missing", "to write skills into a directory: "+c.invoked+" skill export SERVER DIR")
	case rest[0] != "export":
		return c.usage("skill", "unknown action "+rest[0], "the action is export: "+c.invoked+" skill export SERVER DIR")
	}
	rest = rest[1:]
	r, others, code, done := c.onServer(f, rest)
	switch {
	case code != exitDone:
		return code
	case done:
		if e.dir, code = c.exportDir(others); code != exitDone {
			return code
		}
		e.server = r.identity()
		return r.with(func(ctx context.Context, client *mcpclient.Client) int { return e.run(ctx, r, client) })
	case len(rest) == 0:
		return c.usage("skill", "the package or server is missing", "")
	}
	if e.dir, code = c.exportDir(rest[1:]); code != exitDone {
		return code
	}
	p, code, ok := c.load(f, rest[0])
	if !ok {
		return code
	}
	built, code, ok := c.build(p, false, false)
	if !ok {
		return code
	}
	defer c.remove(built)
	e.server = "package " + p.Model.Path
	r = c.onBuilt("skill", built)
	return r.with(func(ctx context.Context, client *mcpclient.Client) int { return e.run(ctx, r, client) })
}

// exportDir returns the directory among the operands behind the server.
func (c *command) exportDir(rest []string) (dir string, code int) {
	switch {
	case len(rest) == 0 || rest[0] == "":
		return "", c.usage("skill", "the directory is missing", "name the directory for the skills, such as .claude/skills or .agents/skills")
	case len(rest) > 1:
		return "", c.usage("skill", "skill export takes a server and one directory", "")
	}
	return c.absolute(rest[0]), exitDone
}

// identity returns how the user knows the server, without credentials.
func (r *remoteServer) identity() string {
	switch {
	case r.address != "":
		shown, _ := mask.URL(r.address)
		return shown
	case len(r.flags.program) > 0:
		shown, _ := mask.Command(r.flags.program[0], r.flags.program[1:])
		return strings.Join(shown, " ")
	}
	return r.operand
}

// export is one run of skill export.
type export struct {
	c         *command
	server    string
	dir       string
	only      string
	keepTools bool
	yes       bool
}

func (e *export) run(ctx context.Context, r *remoteServer, client *mcpclient.Client) int {
	c := e.c
	if code := e.check(ctx, r, client); code != exitDone {
		return code
	}
	entries, code := e.entries(ctx, r, client)
	if code != exitDone {
		return code
	}
	plan, err := skillexport.NewPlan(skillexport.Options{Dir: e.dir, Server: e.server, KeepTools: e.keepTools, Now: time.Now()}, entries)
	if err != nil {
		return e.failed(r, err)
	}
	e.show(plan)
	if !plan.Changes() {
		c.noteln("%s has them already, unchanged", c.relative(e.dir))
		return exitDone
	}
	if code := e.ask(ctx); code != exitDone {
		return code
	}
	r.begin("reading skills")
	err = plan.Write(ctx, func(ctx context.Context, f skillentry.File) ([]byte, error) { return readFile(ctx, client, f) })
	c.progress.end()
	if err != nil {
		return e.failed(r, err)
	}
	for _, s := range plan.Skills {
		if s.Unchanged {
			continue
		}
		c.noteln("wrote %s, and %s", c.relative(filepath.Join(e.dir, s.Name)), c.relative(filepath.Join(e.dir, s.Name+".lock.json")))
		for _, f := range s.Files {
			if names := s.Dropped[f.Path]; len(names) > 0 && f.Path != skill.File {
				c.noteln("\tleft out of %s: %s", shown(f.Path), shown(strings.Join(names, ", ")))
			}
		}
	}
	return exitDone
}

// check returns an error for a server without skills.
func (e *export) check(ctx context.Context, r *remoteServer, client *mcpclient.Client) int {
	server, err := client.Server(ctx)
	if err != nil {
		return r.fail(err)
	}
	switch {
	case client.Revision() < skillentry.MinRevision:
		e.c.noteln("mcpgen: %s speaks revision %s, which has no skills\n\thint: skills are part of revisions from %s on", shown(e.server), client.Revision(), skillentry.MinRevision)
		return exitFound
	case !skillentry.Declared(server.Capabilities):
		e.c.noteln("mcpgen: %s has no skills: it does not declare the extension %s", shown(e.server), skill.Extension)
		return exitFound
	}
	return exitDone
}

// entries returns the skills that the command names: all that the server lists, or one.
func (e *export) entries(ctx context.Context, r *remoteServer, client *mcpclient.Client) (entries []*skillentry.Entry, code int) {
	c := e.c
	if strings.Contains(e.only, ":") {
		entry, err := getSkill(ctx, client, e.only)
		if err != nil {
			return nil, r.fail(err)
		}
		return []*skillentry.Entry{entry}, exitDone
	}
	list, err := listSkills(ctx, client)
	if err != nil {
		return nil, r.fail(err)
	}
	if e.only == "" {
		for _, refused := range list.Refused {
			c.noteln("mcpgen: left out: %s", shown(refused.Error()))
		}
		entries = slices.DeleteFunc(slices.Clone(list.Skills), func(s *skillentry.Entry) bool { return s.Dynamic })
		for _, s := range list.Skills {
			if s.Dynamic {
				c.noteln("left out: %s, whose content the server generates, so that nothing shows whether it is complete", shown(s.URI))
			}
		}
		if len(entries) == 0 {
			c.noteln("mcpgen: %s lists no skill to export\n\thint: -skill URI exports one that is not listed", shown(e.server))
			return nil, exitFound
		}
		return entries, exitDone
	}
	var names []string
	for _, s := range list.Skills {
		if names = append(names, s.Name); s.Name == e.only {
			entries = append(entries, s)
		}
	}
	switch len(entries) {
	case 1:
		return entries, exitDone
	case 0:
		code := r.unknown("skill", e.only, names)
		for _, s := range list.Skills {
			c.noteln("\t%s  %s", shown(s.Name), shown(s.URI))
		}
		for _, refused := range list.Refused {
			c.noteln("\t%s", shown(refused.Error()))
		}
		return nil, code
	}
	code = c.usage("skill", fmt.Sprintf("%d skills have the name %s", len(entries), e.only), "name one by its URI:")
	for _, s := range entries {
		c.noteln("\t-skill %s", word(shown(s.URI)))
	}
	return nil, code
}

// show prints what would be written.
func (e *export) show(plan *skillexport.Plan) {
	c := e.c
	c.progress.clear()
	for _, s := range plan.Skills {
		fmt.Fprintf(c.out, "%s: %s\n", shown(s.Name), shown(s.Description))
		fmt.Fprintf(c.out, "\tfrom %s\n\tURI %s\n", shown(e.server), shown(s.URI))
		if s.Unchanged {
			fmt.Fprintf(c.out, "\tunchanged in %s\n", c.relative(filepath.Join(e.dir, s.Name)))
			continue
		}
		fmt.Fprintf(c.out, "\tto %s, %d bytes:\n", c.relative(filepath.Join(e.dir, s.Name)), s.Size())
		for _, f := range s.Files {
			kind := ""
			if skillexport.IsScript(f.Path) {
				kind = ", a script"
			}
			fmt.Fprintf(c.out, "\t\t%s  %d bytes%s\n", shown(f.Path), f.Size, kind)
		}
		for _, dir := range s.Within() {
			fmt.Fprintf(c.out, "\thas a skill within, which hosts may load too: %s\n", shown(dir))
		}
		if tools := s.AllowedTools(); tools != "" {
			fmt.Fprintf(c.out, "\tasks to use tools without a question: %s\n", shown(tools))
		}
		if names := s.Dropped[skill.File]; len(names) > 0 {
			fmt.Fprintf(c.out, "\tleft out of SKILL.md: %s\n", shown(strings.Join(names, ", ")))
		}
	}
}

// ask asks whether to write.
func (e *export) ask(ctx context.Context) int {
	c := e.c
	if e.yes {
		return exitDone
	}
	if !c.hasTerminal() {
		c.noteln("mcpgen: nothing was written: there is no terminal to ask on\n\thint: read the list above, and agree by -yes")
		return exitFound
	}
	fmt.Fprint(c.err, "A model will follow these texts. Write them? [y/N]: ")
	text, err := c.readLine(ctx)
	if err != nil || !strings.EqualFold(text, "y") && !strings.EqualFold(text, "yes") {
		c.noteln("nothing was written")
		return exitFound
	}
	return exitDone
}

// failed reports an error that prevented an export. Nothing of it was written.
func (e *export) failed(r *remoteServer, err error) int {
	if conflict, ok := errors.AsType[*skillexport.ConflictError](err); ok {
		e.c.progress.clear()
		e.c.noteln("mcpgen: %s\n\thint: %s", shown(conflict.Error()), shown(conflict.Hint))
		return exitFound
	}
	return r.fail(err)
}

func listSkills(ctx context.Context, client *mcpclient.Client) (*skillentry.Listing, error) {
	list := new(skillentry.Listing)
	for list.More() {
		result, err := request(ctx, client, skillentry.MethodList, list.Params())
		if err != nil {
			return nil, err
		}
		if err := list.Add(result); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func getSkill(ctx context.Context, client *mcpclient.Client, uri string) (*skillentry.Entry, error) {
	params, err := skillentry.GetParams(uri)
	if err != nil {
		return nil, err
	}
	result, err := request(ctx, client, skillentry.MethodGet, params)
	if err != nil {
		return nil, err
	}
	return skillentry.ReadGet(uri, result)
}

func request(ctx context.Context, client *mcpclient.Client, method string, params json.RawMessage) (json.RawMessage, error) {
	return client.Request(ctx, method, params, mcpclient.WithIdempotent())
}

// readFile reads a file of a skill.
func readFile(ctx context.Context, client *mcpclient.Client, f skillentry.File) ([]byte, error) {
	result, err := client.Read(ctx, f.URI, mcpclient.WithoutCache())
	if err != nil {
		return nil, err
	}
	if len(result.Contents) != 1 || result.Contents[0].URI != f.URI {
		return nil, fmt.Errorf("the server sent %d contents in place of one with the URI of the file", len(result.Contents))
	}
	if blob := result.Contents[0].Blob; blob != nil {
		return blob, nil
	}
	return []byte(result.Contents[0].Text), nil
}
