package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/program"
	"github.com/mcpgen/mcpgen/generator/internal/remote"
	"github.com/mcpgen/mcpgen/internal/suggest"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// call calls a tool of a server.
func (r *remoteServer) call(words []string) int {
	c := r.c
	return r.with(func(ctx context.Context, client *mcpclient.Client) int {
		tools, err := client.Tools(ctx)
		if err != nil {
			return r.fail(err)
		}
		if len(words) == 0 {
			code := c.usage("call", "the tool is missing", "one of these:")
			r.listTools(tools)
			return code
		}
		i := slices.IndexFunc(tools, func(t mcpclient.Tool) bool { return t.Name == words[0] })
		if i < 0 {
			code := r.unknown("tool", words[0], namesOf(tools, func(t mcpclient.Tool) string { return t.Name }))
			r.listTools(tools)
			return code
		}
		tool := &tools[i]
		arguments, code := r.arguments(tool, words[1:])
		if code != exitDone {
			return code
		}
		return r.callOn(ctx, client, tool.Name, arguments)
	})
}

// callTool connects and calls a tool.
func (r *remoteServer) callTool(tool string, arguments json.RawMessage) int {
	return r.with(func(ctx context.Context, client *mcpclient.Client) int { return r.callOn(ctx, client, tool, arguments) })
}

func (r *remoteServer) callOn(ctx context.Context, client *mcpclient.Client, tool string, arguments json.RawMessage) int {
	r.begin("calling " + shown(tool))
	result, err := client.Call(ctx, tool, arguments, mcpclient.WithProgress(r.progressed))
	r.c.progress.end()
	if err != nil {
		return r.fail(err)
	}
	return r.c.printResult(result)
}

// arguments reads the words of a call, and checks them with the schema of the tool as far as
// package wire supports it.
func (r *remoteServer) arguments(tool *mcpclient.Tool, words []string) (arguments json.RawMessage, code int) {
	c := r.c
	arguments, err := program.Arguments(remote.Input(tool.InputSchema), words)
	if wrong, ok := errors.AsType[*program.ArgumentError](err); ok {
		return nil, c.usage("call", wrong.Message, wrong.Hint)
	}
	if err != nil {
		return nil, c.fail(err)
	}
	var checked any
	d := wire.NewDecoder(arguments, wire.Options{Help: wire.Advice()})
	wire.AnyBySchema(d, &checked, wire.NewSchema(remote.Checkable(tool.InputSchema)))
	if err := d.Finish(); err != nil {
		c.noteln("%v", err)
		return nil, exitFound
	}
	return arguments, exitDone
}

// progressed prints a progress notification. A task's notification contains a message but no
// number.
func (r *remoteServer) progressed(p mcpclient.Progress) {
	text := fmt.Sprint(p.Done)
	switch {
	case p.Total > 0:
		text += fmt.Sprint("/", p.Total)
	case p.Done == 0 && p.Message != "":
		text = ""
	}
	r.c.noteln("%s", strings.TrimSpace(text+" "+shown(p.Message)))
}

// read reads a resource of a server.
func (r *remoteServer) read(words []string) int {
	c := r.c
	if len(words) > 1 {
		return c.usage("read", "read takes a server and one URI", "")
	}
	return r.with(func(ctx context.Context, client *mcpclient.Client) int {
		if len(words) == 0 {
			return r.missingURI(ctx, client)
		}
		return r.readOn(ctx, client, words[0])
	})
}

// readResource connects and reads a resource.
func (r *remoteServer) readResource(uri string) int {
	return r.with(func(ctx context.Context, client *mcpclient.Client) int { return r.readOn(ctx, client, uri) })
}

func (r *remoteServer) readOn(ctx context.Context, client *mcpclient.Client, uri string) int {
	r.begin("reading " + uri)
	result, err := client.Read(ctx, uri, mcpclient.WithProgress(r.progressed))
	r.c.progress.end()
	if err != nil {
		return r.fail(err)
	}
	return r.c.printResource(result)
}

// missingURI lists the resources that could be read.
func (r *remoteServer) missingURI(ctx context.Context, client *mcpclient.Client) int {
	resources, err := client.Resources(ctx)
	if err != nil {
		return r.fail(err)
	}
	templates, err := client.Templates(ctx)
	if err != nil {
		return r.fail(err)
	}
	code := r.c.usage("read", "the URI is missing", "one of these:")
	for _, one := range resources {
		r.c.noteln("\t%s", shown(one.URI))
	}
	for _, one := range templates {
		r.c.noteln("\t%s", shown(one.URITemplate))
	}
	return code
}

// prompt gets a prompt of a server.
func (r *remoteServer) prompt(words []string) int {
	c := r.c
	return r.with(func(ctx context.Context, client *mcpclient.Client) int {
		prompts, err := client.Prompts(ctx)
		if err != nil {
			return r.fail(err)
		}
		var i int
		if len(words) > 0 {
			i = slices.IndexFunc(prompts, func(p mcpclient.Prompt) bool { return p.Name == words[0] })
		}
		switch {
		case len(words) == 0:
			code := c.usage("prompt", "the prompt is missing", "one of these:")
			r.listPrompts(prompts)
			return code
		case i < 0:
			code := r.unknown("prompt", words[0], namesOf(prompts, func(p mcpclient.Prompt) string { return p.Name }))
			r.listPrompts(prompts)
			return code
		}
		arguments, code := r.texts(&prompts[i], words[1:])
		if code != exitDone {
			return code
		}
		return r.promptOn(ctx, client, words[0], arguments)
	})
}

// getPrompt connects and gets a prompt.
func (r *remoteServer) getPrompt(name string, arguments map[string]string) int {
	return r.with(func(ctx context.Context, client *mcpclient.Client) int {
		return r.promptOn(ctx, client, name, arguments)
	})
}

func (r *remoteServer) promptOn(ctx context.Context, client *mcpclient.Client, name string, arguments map[string]string) int {
	r.begin("getting " + name)
	result, err := client.Prompt(ctx, name, arguments, mcpclient.WithProgress(r.progressed))
	r.c.progress.end()
	if err != nil {
		return r.fail(err)
	}
	return r.c.printPrompt(result)
}

// texts reads the arguments of a prompt, and checks that none is missing.
func (r *remoteServer) texts(p *mcpclient.Prompt, words []string) (arguments map[string]string, code int) {
	c := r.c
	arguments, code = c.texts(remote.PromptInput(p.Arguments), words)
	if code != exitDone {
		return nil, code
	}
	for _, a := range p.Arguments {
		if _, ok := arguments[a.Name]; a.Required && !ok {
			return nil, c.usage("prompt", "the argument "+shown(a.Name)+" is missing", "write "+word(shown(a.Name)+"=VALUE"))
		}
	}
	return arguments, exitDone
}

// unknown reports a name that the server does not list.
func (r *remoteServer) unknown(kind, name string, known []string) int {
	if len(known) == 0 {
		return r.c.usage(r.name, "unknown "+kind+" "+name, "the server has no "+kind+"s")
	}
	hint := "the " + kind + "s are:"
	if near := suggest.Word(name, known); near != "" {
		hint = "did you mean " + shown(near) + "? The " + kind + "s are:"
	}
	return r.c.usage(r.name, "unknown "+kind+" "+name, hint)
}

func namesOf[T any](all []T, name func(T) string) (names []string) {
	for _, one := range all {
		names = append(names, name(one))
	}
	return names
}

func (r *remoteServer) listTools(tools []mcpclient.Tool) {
	for _, t := range tools {
		r.c.noteln("\t%s%s", shown(t.Name), shown(strings.TrimPrefix(remote.Signature(t.InputSchema, t.OutputSchema), "func")))
	}
}

func (r *remoteServer) listPrompts(prompts []mcpclient.Prompt) {
	for _, p := range prompts {
		r.c.noteln("\t%s%s", shown(p.Name), shown(strings.TrimPrefix(remote.PromptSignature(p.Arguments), "func")))
	}
}
