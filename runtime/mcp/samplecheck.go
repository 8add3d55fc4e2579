package mcp

import (
	"errors"
	"fmt"
	"slices"
)

// check returns an error for an invalid request. It does not check its messages and schemas.
func (s *SampleRequest) check() error {
	if err := checkNumber("the temperature", s.Temperature); err != nil {
		return err
	}
	if p := s.Preferences; p != nil {
		for _, priority := range []struct {
			name  string
			value *float64
		}{{"the priority of costs", p.Cost}, {"the priority of speed", p.Speed}, {"the priority of intelligence", p.Intelligence}} {
			if err := checkFraction(priority.name, priority.value); err != nil {
				return err
			}
		}
	}
	switch s.ToolChoice {
	case "", ToolChoiceAuto, ToolChoiceRequired, ToolChoiceNone:
	default:
		return fmt.Errorf("the choice of tools is %q: it must be auto, required or none", s.ToolChoice)
	}
	switch s.Context {
	case "", ContextNone, ContextThisServer, ContextAllServers:
	default:
		return fmt.Errorf("the context is %q: it must be none, thisServer or allServers", s.Context)
	}
	for i, t := range s.Tools {
		if t.Name == "" {
			return errors.New("a tool has no name")
		}
		if slices.ContainsFunc(s.Tools[:i], func(other SampleTool) bool { return other.Name == t.Name }) {
			return fmt.Errorf("two tools have the name %q", t.Name)
		}
	}
	return nil
}

// toolBlocks are the identifiers of the tool uses and of the results in a message.
type toolBlocks struct {
	uses, outcomes []string
}

// check returns an error for a message with invalid tool blocks. open are the tool uses of the
// message before (client/sampling, message content constraints).
func (m *SampleMessage) check(blocks *toolBlocks, open []string) error {
	if err := m.Role.check(); err != nil {
		return err
	}
	if len(blocks.uses) > 0 && m.Role != RoleAssistant {
		return errors.New("only the assistant uses tools")
	}
	if id, twice := repeated(blocks.uses); twice {
		return fmt.Errorf("the tool use %q is there twice, or has no identifier", id)
	}
	if len(blocks.outcomes) == 0 && len(open) == 0 {
		return nil
	}
	if id, twice := repeated(blocks.outcomes); twice {
		return fmt.Errorf("the result of the tool use %q is there twice, or has no identifier", id)
	}
	for _, id := range blocks.outcomes {
		if !slices.Contains(open, id) {
			return fmt.Errorf("the result of the tool use %q belongs to none in the message before", id)
		}
	}
	for _, id := range open {
		if !slices.Contains(blocks.outcomes, id) {
			return fmt.Errorf("the result of the tool use %q in the message before is missing", id)
		}
	}
	if m.Role != RoleUser {
		return errors.New("results of tools must be in a message of the user")
	}
	if len(blocks.outcomes) != len(m.Content) {
		return errors.New("a message with results of tools must have nothing else")
	}
	return nil
}

// repeated returns an identifier that is empty or occurs twice.
func repeated(ids []string) (string, bool) {
	for i, id := range ids {
		if id == "" || slices.Contains(ids[:i], id) {
			return id, true
		}
	}
	return "", false
}
