package spec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/internal/uritemplate"
)

// revisions are the revisions of the protocol with a schema, oldest first.
var revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// newest is the revision in which each request names its revision.
const newest = "2026-07-28"

// Dir returns the folder of the schemas. Without one, it skips the test.
func Dir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("MCP_SPEC_DIR")
	if dir == "" {
		t.Skip("MCP_SPEC_DIR is not set: messages are not validated against the official schemas " +
			"(schema/REVISION/schema.json of github.com/modelcontextprotocol/modelcontextprotocol)")
	}
	return dir
}

// schemas returns the schemas of all revisions, which are read at the first call.
var schemas = sync.OnceValues(func() (map[string]*schema, error) {
	all := map[string]*schema{}
	for _, revision := range revisions {
		s, err := readSchema(filepath.Join(os.Getenv("MCP_SPEC_DIR"), revision, "schema.json"))
		if err != nil {
			return nil, err
		}
		s.revision = revision
		all[revision] = s
	}
	return all, nil
})

// schema is the schema of one revision.
type schema struct {
	revision string
	file     string
	keyword  string                     // $defs, or definitions
	has      map[string]json.RawMessage // definitions by name
	byMethod map[string]string          // definitions of requests and notifications
	union    map[string]map[string]bool // methods of ClientRequest and the like

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
	valid    map[uint64]bool // validated messages, by definition and text
}

func readSchema(file string) (*schema, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var root map[string]json.RawMessage
	if err := json.Unmarshal(data, &root); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	s := &schema{
		file: file, keyword: "$defs", byMethod: map[string]string{}, union: map[string]map[string]bool{},
		compiler: jsonschema.NewCompiler(), compiled: map[string]*jsonschema.Schema{}, valid: map[uint64]bool{},
	}
	// The format of the validator refuses variables in the authority.
	s.compiler.RegisterFormat(&jsonschema.Format{Name: "uri-template", Validate: func(v any) error {
		if text, ok := v.(string); ok {
			_, err := uritemplate.Parse(text)
			return err
		}
		return nil
	}})
	if root[s.keyword] == nil {
		s.keyword = "definitions"
	}
	if err := json.Unmarshal(root[s.keyword], &s.has); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	// Forms contain numbers, and schema.ts allows them among the values of ElicitResult; the
	// conversion to JSON Schema has turned them into integers.
	if answer := s.has["ElicitResult"]; answer != nil {
		s.has["ElicitResult"] = bytes.Replace(answer, []byte(`"integer"`), []byte(`"number"`), 1)
	}
	if root[s.keyword], err = json.Marshal(s.has); err != nil {
		return nil, err
	}
	if data, err = json.Marshal(root); err != nil {
		return nil, err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if err := s.compiler.AddResource(file, value); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	type definition struct {
		AnyOf []struct {
			Ref string `json:"$ref"`
		} `json:"anyOf"`
		Properties struct {
			Method struct {
				Const string `json:"const"`
			} `json:"method"`
		} `json:"properties"`
	}
	all := map[string]definition{}
	for name, text := range s.has {
		var d definition
		if err := json.Unmarshal(text, &d); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", file, name, err)
		}
		all[name] = d
	}
	for name, d := range all {
		method := d.Properties.Method.Const
		switch name {
		case "ClientRequest", "ServerRequest", "ClientNotification", "ServerNotification", "InputRequest":
			members := map[string]bool{}
			for _, m := range d.AnyOf {
				members[all[m.Ref[strings.LastIndexByte(m.Ref, '/')+1:]].Properties.Method.Const] = true
			}
			if method != "" { // a union with one member is written as that member
				members[method] = true
			}
			s.union[name] = members
		default:
			if method != "" {
				s.byMethod[method] = name
			}
		}
	}
	return s, nil
}

// Union returns the sorted methods of a union in the schema of a revision, such as ClientRequest,
// or nil if the revision does not define it. Without schemas it skips the test.
func Union(t testing.TB, revision, name string) []string {
	t.Helper()
	Dir(t)
	all, err := schemas()
	if err != nil {
		t.Fatal(err)
	}
	if all[revision] == nil {
		t.Fatalf("there is no schema of %s", revision)
	}
	return slices.Sorted(maps.Keys(all[revision].union[name]))
}

// resultOf returns the definition of a method's result. A method without its own definition has an
// empty result; a method that the revision does not define may have any result.
func (s *schema) resultOf(method string) string {
	request, ok := s.byMethod[method]
	if !ok {
		return "Result"
	}
	if name := strings.TrimSuffix(request, "Request") + "Result"; s.has[name] != nil {
		return name
	}
	return "EmptyResult"
}

// errorOf returns the definition of errors with a code.
func (s *schema) errorOf(code int) string {
	if s.revision == newest {
		switch code {
		case -32020:
			return "HeaderMismatchError"
		case -32021:
			return "MissingRequiredClientCapabilityError"
		case -32022:
			return "UnsupportedProtocolVersionError"
		}
	}
	return s.first("JSONRPCErrorResponse", "JSONRPCError")
}

// first returns the first of the names that the revision defines.
func (s *schema) first(names ...string) string {
	for _, name := range names {
		if s.has[name] != nil {
			return name
		}
	}
	return names[0]
}

var (
	seed = maphash.MakeSeed()

	// The parts of a number that would take the validator minutes.
	digits   = regexp.MustCompile(`[0-9]{400,}`)
	exponent = regexp.MustCompile(`[eE][+-]?[0-9]{4,}`)
)

// validate validates a text against a definition.
func (s *schema) validate(name string, text []byte) error {
	var h maphash.Hash
	h.SetSeed(seed)
	_, _ = h.WriteString(name)
	_, _ = h.Write(text)
	key := h.Sum64()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.valid[key] {
		return nil
	}
	compiled := s.compiled[name]
	if compiled == nil {
		if s.has[name] == nil {
			return fmt.Errorf("revision %s has no definition %s", s.revision, name)
		}
		var err error
		if compiled, err = s.compiler.Compile(s.file + "#/" + s.keyword + "/" + name); err != nil {
			return err
		}
		s.compiled[name] = compiled
	}
	if longestNumber(text) >= 4 {
		text = exponent.ReplaceAll(digits.ReplaceAll(text, []byte("9")), []byte("e99"))
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	if err := compiled.Validate(value); err != nil {
		return fmt.Errorf("not a %s of %s: %w", name, s.revision, err)
	}
	if len(s.valid) < 1<<16 {
		s.valid[key] = true
	}
	return nil
}
