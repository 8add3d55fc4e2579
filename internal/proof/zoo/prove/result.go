package prove

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

// checkValue compares the decoded value and the result with encoding/json.
func (p *prover) checkValue(n *Node, out *Outcome) string {
	if p.own {
		p.excused(OwnForms)
		return p.checkTrip(out.Value, out)
	}
	want, err := reference(n, p.schema, p.goType, p.whole, p.excused)
	if err != nil && anyKey(p.goType, twoForms) {
		p.excused(KeyForms)
		return p.checkTrip(out.Value, out)
	}
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
	if bytes.Contains(p.tool.OutputSchema, []byte("µs")) { // durations that are encoded as text
		text, err := ParseNode(string(data))
		if err != nil {
			return "result is not JSON: " + err.Error()
		}
		data = plain(text, p.written, p.goType, p.excused).Append(nil)
	}
	if err := json.Unmarshal(data, back.Interface()); err != nil {
		if anyKey(p.goType, twoForms) {
			p.excused(KeyForms)
			return p.checkTrip(out.Value, out)
		}
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

// checkTrip compares a value with the value that its result decodes to.
func (p *prover) checkTrip(v reflect.Value, out *Outcome) string {
	if what := p.checkValid(v, out); what != "" || p.result != nil || !p.whole {
		return what
	}
	if out.IsError {
		return "" // the result has no value
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

// checkValid validates a result by the output schema alone.
func (p *prover) checkValid(v reflect.Value, out *Outcome) string {
	if out.Err == nil && out.IsError && out.Text == "nothing found" && nothing(v) {
		p.excused(NothingFound)
		return ""
	}
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

// nothing reports whether a result has no value.
func nothing(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return v.IsNil() || nothing(v.Elem())
	case reflect.Struct:
		flag := v.FieldByName("Valid")
		return v.IsZero() || flag.IsValid() && (!flag.Bool() || nothing(v.Field(0)))
	}
	return false
}

// excused counts a difference that has a number.
func (p *prover) excused(e Exception) { p.report.Exceptions[e]++ }

// lossy reports whether encoding/json does not preserve a value either.
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

// checkResult compares a result with the output schema and encoding/json.
func (p *prover) checkResult(v reflect.Value, out *Outcome) string {
	theirs, err := marshal(v.Addr().Interface())
	if err != nil {
		if _, unsupported := errors.AsType[*json.UnsupportedTypeError](err); unsupported && anyKey(p.goType, shy) {
			p.excused(PointerMethods)
			return p.checkValid(v, out)
		}
		if out.Err == nil && !out.IsError {
			return fmt.Sprintf("written, but encoding/json refuses: %v, got %s", err, out.Structured)
		}
		return ""
	}
	if n, bad := ParseNode(string(theirs)); out.Err != nil && (!utf8.Valid(theirs) || bad == nil && broken(n)) {
		p.excused(CheckedOutput)
		return ""
	}
	if v.Kind() == reflect.Pointer && v.IsNil() {
		if !out.IsError || out.Structured != nil {
			return fmt.Sprintf("a nil result is not an error: %s", out.Structured)
		}
		p.excused(NothingFound)
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
	if d := outputs("", ours, their, p.goType, true, p.excused); d != "" {
		return "the result is not what encoding/json writes: " + d
	}
	return ""
}
