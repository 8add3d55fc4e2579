package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/mcpgen/mcpgen/bench/catalog"
)

// pattern is a request as text, in parts that are joined with its number.
type pattern [][]byte

func (t pattern) append(b []byte, id int) []byte {
	for i, part := range t {
		if i > 0 {
			b = strconv.AppendInt(b, int64(id), 10)
		}
		b = append(b, part...)
	}
	return b
}

const modernMeta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"},` +
	`"io.modelcontextprotocol/clientCapabilities":{}`

const initializeMessage = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
	`"capabilities":{},"clientInfo":{"name":"bench","version":"1.0.0"}}}`

const initializedMessage = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// requests returns the requests of a scenario, one for each variant.
func (s *scenario) requests(modern bool) []pattern {
	all := make([]pattern, s.variants)
	for v := range all {
		meta, token := "", "\x00"
		if modern {
			meta = modernMeta
		}
		if s.events {
			if meta != "" {
				meta += ","
			}
			meta += `"progressToken":` + token
		}
		params := s.params(v)
		if meta != "" {
			if params != "" {
				params += ","
			}
			params += `"_meta":{` + meta + `}`
		}
		text := `{"jsonrpc":"2.0","id":` + token + `,"method":"` + s.method + `","params":{` + params + `}}`
		all[v] = bytes.Split([]byte(text), []byte(token))
	}
	return all
}

// checker checks every answer of a run: the first of its kind in depth, later ones by comparing
// their bytes with a correct one.
type checker struct {
	s          *scenario
	modern     bool
	right      [][][]byte // by variant: the text after the number in a correct answer
	steps      [][2][]byte
	progressed map[int]int // progress so far, by number
}

func newChecker(s *scenario, modern bool) *checker {
	return &checker{s: s, modern: modern, right: make([][][]byte, s.variants), steps: make([][2][]byte, catalog.Steps), progressed: map[int]int{}}
}

var answerPrefix = []byte(`{"jsonrpc":"2.0","id":`)

// number returns the id of an answer, and the text after it. ok is false for a notification.
func number(message []byte) (id int, rest []byte, ok bool) {
	rest, ok = bytes.CutPrefix(message, answerPrefix)
	if !ok {
		return slowNumber(message)
	}
	n := 0
	for n < len(rest) && rest[n]-'0' <= 9 {
		id = 10*id + int(rest[n]-'0')
		n++
	}
	if n == 0 {
		return slowNumber(message)
	}
	return id, rest[n:], true
}

// slowNumber is like number for answers in another form.
func slowNumber(message []byte) (id int, rest []byte, ok bool) {
	var envelope struct {
		ID *int `json:"id"`
	}
	if json.Unmarshal(message, &envelope) != nil || envelope.ID == nil {
		return 0, nil, false
	}
	return *envelope.ID, nil, true
}

// take checks a message. It returns the number of its call, or 0 for a notification.
func (c *checker) take(message []byte) (id int, err error) {
	id, rest, ok := number(message)
	if !ok {
		return 0, c.notification(message)
	}
	if c.s.events && c.progressed[id] != catalog.Steps {
		return id, fmt.Errorf("answer after %d of %d notifications", c.progressed[id], catalog.Steps)
	}
	delete(c.progressed, id)
	variant := id % c.s.variants
	if rest != nil {
		for _, right := range c.right[variant] {
			if bytes.Equal(rest, right) {
				return id, nil
			}
		}
	}
	value, err := decoded(message)
	if err != nil {
		return id, fmt.Errorf("answer is not JSON: %w: %s", err, clip(string(message)))
	}
	envelope, _ := value.(map[string]any)
	result, ok := envelope["result"].(map[string]any)
	if !ok || envelope["jsonrpc"] != "2.0" {
		return id, fmt.Errorf("want a result: %s", clip(string(message)))
	}
	if c.modern && result["resultType"] != "complete" {
		return id, fmt.Errorf("want resultType complete: %s", clip(string(message)))
	}
	if err := c.s.check(variant, result); err != nil {
		return id, err
	}
	if rest != nil && len(c.right[variant]) < 8 {
		c.right[variant] = append(c.right[variant], bytes.Clone(rest))
	}
	return id, nil
}

var tokenName = []byte(`"progressToken":`)

// notification checks that a notification is the next one of its call.
func (c *checker) notification(message []byte) error {
	before, rest, ok := bytes.Cut(message, tokenName)
	token, n := 0, 0
	for ok && n < len(rest) && rest[n]-'0' <= 9 {
		token = 10*token + int(rest[n]-'0')
		n++
	}
	if n == 0 || !c.s.events {
		return fmt.Errorf("unexpected message: %s", clip(string(message)))
	}
	step := c.progressed[token]
	if step >= catalog.Steps {
		return fmt.Errorf("one notification too many: %s", clip(string(message)))
	}
	c.progressed[token] = step + 1
	known := &c.steps[step]
	if known[0] != nil && bytes.Equal(before, known[0]) && bytes.Equal(rest[n:], known[1]) {
		return nil
	}
	var m struct {
		Version string `json:"jsonrpc"`
		Method  string
		Params  struct {
			Progress, Total float64
			Message         string
		}
	}
	if err := json.Unmarshal(message, &m); err != nil {
		return fmt.Errorf("notification is not JSON: %w: %s", err, clip(string(message)))
	}
	p := m.Params
	if m.Version != "2.0" || m.Method != "notifications/progress" || p.Progress != float64(step+1) || p.Total != catalog.Steps || p.Message == "" {
		return fmt.Errorf("notification is wrong, want step %d: %s", step+1, clip(string(message)))
	}
	*known = [2][]byte{bytes.Clone(before), bytes.Clone(rest[n:])}
	return nil
}
