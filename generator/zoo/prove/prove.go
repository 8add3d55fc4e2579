// Package prove holds generated tools against their published schemas, and
// against encoding/json. It is for tests, of any package whose tools return what
// they are given by way of package identity.
//
// The property is: a value is accepted exactly when it is valid, is decoded to
// what encoding/json makes of it, and comes back as valid against the output
// schema and equal. What is outside of it is an [Exception].
package prove

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"net/netip"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Config says what to prove.
type Config struct {
	Server func(...mcp.Option) *mcp.Server
	// Values is how many values are tried altogether; MCPGEN_LONG in the
	// environment replaces it.
	Values int
	Seed   uint64
	// OddNames are property names that clients may refuse, and the Go source
	// insists on.
	OddNames []string
	// AnyNames allows every property name.
	AnyNames bool
	// Lenient are tools that accept more than is valid.
	Lenient []string
	// Directives are tools with lines of //mcp:arg, of which the Go types know
	// nothing.
	Directives []string
	// Own reports whether a type of the tool has a JSON form that encoding/json
	// does not have: unions, types of the built-in table, converted ones. Such
	// tools are proven by round trip. It may be nil.
	Own func(tool string) bool
	// Skip are tools that are left out, with the reason.
	Skip map[string]string
}

func (c Config) odd(name string) bool { return c.AnyNames || slices.Contains(c.OddNames, name) }

// Report is what came of it.
type Report struct {
	Tools, Values, Accepted, Refused, Results int
	Exceptions                                map[Exception]int
	Failures                                  []Failure
}

// Failure is a value on which two sides disagree.
type Failure struct {
	Tool, Value, What string
}

func (r *Report) add(other *Report) {
	r.Tools += other.Tools
	r.Values += other.Values
	r.Accepted += other.Accepted
	r.Refused += other.Refused
	r.Results += other.Results
	for e, n := range other.Exceptions {
		r.Exceptions[e] += n
	}
	r.Failures = append(r.Failures, other.Failures...)
}

// String is a summary in one line.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d tools, %d values: %d accepted, %d refused; %d results; %d disagreements; exceptions", r.Tools, r.Values, r.Accepted, r.Refused, r.Results, len(r.Failures))
	for _, e := range slices.Sorted(maps.Keys(r.Exceptions)) {
		fmt.Fprintf(&b, " %d: %d", e, r.Exceptions[e])
	}
	return b.String()
}

// Run proves all tools of a server.
func Run(t *testing.T, cfg Config) *Report {
	t.Helper()
	if long, err := strconv.Atoi(os.Getenv("MCPGEN_LONG")); err == nil {
		cfg.Values = long
	}
	session := Connect(t, cfg.Server, Modern)
	tools, err := session.Tools()
	if err != nil {
		t.Fatal(err)
	}
	tools = slices.DeleteFunc(tools, func(tool Tool) bool { return cfg.Skip[tool.Name] != "" })
	total := &Report{Exceptions: map[Exception]int{}}
	var mu sync.Mutex
	var workers sync.WaitGroup
	next := make(chan Tool)
	for range runtime.GOMAXPROCS(0) {
		session := Connect(t, cfg.Server, Modern)
		workers.Go(func() {
			for tool := range next {
				r := proveTool(session, tool, cfg, cfg.Values/len(tools))
				mu.Lock()
				total.add(r)
				mu.Unlock()
			}
		})
	}
	for _, tool := range tools {
		next <- tool
	}
	close(next)
	workers.Wait()
	slices.SortFunc(total.Failures, func(a, b Failure) int { return strings.Compare(a.Tool+a.What, b.Tool+b.What) })
	for _, f := range total.Failures {
		t.Errorf("%s\n\tvalue: %s\n\t%s", f.Tool, f.Value, f.What)
	}
	t.Log(total)
	return total
}

// Wrapped proves the form of the schemas and results for revisions that want an
// object at the root, with a few values for each tool.
func Wrapped(t *testing.T, cfg Config) {
	t.Helper()
	session := Connect(t, cfg.Server, Legacy)
	tools, err := session.Tools()
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools {
		if len(tool.OutputSchema) == 0 {
			continue
		}
		for _, s := range Style(string(tool.OutputSchema), false, cfg.odd) {
			t.Errorf("%s: style of the output schema at %s", tool.Name, s)
		}
		if root, err := ParseSchema(string(tool.OutputSchema)); err != nil || root.Type != "object" {
			t.Errorf("%s: the root of the output schema is no object: %s", tool.Name, tool.OutputSchema)
		}
		output, err := Compile(string(tool.OutputSchema))
		if err != nil {
			t.Errorf("%s: %v", tool.Name, err)
			continue
		}
		input, err := ParseSchema(string(tool.InputSchema))
		if err != nil {
			t.Errorf("%s: %v", tool.Name, err)
			continue
		}
		r := newSource(cfg.Seed, 7)
		for range 20 {
			out, err := session.Call(tool.Name, r.begin(input).Append(nil), reflect.Value{})
			if err != nil {
				t.Fatal(err)
			}
			if out.Structured == nil || out.IsError {
				continue
			}
			sent, err := ParseNode(string(out.Sent))
			if err != nil {
				t.Fatalf("%s: %v: %s", tool.Name, err, out.Sent)
			}
			if err := output.Validate(sent.Any()); err != nil {
				t.Errorf("%s: %s: %v", tool.Name, out.Sent, err)
			}
		}
	}
}

// Compile compiles a schema as draft 2020-12, with assertion of formats.
func Compile(data string) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(data))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.RegisterFormat(&jsonschema.Format{Name: "ipv4", Validate: ipv4})
	c.RegisterFormat(&jsonschema.Format{Name: "time", Validate: timeOfDay})
	if err := c.AddResource("schema.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("schema.json")
}

// ipv4 is the format for the validator, whose own lets plus signs pass.
func ipv4(v any) error {
	s, ok := v.(string)
	if !ok {
		return nil
	}
	a, err := netip.ParseAddr(s)
	if err == nil && !a.Is4() {
		err = errors.New("not of version 4")
	}
	return err
}

// timeOfDay is the format for the validator, whose own lets plus signs pass.
func timeOfDay(v any) error {
	s, ok := v.(string)
	if !ok {
		return nil
	}
	if len(s) < 9 || !fullTime.MatchString(s) {
		return errors.New("not a time")
	}
	return nil
}

var fullTime = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`)

// prover proves one tool.
type prover struct {
	session *Session
	tool    Tool
	schema  *Schema
	written *Schema // of the results
	input   *jsonschema.Schema
	output  *jsonschema.Schema
	report  *Report
	r       *source
	goType  reflect.Type
	whole   bool
	lenient bool
	own     bool
	result  reflect.Type // of the result, if it is another one
	working *Node        // a value that was accepted
}

func proveTool(session *Session, tool Tool, cfg Config, values int) *Report {
	p := &prover{session: session, tool: tool, report: &Report{Tools: 1, Exceptions: map[Exception]int{}}}
	p.lenient = slices.Contains(cfg.Lenient, tool.Name)
	p.own = cfg.Own != nil && cfg.Own(tool.Name)
	h := fnv.New64()
	h.Write([]byte(tool.Name))
	p.r = newSource(cfg.Seed, h.Sum64())
	if !p.prepare(cfg) {
		return p.report
	}
	seen := map[string]bool{}
	try := func(n *Node) bool {
		p.report.Values++
		what, e := p.check(n, true)
		if e != 0 {
			p.report.Exceptions[e]++
		}
		if what == "" || len(seen) >= 3 {
			return true
		}
		small, what := p.shrink(n, what)
		if key := class(what); !seen[key] {
			seen[key] = true
			p.fail(small.String(), what)
		}
		return true
	}
	// A part goes to the limits one by one, the rest is at random.
	before := p.report.Values
	p.r.directed(p.schema, p.full, values/3, try)
	for i := range max(values/2, values-(p.report.Values-before)) {
		n := p.r.begin(p.schema)
		if i%3 != 0 {
			n = n.Clone()
			p.r.mutate(n)
		}
		try(n)
	}
	if p.working == nil && values > 0 {
		p.fail("", "no value was accepted")
		return p.report
	}
	p.results(values / 4)
	return p.report
}

// full makes a value that is accepted and has as much in it as possible, nil if
// there is none.
func (p *prover) full() *Node {
	var best *Node
	size := 0
	for range 300 {
		n := p.r.begin(p.schema)
		if p.input.Validate(n.Any()) != nil {
			continue
		}
		count := 0
		n.walk("", func(string, *Node) { count++ })
		if count <= size || count > 2000 {
			continue
		}
		if out, err := p.session.Call(p.tool.Name, n.Append(nil), reflect.Value{}); err == nil && out.Accepted {
			best, size = n, count
		}
	}
	return best
}

// class is a failure without its details.
func class(what string) string {
	head, _, _ := strings.Cut(what, ":")
	return head
}

func (p *prover) fail(value, what string) {
	p.report.Failures = append(p.report.Failures, Failure{p.tool.Name, value, what})
}

// prepare compiles the schemas and checks their style.
func (p *prover) prepare(cfg Config) bool {
	var err error
	ok := true
	note := func(what string, err error) {
		if err != nil {
			p.fail("", fmt.Sprintf("%s: %v", what, err))
			ok = false
		}
	}
	if !plainTool.MatchString(p.tool.Name) {
		p.fail("", "the name of the tool is not plain")
	}
	in, out := string(p.tool.InputSchema), string(p.tool.OutputSchema)
	for _, s := range Style(in, true, cfg.odd) {
		p.fail("", "style of the input schema at "+s)
	}
	p.schema, err = ParseSchema(in)
	note("input schema", err)
	p.input, err = Compile(in)
	note("input schema", err)
	if out != "" {
		for _, s := range Style(out, false, cfg.odd) {
			p.fail("", "style of the output schema at "+s)
		}
		p.written, err = ParseSchema(out)
		note("output schema", err)
		p.output, err = Compile(out)
		note("output schema", err)
	}
	return ok
}

// check tries one value, and says what is wrong. The exception is the one that
// explains a disagreement.
func (p *prover) check(n *Node, count bool) (what string, e Exception) {
	verdict := p.input.Validate(n.Any())
	valid := verdict == nil
	out, err := p.session.Call(p.tool.Name, n.Append(nil), reflect.Value{})
	if err != nil {
		return "the connection failed: " + err.Error(), 0
	}
	if out.Accepted && p.goType == nil {
		p.learned()
	}
	if count {
		if out.Accepted {
			p.report.Accepted++
		} else {
			p.report.Refused++
		}
	}
	if !out.Accepted {
		if !valid {
			return "", 0
		}
		if p.goType == nil && !broken(n) {
			p.learn()
		}
		if p.goType == nil {
			return "", 0
		}
		if e, ok := refusal(n, p.schema, holderOf(p.goType, p.whole), out); ok {
			return "", e
		}
		return fmt.Sprintf("valid, but refused: %v %v", out.Problems, out.Err), 0
	}
	if broken(n) {
		return "accepted, although it is broken", 0
	}
	if !valid && p.lenient {
		return "", AbsentNull
	}
	if !valid {
		var ok bool
		e, ok = acceptance(n, p.schema, holderOf(p.goType, p.whole), func(n *Node) bool { return p.input.Validate(n.Any()) == nil })
		if !ok {
			return fmt.Sprintf("invalid, but accepted: %v", verdict), 0
		}
	}
	if p.working == nil {
		p.working = n
	}
	return p.checkValue(n, out), e
}

// learned keeps what the recorder has seen.
func (p *prover) learned() {
	r := &p.session.recorder
	p.goType, p.whole, p.result = r.Type, r.Whole, r.Result
}

// learn finds out the Go type.
func (p *prover) learn() {
	r := newSource(2, 2)
	for range 2000 {
		n := r.begin(p.schema)
		if _, err := p.session.Call(p.tool.Name, n.Append(nil), reflect.Value{}); err != nil {
			return
		}
		if t := p.session.recorder.Type; t != nil {
			p.learned()
			p.working = n
			return
		}
	}
}

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

// results lets the tool return Go values as they come.
func (p *prover) results(values int) {
	if p.goType == nil {
		return
	}
	seen := map[string]bool{}
	arguments := p.working.Append(nil)
	for range values {
		t := p.goType
		if p.result != nil {
			t = p.result
		}
		v := reflect.New(t).Elem()
		p.r.fill(v, 0)
		out, err := p.session.Call(p.tool.Name, arguments, v)
		if err != nil {
			p.fail("", err.Error())
			return
		}
		p.report.Results++
		var what string
		if !p.own {
			what = p.checkResult(v, out)
		} else if out.Err == nil { // it may have no form
			what = p.checkValid(out)
		}
		if key := class(what); what != "" && !seen[key] && len(seen) < 3 {
			seen[key] = true
			p.fail(fmt.Sprintf("%#v", v), what)
		}
	}
}

// shrink takes parts off a value as long as it fails in the same way.
func (p *prover) shrink(n *Node, what string) (*Node, string) {
	for range 200 {
		smaller := false
		for _, candidate := range parts(n) {
			if w, _ := p.check(candidate, false); class(w) == class(what) && w != "" {
				n, what, smaller = candidate, w, true
				break
			}
		}
		if !smaller {
			break
		}
	}
	return n, what
}

// parts are copies of a value that lack a member or an element each.
func parts(n *Node) []*Node {
	var out []*Node
	for i := range n.Members {
		c := *n
		c.Members = slices.Delete(slices.Clone(n.Members), i, i+1)
		out = append(out, &c)
	}
	for i := range n.Items {
		c := *n
		c.Items = slices.Delete(slices.Clone(n.Items), i, i+1)
		out = append(out, &c)
	}
	for i := range n.Members {
		for _, inner := range parts(n.Members[i].Value) {
			c := *n
			c.Members = slices.Clone(n.Members)
			c.Members[i].Value = inner
			out = append(out, &c)
		}
	}
	for i := range n.Items {
		for _, inner := range parts(n.Items[i]) {
			c := *n
			c.Items = slices.Clone(n.Items)
			c.Items[i] = inner
			out = append(out, &c)
		}
	}
	return out
}
