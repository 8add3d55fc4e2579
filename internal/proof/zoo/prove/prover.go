package prove

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// prover checks one tool.
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
	form    forms
	result  reflect.Type // of the result, if it differs
	working *Node        // a value that was accepted
}

func proveTool(session *Session, tool Tool, cfg Config, values int) *Report {
	p := &prover{session: session, tool: tool, report: &Report{Tools: 1, Exceptions: map[Exception]int{}}}
	p.lenient = slices.Contains(cfg.Lenient, tool.Name)
	p.form = cfg.Form
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
	// Some of the values go to the limits one by one, the others are random.
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

// full returns an accepted value with as much content as possible, or nil.
func (p *prover) full() *Node {
	var best *Node
	size := 0
	for tries := 0; tries < 300 && (tries < 60 || best == nil); tries++ {
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

// class returns a failure without its details.
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
		p.output, err = CompileClosed(out)
		note("output schema", err)
	}
	return ok
}

// check tries one value, and returns a description of the failure, or "". The exception explains an
// accepted deviation.
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
		if e, ok := p.form.refusal(n, p.schema, holderOf(p.goType, p.whole), out, func(n *Node) bool { return p.input.Validate(n.Any()) == nil }); ok {
			return "", e
		}
		return fmt.Sprintf("valid, but refused: %v %v", out.Problems, out.Err), 0
	}
	if broken(n) {
		return "accepted, although it is broken", 0
	}
	if path, ok := beyond(p.form.places(n, p.schema, holderOf(p.goType, p.whole))); ok {
		return "accepted beyond the range of the Go type: " + path, 0
	}
	if !valid && p.lenient {
		return "", AbsentNull
	}
	if !valid {
		var ok bool
		e, ok = p.form.acceptance(n, p.schema, holderOf(p.goType, p.whole), func(n *Node) bool { return p.input.Validate(n.Any()) == nil })
		if !ok {
			return fmt.Sprintf("invalid, but accepted: %v", verdict), 0
		}
	}
	if p.working == nil {
		p.working = n
	}
	return p.checkValue(n, out), e
}

// learned stores the values from the recorder.
func (p *prover) learned() {
	r := &p.session.recorder
	p.goType, p.whole, p.result = r.Type, r.Whole, r.Result
}

// learn determines the Go type.
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

// results makes the tool return random Go values.
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
		} else if out.Err == nil { // it may have no JSON form
			what = p.checkValid(v, out)
		}
		if key := class(what); what != "" && !seen[key] && len(seen) < 3 {
			seen[key] = true
			p.fail(fmt.Sprintf("%#v", v), what)
		}
	}
}
