package prove

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// checkValue holds the decoded value and the result against encoding/json.
func (p *prover) checkValue(n *Node, out *Outcome) string {
	if p.own {
		return p.checkTrip(out)
	}
	want, err := reference(n, p.schema, p.goType, p.whole)
	if err != nil {
		return fmt.Sprintf("accepted, but encoding/json refuses: %v", err)
	}
	if d := difference(out.Value, want, false); d != "" {
		return "decoded to another value than by encoding/json: " + d
	}
	what := p.checkResult(out.Value, out)
	if what != "" || out.Structured == nil {
		return what
	}
	back := reflect.New(p.goType)
	data := out.Structured
	if bytes.Contains(p.tool.OutputSchema, []byte("µs")) { // durations that travel as text
		text, err := ParseNode(string(data))
		if err != nil {
			return "result is not JSON: " + err.Error()
		}
		data = plain(text, p.written, p.goType).Append(nil)
	}
	if err := json.Unmarshal(data, back.Interface()); err != nil {
		if p.lossy(out.Value) {
			return ""
		}
		return "the result cannot be decoded: " + err.Error()
	}
	if d := difference(out.Value, back.Elem(), true); d != "" && !p.lossy(out.Value) {
		return fmt.Sprintf("the result comes back as another value: %s in %s", d, out.Structured)
	}
	return ""
}

// checkTrip holds a value against what comes back when its result is sent again.
func (p *prover) checkTrip(out *Outcome) string {
	if what := p.checkValid(out); what != "" || p.result != nil || !p.whole {
		return what
	}
	n, err := ParseNode(string(out.Structured))
	if err != nil {
		return "result is not JSON: " + err.Error()
	}
	if p.input.Validate(n.Any()) != nil {
		return "" // such as a nil element
	}
	first := reflect.New(p.goType).Elem()
	first.Set(out.Value)
	again, err := p.session.Call(p.tool.Name, out.Structured, reflect.Value{})
	switch {
	case err != nil:
		return "the connection failed: " + err.Error()
	case !again.Accepted:
		return fmt.Sprintf("the result is refused as an argument: %v %v: %s", again.Problems, again.Err, out.Structured)
	}
	if d := difference(first, again.Value, true); d != "" {
		return fmt.Sprintf("the result comes back as another value: %s in %s", d, out.Structured)
	}
	if !bytes.Equal(out.Structured, again.Structured) {
		return fmt.Sprintf("the result comes back as %s instead of %s", again.Structured, out.Structured)
	}
	return ""
}

// checkValid holds a result against the output schema alone.
func (p *prover) checkValid(out *Outcome) string {
	if out.Err != nil || out.IsError {
		return fmt.Sprintf("the result failed: %v %s", out.Err, out.Text)
	}
	n, err := ParseNode(string(out.Structured))
	if err != nil {
		return fmt.Sprintf("the result is not JSON: %v: %s", err, out.Structured)
	}
	if err := p.output.Validate(n.Any()); err != nil {
		return fmt.Sprintf("the result is invalid: %v: %s", err, out.Structured)
	}
	return ""
}

// lossy reports whether a value does not survive encoding/json either.
func (p *prover) lossy(v reflect.Value) bool {
	data, err := json.Marshal(v.Addr().Interface())
	if err != nil {
		return true
	}
	back := reflect.New(p.goType)
	return json.Unmarshal(data, back.Interface()) != nil || difference(v, back.Elem(), true) != ""
}

// marshal is json.Marshal without the escapes for HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// checkResult holds a result against the output schema and encoding/json.
func (p *prover) checkResult(v reflect.Value, out *Outcome) string {
	theirs, err := marshal(v.Addr().Interface())
	if err != nil {
		if out.Err == nil && !out.IsError {
			return fmt.Sprintf("written, but encoding/json refuses: %v, got %s", err, out.Structured)
		}
		return ""
	}
	if !utf8.Valid(theirs) && out.Err != nil {
		return "" // what a MarshalJSON gives is checked
	}
	if v.Kind() == reflect.Pointer && v.IsNil() {
		if !out.IsError || out.Structured != nil {
			return fmt.Sprintf("a nil result is no error: %s", out.Structured)
		}
		return ""
	}
	if out.Err != nil || out.IsError {
		return fmt.Sprintf("the result failed: %v %s", out.Err, out.Text)
	}
	if p.output == nil {
		if v.Kind() == reflect.String && out.Text != v.String() {
			return fmt.Sprintf("the text is %q", out.Text)
		}
		return ""
	}
	ours, err := ParseNode(string(out.Structured))
	if err != nil {
		return fmt.Sprintf("the result is not JSON: %v: %s", err, out.Structured)
	}
	if strings.ContainsAny(string(out.Structured), "\n\r") {
		return fmt.Sprintf("the result has a line break: %s", out.Structured)
	}
	if err := p.output.Validate(ours.Any()); err != nil {
		return fmt.Sprintf("the result is invalid: %v: %s", err, out.Structured)
	}
	their, err := ParseNode(string(theirs))
	if err != nil {
		return "encoding/json: " + err.Error()
	}
	if d := outputs("", ours, their, p.goType); d != "" {
		return "the result is not what encoding/json writes: " + d
	}
	return ""
}
