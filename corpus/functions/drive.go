package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/corpus/internal/validator"
)

// outcome counts the results of calls.
type outcome struct {
	tools    int
	answered int // at least one call returned a result of the function
	failed   int // every valid call returned an error of the function
	panicked int // every valid call returned an error for a panic
	refused  int // the type of an argument accepts none of the candidates
	checked  int // results that were validated against their output schema
	silent   []string
	killed   []string
	errors   []string // of functions without other results
	wrong    []string // failures
}

// drive starts the server and calls all of its tools.
func drive(program string, want []string) (out *outcome, err error) {
	dir, err := os.MkdirTemp("", "functions")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	c, err := start(program, dir)
	if err != nil {
		return nil, err
	}
	tools, err := c.tools()
	if err != nil {
		return nil, err
	}
	out = &outcome{tools: len(tools)}
	for _, t := range tools {
		i := slices.Index(want, t.Name)
		if i < 0 {
			out.wrong = append(out.wrong, t.Name+": is listed, and was not asked for")
			continue
		}
		want = slices.Delete(want, i, i+1)
	}
	for _, name := range want {
		out.wrong = append(out.wrong, name+": is not listed")
	}
	d := &driver{program: program, dir: dir, client: c, out: out}
	for _, t := range tools {
		if err := d.tool(t); err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	d.client.stop()
	return out, nil
}

// driver calls the tools of a server. It restarts the server after a tool killed it or did not
// respond.
type driver struct {
	program, dir string
	client       *client
	out          *outcome
}

// called is the result of a call.
type called struct {
	IsError           bool
	StructuredContent json.RawMessage
	Content           []struct{ Type, Text string }
}

func (c *called) text() string {
	if len(c.Content) == 0 {
		return ""
	}
	return c.Content[0].Text
}

// call calls a tool. A nil result means a panic.
func (d *driver) call(tool string, arguments any) (*called, error) {
	args, err := json.Marshal(arguments)
	if err != nil {
		return nil, err
	}
	a, err := d.client.ask("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args))
	if err != nil {
		last := d.client.stop()
		switch {
		case errors.Is(err, errSilent):
			d.out.silent = append(d.out.silent, fmt.Sprintf("%s %s", tool, args))
		case errors.Is(err, errDead):
			d.out.killed = append(d.out.killed, fmt.Sprintf("%s %s: %s", tool, args, last))
		default:
			return nil, err
		}
		var again error
		if d.client, again = start(d.program, d.dir); again != nil {
			return nil, again
		}
		return nil, err
	}
	if a.Error != nil {
		return nil, fmt.Errorf("a protocol error: %d %s", a.Error.Code, a.Error.Message)
	}
	r := new(called)
	if err := json.Unmarshal(a.Result, r); err != nil {
		return nil, err
	}
	if r.IsError && strings.HasPrefix(r.text(), "internal error, reference ") {
		return nil, nil
	}
	return r, nil
}

func (d *driver) wrong(tool, format string, args ...any) {
	d.out.wrong = append(d.out.wrong, tool+": "+fmt.Sprintf(format, args...))
}

// tool calls one tool with valid and invalid arguments.
func (d *driver) tool(t listed) error {
	var in schema
	if err := json.Unmarshal(t.InputSchema, &in); err != nil {
		return err
	}
	input, err := validator.Open(t.InputSchema)
	if err != nil {
		d.wrong(t.Name, "input schema: %v", err)
		return nil
	}
	var output *jsonschema.Schema
	if len(t.OutputSchema) > 0 {
		if output, err = validator.Closed(t.OutputSchema); err != nil {
			d.wrong(t.Name, "output schema: %v", err)
			return nil
		}
	}
	best, last := 0, ""
	for i, sample := range texts {
		if i > 1 && best > rankRefused {
			break
		}
		arguments := (&sampler{root: &in, full: i == 1, text: sample}).value(&in, 0)
		if err := valid(input, arguments); err != nil {
			d.wrong(t.Name, "no valid arguments found: %v", err)
			continue
		}
		rank, text, err := d.valid(t.Name, arguments, output)
		if err != nil {
			return err
		}
		if rank > best {
			best, last = rank, text
		}
	}
	switch best {
	case rankAnswer:
		d.out.answered++
	case rankError:
		d.out.failed++
	case rankPanic:
		d.out.panicked++
	case rankRefused:
		d.out.refused++
	}
	if best < rankAnswer {
		d.out.errors = append(d.out.errors, t.Name+": "+last)
	}
	return d.invalid(t.Name, &in, input)
}

// Outcomes of a valid call; a better one is higher.
const (
	rankNone = iota
	rankRefused
	rankPanic
	rankError
	rankAnswer
)

// valid calls a tool with valid arguments.
func (d *driver) valid(tool string, arguments any, output *jsonschema.Schema) (rank int, text string, err error) {
	r, err := d.call(tool, arguments)
	if errors.Is(err, errSilent) || errors.Is(err, errDead) {
		return rankNone, "", nil
	}
	if err != nil {
		d.wrong(tool, "valid arguments: %v", err)
		return rankNone, "", nil
	}
	switch {
	case r == nil:
		return rankPanic, "a panic", nil
	case r.IsError && isValidation(r.text()):
		return rankRefused, r.text(), nil
	case r.IsError:
		if r.text() == "" {
			d.wrong(tool, "an error without a text")
		}
		return rankError, r.text(), nil
	case output == nil:
		if len(r.StructuredContent) > 0 {
			d.wrong(tool, "structured content without an output schema")
		}
		return rankAnswer, "", nil
	}
	if err := valid(output, r.StructuredContent); err != nil {
		d.wrong(tool, "the result is not valid against the output schema: %v: %s", err, r.StructuredContent)
	}
	d.out.checked++
	return rankAnswer, "", nil
}

// invalid calls a tool without arguments, with an unknown one, and with each of the wrong type,
// which the server must refuse before the call.
func (d *driver) invalid(tool string, in *schema, input *jsonschema.Schema) error {
	try := []map[string]any{{"no_such_argument": 1}}
	if len(in.Required) > 0 {
		try = append(try, map[string]any{})
	}
	base, _ := (&sampler{root: in, text: texts[0]}).value(in, 0).(map[string]any)
	for name := range in.Properties {
		for _, wrong := range []any{"%", []any{1.5}, map[string]any{"%": 1}, 1.5} {
			args := map[string]any{}
			for k, v := range base {
				args[k] = v
			}
			args[name] = wrong
			if valid(input, args) != nil {
				try = append(try, args)
				break
			}
		}
	}
	for _, args := range try {
		r, err := d.call(tool, args)
		switch {
		case err != nil:
			d.wrong(tool, "wrong arguments %v: %v", args, err)
		case r == nil:
			d.wrong(tool, "wrong arguments %v: a panic", args)
		case !r.IsError || !isValidation(r.text()):
			d.wrong(tool, "wrong arguments %v: %q", args, r.text())
		}
	}
	return nil
}

// isValidation reports whether a text is the message for invalid arguments.
func isValidation(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	return strings.Contains(first, "problem") && strings.Contains(first, "with the arguments of ")
}

// valid validates a value against a schema.
func valid(s *jsonschema.Schema, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return s.Validate(doc)
}
