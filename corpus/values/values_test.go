package values

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/corpus/internal/validator"
	"github.com/mcpgen/mcpgen/internal/proof/zoo/identity"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// TestSpecs runs all steps for one package: the structs of the runtime specification of the Open
// Container Initiative, wrapped, generated, served and called.
func TestSpecs(t *testing.T) {
	t.Chdir("..")
	t.Cleanup(func() {
		if err := os.RemoveAll("out/short"); err != nil {
			t.Error(err)
		}
	})
	for _, args := range [][]string{
		{"run", "./wrap", "-name", "short", "-package", "github.com/opencontainers/runtime-spec/specs-go"},
		{"test", "-count=1", "-run", "^TestValues$", "./out/short"},
	} {
		cmd := exec.Command("go", args...)
		cmd.Env = append(os.Environ(), "CORPUS_VALUES=20")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

type point struct {
	X int     `json:"x"`
	Y *string `json:"y,omitempty"`
}

// Servers with each of the faults that Run looks for.
func TestWrongIsFound(t *testing.T) {
	const schema = `{"type":"object","properties":{"x":{"type":"integer"},"y":{"type":"string"}},"required":["x"],"additionalProperties":false}`
	strict := func(arguments []byte) (p point, err error) {
		d := json.NewDecoder(strings.NewReader(string(arguments)))
		d.DisallowUnknownFields()
		err = d.Decode(&p)
		if err == nil && !strings.Contains(string(arguments), `"x"`) {
			err = context.Canceled
		}
		return p, err
	}
	for name, test := range map[string]struct {
		input, output string
		answer        func(ctx context.Context, arguments []byte) (any, error)
		want          string
	}{
		"valid and refused": {schema, schema, func(ctx context.Context, arguments []byte) (any, error) {
			p, err := strict(arguments)
			if err == nil && p.X == 7 {
				return nil, context.Canceled
			}
			return identity.Object(ctx, p), err
		}, "valid, and refused"},
		"accepted and not valid": {schema, schema, func(ctx context.Context, arguments []byte) (any, error) {
			var p point
			_ = json.Unmarshal(arguments, &p)
			return identity.Object(ctx, p), nil
		}, "accepted, and not valid"},
		"another value": {schema, schema, func(ctx context.Context, arguments []byte) (any, error) {
			p, err := strict(arguments)
			if err != nil {
				return nil, err
			}
			p = identity.Object(ctx, p)
			p.X &= 0xFF
			return p, nil
		}, "by encoding/json"},
		"a result that is not valid": {schema, strings.ReplaceAll(schema, `"integer"`, `"boolean"`), func(ctx context.Context, arguments []byte) (any, error) {
			p, err := strict(arguments)
			if err != nil {
				return nil, err
			}
			return identity.Object(ctx, p), nil
		}, "is not valid: "},
	} {
		server := func(options ...mcp.Option) *mcp.Server {
			s := mcp.NewServer(mcp.ServerInfo{Name: "wrong"}, options...)
			s.Register(mcp.NewTool(mcp.ToolInfo{Name: "point", InputSchema: test.input, OutputSchema: test.output},
				func(ctx context.Context, arguments json.RawMessage) (*mcp.ToolResult, error) {
					v, err := test.answer(ctx, arguments)
					if err != nil {
						return nil, err
					}
					text, err := json.Marshal(v)
					if err != nil {
						return nil, err
					}
					return &mcp.ToolResult{Structured: text}, nil
				}))
			return s
		}
		p := run(t, Config{Server: server, Types: map[string]any{"point": point{}}, Values: 100, Seed: 1})
		if all := strings.Join(p.findings, "\n"); !strings.Contains(all, test.want) {
			t.Errorf("%s: found %d: %s", name, len(p.findings), all)
		}
	}
}

func TestDiffer(t *testing.T) {
	for _, test := range []struct {
		got, want string
		same      bool
	}{
		{`{"a":1,"b":[]}`, `{"a":1.0,"b":null,"c":null}`, true},
		{`{"a":9007199254740993}`, `{"a":9007199254740992}`, false},
		{`{"a":1,"b":2}`, `{"a":1}`, false},
		{`{}`, `{"a":1}`, false},
		{`[1,2]`, `[1]`, false},
		{`"a"`, `"b"`, false},
		{`{"a":[0]}`, `{"a":null}`, false},
		{`null`, `{}`, false},
	} {
		if where := differ("v", mustParse([]byte(test.got)), mustParse([]byte(test.want))); (where == "") != test.same {
			t.Errorf("%s and %s: %q", test.got, test.want, where)
		}
	}
}

// TestFill checks that all kinds of members are filled, nil and not.
func TestFill(t *testing.T) {
	type all struct {
		B bool
		I int8
		U uint16
		F float32
		S string
		P *all
		L []string
		M map[string]int
		A [2]int
	}
	r := rand.New(rand.NewPCG(1, 2))
	set := map[string]bool{}
	for range 200 {
		var v all
		Unions(nil).fill(r, reflect.ValueOf(&v).Elem(), 0)
		fields := reflect.ValueOf(v)
		for i := range fields.NumField() {
			if !fields.Field(i).IsZero() {
				set[fields.Type().Field(i).Name] = true
			}
		}
	}
	if len(set) != reflect.TypeFor[all]().NumField() {
		t.Errorf("filled only %v", set)
	}
}

type shape interface{ shape() }

type circle struct{ R int }

type group struct {
	Name   string `json:"name"`
	Shapes []shape
	*inner
}

type inner struct{ By map[string]shape }

func (circle) shape() {}
func (*group) shape() {}

func TestUnions(t *testing.T) {
	u := Unions{reflect.TypeFor[shape](): Of(circle{}, &group{})}
	v := group{Name: "g", Shapes: []shape{circle{1}, &group{Shapes: []shape{nil}}}, inner: &inner{map[string]shape{"a": circle{2}}}}
	tree, err := u.marshal(reflect.ValueOf(v))
	want := `{"name":"g","Shapes":[{"type":"circle","R":1},{"type":"group","name":"","Shapes":[null]}],"By":{"a":{"type":"circle","R":2}}}`
	if err != nil || !reflect.DeepEqual(tree, mustParse([]byte(want))) {
		t.Errorf("%s, %v", short(tree), err)
	}
	seen := map[string]bool{}
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		var v group
		u.fill(r, reflect.ValueOf(&v).Elem(), 0)
		for _, s := range v.Shapes {
			seen[reflect.TypeOf(s).String()] = true
		}
	}
	if len(seen) != 2 {
		t.Errorf("filled only %v", seen)
	}
	if !u.within(reflect.TypeFor[map[string]*group](), map[reflect.Type]bool{}) || u.within(reflect.TypeFor[point](), map[reflect.Type]bool{}) {
		t.Error("within")
	}
	for argument, value := range map[string]string{
		`{"a":1,"b":null}`:      `{"a":1.0,"c":{"d":[],"e":""}}`,
		`[{"type":"x"},"text"]`: `[{"type":"x"},"text"]`,
	} {
		if where := lost("v", mustParse([]byte(argument)), mustParse([]byte(value))); where != "" {
			t.Errorf("%s: %s", argument, where)
		}
	}
	for argument, value := range map[string]string{
		`{"a":1}`:         `{}`,
		`{}`:              `{"a":1}`,
		`[1]`:             `[1,2]`,
		`{"type":"x"}`:    `{"type":"y"}`,
		`{"a":[]}`:        `{"a":[1]}`,
		`{"a":{"b":"c"}}`: `{"a":{"b":"d"}}`,
	} {
		if lost("v", mustParse([]byte(argument)), mustParse([]byte(value))) == "" {
			t.Errorf("%s is %s", argument, value)
		}
	}
}

// lenient accepts numbers besides the strings of its schema, but no lists.
type lenient struct{ text string }

func (l *lenient) UnmarshalJSON(text []byte) error {
	if text[0] == '[' {
		panic("a list")
	}
	l.text = string(text)
	return nil
}

func TestByMethods(t *testing.T) {
	type outer struct {
		L []*lenient `json:"l"`
		N int        `json:"n"`
	}
	const text = `{"type":"object","properties":{"l":{"type":"array","items":{"type":"string"}},"n":{"type":"integer"}},"additionalProperties":false}`
	compiled, err := validator.Open([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for value, excused := range map[string]bool{
		`{"l":["a",1]}`:         true,
		`{"l":["a",[]]}`:        false,
		`{"l":[1],"n":"x"}`:     false,
		`{"l":[1],"surplus":1}`: false,
		`{"l":3}`:               false,
	} {
		v := mustParse([]byte(value))
		invalid := compiled.Validate(plain(v))
		if invalid == nil || byMethods(reflect.TypeFor[outer](), v, invalid) != excused {
			t.Errorf("%s: %v", value, invalid)
		}
	}
}
