package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// session is a connected client, with the parameters of its scenario.
type session struct {
	*mcpclient.Client
	given   given
	between func(context.Context) error // called while a form is open
}

// given is the context of some scenarios.
type given struct {
	credentials
	ToolCalls []struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"toolCalls"`
}

// scenarios contains the actions of the client in each scenario.
var scenarios = map[string]func(context.Context, *session) error{
	"initialize":                          list,
	"tools_call":                          callWith(map[string]any{"a": 5, "b": 3}),
	"elicitation-sep1034-client-defaults": callWith(nil),
	"sse-retry":                           callWith(nil),
	"request-metadata":                    list,
	"sep-2322-client-request-state":       rounds,
	"http-standard-headers":               everything,
	"http-custom-headers":                 callGiven,
	"http-invalid-tool-headers":           callWith(map[string]any{"region": "us-west1"}),
	"json-schema-ref-no-deref":            list,
	"json-schema-2020-12-preservation":    returnSchemas,
}

// authorized lists tools and calls them, twice: a server of the suite changes its authorization
// server in between.
func authorized(ctx context.Context, s *session) error {
	for range 2 {
		if err := callWith(nil)(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// list requests the list of tools.
func list(ctx context.Context, s *session) error {
	_, err := s.Tools(ctx)
	return err
}

// callWith returns a function that calls every listed tool with the same arguments.
func callWith(arguments map[string]any) func(context.Context, *session) error {
	return func(ctx context.Context, s *session) error {
		for tool, err := range s.EachTool(ctx) {
			if err != nil {
				return err
			}
			if err := s.call(ctx, tool.Name, arguments); err != nil {
				return err
			}
		}
		return nil
	}
}

// call calls a tool, whose result must not be a failed one.
func (s *session) call(ctx context.Context, tool string, arguments any) error {
	result, err := s.Call(ctx, tool, arguments)
	if err != nil {
		return err
	}
	if result.IsError {
		return &mcpclient.ToolError{Tool: tool, Text: result.Text(), Result: result}
	}
	return nil
}

// callGiven calls the tools that the context of the scenario names.
func callGiven(ctx context.Context, s *session) error {
	if _, err := s.Tools(ctx); err != nil {
		return err
	}
	if len(s.given.ToolCalls) == 0 {
		return fmt.Errorf("the context of the scenario has no calls")
	}
	for _, c := range s.given.ToolCalls {
		if err := s.call(ctx, c.Name, c.Arguments); err != nil {
			return err
		}
	}
	return nil
}

// rounds calls tools that ask for input, and another one while the form is open.
func rounds(ctx context.Context, s *session) error {
	s.between = func(ctx context.Context) error { return s.call(ctx, "test_mrtr_unrelated", nil) }
	for _, tool := range []string{"test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_no_result_type"} {
		if err := s.call(ctx, tool, nil); err != nil {
			return err
		}
	}
	return nil
}

// everything uses every tool, resource and prompt of the server.
func everything(ctx context.Context, s *session) error {
	if err := callWith(nil)(ctx, s); err != nil {
		return err
	}
	if err := resources(ctx, s); err != nil {
		return err
	}
	for prompt, err := range s.EachPrompt(ctx) {
		if err != nil {
			return err
		}
		if _, err := s.Prompt(ctx, prompt.Name, nil); err != nil {
			return err
		}
	}
	return nil
}

// resources reads every listed resource.
func resources(ctx context.Context, s *session) error {
	for resource, err := range s.EachResource(ctx) {
		if err != nil {
			return err
		}
		if _, err := s.Read(ctx, resource.URI); err != nil {
			return err
		}
	}
	return nil
}

// returnSchemas passes the unchanged input schemas of the other tools to the tool that takes a
// schema.
func returnSchemas(ctx context.Context, s *session) error {
	tools, err := s.Tools(ctx)
	if err != nil {
		return err
	}
	const echo = "json_schema_echo"
	for _, tool := range tools {
		if tool.Name == echo {
			continue
		}
		if err := s.call(ctx, echo, map[string]any{"schema": tool.InputSchema}); err != nil {
			return err
		}
	}
	return nil
}
