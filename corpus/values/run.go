package values

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/corpus/internal/validator"
	"github.com/mcpgen/mcpgen/internal/proof/zoo/identity"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Config configures a run.
type Config struct {
	Server func(...mcp.Option) *mcp.Server
	// Types contains the argument and result types of the tools, by tool name.
	Types map[string]any
	// Unions are the unions within the types. Others are treated as interfaces.
	Unions Unions
	// Values is the number of values sent to each tool; CORPUS_VALUES overrides it.
	Values int
	Seed   uint64
}

// prover tests the tools of one server.
type prover struct {
	r       *rand.Rand
	clients []*client
	given   *identity.Recorder // of the current call
	unions  Unions

	sent, valid, results, byMethod, unionsRead int
	findings                                   []string
}

// maxFindings limits the findings that are printed.
const maxFindings = 20

// Run sends values to every tool, most of them over one transport and some over each.
func Run(t *testing.T, cfg Config) {
	t.Helper()
	p := run(t, cfg)
	for i, finding := range p.findings {
		if i == maxFindings {
			t.Errorf("and %d more", len(p.findings)-i)
			break
		}
		t.Error(finding)
	}
	t.Logf("%d tools: %d values sent, %d valid, %d refused or taken by methods of the types, %d read with unions; %d results given",
		len(cfg.Types), p.sent, p.valid, p.byMethod, p.unionsRead, p.results)
	if p.sent == 0 || p.valid == 0 || p.results == 0 {
		t.Error("nothing was tried")
	}
}

func run(t *testing.T, cfg Config) *prover {
	t.Helper()
	count := cfg.Values
	if n, err := strconv.Atoi(os.Getenv("CORPUS_VALUES")); err == nil {
		count = n
	}
	p := &prover{r: rand.New(rand.NewPCG(cfg.Seed, 0)), unions: cfg.Unions}
	give := func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
			return next(identity.With(ctx, p.given), req)
		}
	}
	s := cfg.Server(mcp.WithInterceptors(give), mcp.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil))))
	p.given = new(identity.Recorder)
	p.clients = connect(t, s)
	tools, err := p.list()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Types)) {
		tool, ok := tools[name]
		if !ok {
			t.Errorf("%s: there is no such tool", name)
			continue
		}
		if err := p.tool(tool, reflect.TypeOf(cfg.Types[name]), count); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return p
}

// tool is a tool of tools/list.
type tool struct {
	Name                      string
	InputSchema, OutputSchema json.RawMessage
	input, output             *jsonschema.Schema
	plan                      *schema
	object                    bool // its results are objects; older revisions wrap other results
}

func (p *prover) list() (map[string]*tool, error) {
	tools := map[string]*tool{}
	for cursor := ""; ; {
		result, err := p.clients[len(p.clients)-1].ask("tools/list", cursor)
		if err != nil {
			return nil, err
		}
		var page struct {
			Tools      []*tool
			NextCursor string
		}
		if err := json.Unmarshal(result, &page); err != nil {
			return nil, err
		}
		for _, tool := range page.Tools {
			tools[tool.Name] = tool
		}
		if page.NextCursor == "" {
			return tools, nil
		}
		cursor = fmt.Sprintf(`"cursor":%q`, page.NextCursor)
	}
}

// tool tests one tool.
func (p *prover) tool(tl *tool, typ reflect.Type, count int) (err error) {
	if tl.plan, err = parseSchema(tl.InputSchema); err != nil {
		return err
	}
	result, err := parseSchema(tl.OutputSchema)
	if err != nil {
		return err
	}
	tl.object = result.Type == "object"
	if tl.input, err = validator.Open(tl.InputSchema); err != nil {
		return err
	}
	if tl.output, err = validator.Closed(tl.OutputSchema); err != nil {
		return err
	}
	g := &generator{Rand: p.r, defs: tl.plan.Defs}
	for i := range count + len(p.clients) {
		c := p.clients[0]
		if i >= count {
			c = p.clients[i-count]
		}
		var arguments []byte
		if i%3 == 2 {
			v := reflect.New(typ)
			p.unions.fill(p.r, v.Elem(), 0)
			tree, err := p.unions.marshal(v)
			if err != nil {
				continue // it contains a value that encoding/json cannot write
			}
			if arguments, err = json.Marshal(tree); err != nil {
				return err
			}
			if arguments[0] != '{' {
				arguments = []byte(`{"value":` + string(arguments) + `}`)
			}
		} else {
			value := g.value(tl.plan, 0)
			if i%3 == 1 {
				value = g.wrong(value)
			}
			if arguments, err = json.Marshal(value); err != nil {
				return err
			}
		}
		if err := p.argument(c, tl, typ, arguments); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		v := reflect.New(typ)
		p.unions.fill(p.r, v.Elem(), 0)
		if err := p.result(c, tl, v, g.value(tl.plan, 0)); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// answered is a result of tools/call.
type answered struct {
	Content           []struct{ Text string }
	StructuredContent json.RawMessage
	IsError           bool
}

func (a *answered) text() string {
	if len(a.Content) == 0 {
		return ""
	}
	return a.Content[0].Text
}

func (p *prover) call(c *client, name string, arguments []byte) (*answered, error) {
	p.given.Type, p.given.Got = nil, reflect.Value{}
	result, err := c.ask("tools/call", fmt.Sprintf(`"name":%q,"arguments":%s`, name, arguments))
	if err != nil {
		return nil, err
	}
	a := new(answered)
	return a, json.Unmarshal(result, a)
}

// argument sends arguments, which must be accepted if and only if they are valid, and must come
// back like encoding/json reads and writes them.
func (p *prover) argument(c *client, tl *tool, typ reflect.Type, arguments []byte) error {
	value, err := parse(arguments)
	if err != nil {
		return err
	}
	p.given.Instead = reflect.Value{}
	a, err := p.call(c, tl.Name, arguments)
	if err != nil {
		return err
	}
	p.sent++
	accepted := p.given.Type != nil
	invalid := tl.input.Validate(plain(value))
	if invalid == nil {
		p.valid++
	}
	// Arguments as the type itself writes them.
	own := arguments
	whole := typ // type of the arguments
	if tl.plan.Properties["value"] != nil && len(tl.plan.Properties) == 1 && hasForm(typ) {
		own = memberOf(arguments)
		whole = reflect.StructOf([]reflect.StructField{{Name: "Value", Type: typ, Tag: `json:"value"`}})
	}
	want := reflect.New(typ)
	refused := unmarshal(own, want.Interface())
	union := refused != nil && p.unions.within(typ, map[reflect.Type]bool{}) // encoding/json does not know which type to create
	switch {
	case accepted && invalid != nil:
		g := &generator{defs: tl.plan.Defs}
		switch {
		case tl.input.Validate(plain(g.withoutNulls(value, tl.plan))) == nil: // null for optional members
		case byMethods(whole, value, invalid):
			p.byMethod++
		default:
			p.find(c, tl, arguments, "accepted, and not valid: "+firstLine(invalid))
		}
	case !accepted && invalid == nil && refused != nil && !union:
		p.byMethod++ // its own method, or a range that the schema does not express
	case !accepted && invalid == nil:
		p.find(c, tl, arguments, "valid, and refused: "+a.text())
	case accepted && refused == nil:
		p.compare(c, tl, a, want, arguments)
	case accepted && union:
		p.union(c, tl, a, arguments)
	}
	return nil
}

// union compares arguments that encoding/json cannot read, and their result, with the value that
// the tool received.
func (p *prover) union(c *client, tl *tool, a *answered, arguments []byte) {
	tree, err := p.unions.marshal(p.given.Got)
	if err != nil {
		return // it does not write a value that a method created
	}
	p.unionsRead++
	if where := lost("argument", mustParse(arguments), tree); where != "" {
		p.find(c, tl, arguments, where)
	}
	p.compare(c, tl, a, p.given.Got, arguments)
}

// result makes the tool return a value.
func (p *prover) result(c *client, tl *tool, v reflect.Value, arguments any) error {
	text, err := json.Marshal(arguments)
	if err != nil || tl.input.Validate(plain(mustParse(text))) != nil {
		return nil // the random value is invalid by chance
	}
	p.given.Instead = v.Elem()
	a, err := p.call(c, tl.Name, text)
	p.given.Instead = reflect.Value{}
	if err != nil || p.given.Type == nil {
		return err
	}
	p.results++
	p.compare(c, tl, a, v, text)
	return nil
}

// compare compares a result with the output schema and encoding/json.
func (p *prover) compare(c *client, tl *tool, a *answered, v reflect.Value, arguments []byte) {
	want, err := p.unions.marshal(v)
	switch {
	case a.IsError && err != nil:
		return
	case a.IsError:
		p.find(c, tl, arguments, "the result "+short(want)+" is an error: "+a.text())
		return
	}
	got, broken := parse(a.StructuredContent)
	if broken != nil {
		p.find(c, tl, arguments, "the result "+string(a.StructuredContent)+" is not JSON")
		return
	}
	if invalid := tl.output.Validate(plain(got)); invalid != nil && c.meta != "" {
		p.find(c, tl, arguments, "the result "+string(a.StructuredContent)+" is not valid: "+firstLine(invalid))
	}
	if err != nil {
		return
	}
	if wrapper, ok := got.(map[string]any); ok && c.meta == "" && !tl.object {
		got = wrapper["result"]
	}
	if where := differ("result", got, want); where != "" {
		p.find(c, tl, arguments, where)
	}
}

func (p *prover) find(c *client, tl *tool, arguments []byte, what string) {
	p.findings = append(p.findings, fmt.Sprintf("%s over %s: %s\n%s", tl.Name, c.name, what, arguments))
}

// withoutNulls removes members that are null and not required, which count as missing.
func (g *generator) withoutNulls(v any, s *schema) any {
	if name, ok := strings.CutPrefix(s.reference(), "#/$defs/"); ok {
		s = g.defs[name]
	}
	if s == nil {
		return v
	}
	for _, some := range [][]*schema{s.AnyOf, s.OneOf} {
		for _, one := range some {
			v = g.withoutNulls(v, one)
		}
	}
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, member := range v {
			if property := s.Properties[name]; property == nil {
				if elem, err := parseSchema(s.AdditionalProperties); err == nil {
					member = g.withoutNulls(member, elem)
				}
			} else if member == nil && !slices.Contains(s.Required, name) {
				continue
			} else {
				member = g.withoutNulls(member, property)
			}
			out[name] = member
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = g.withoutNulls(v[i], s.Items)
		}
		return out
	}
	return v
}

func (s *schema) reference() string {
	if s == nil {
		return ""
	}
	return s.Ref
}

// plain converts a value for the validator.
func plain(v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // it came from JSON
	}
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		panic(err)
	}
	return out
}

func mustParse(text []byte) any {
	v, err := parse(text)
	if err != nil {
		panic(err) // from json.Marshal
	}
	return v
}

// memberOf returns the argument named value.
func memberOf(arguments []byte) []byte {
	var object struct{ Value json.RawMessage }
	if json.Unmarshal(arguments, &object) != nil || object.Value == nil {
		return arguments
	}
	return object.Value
}

func firstLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
