package schema

import (
	"go/types"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// TestDiagnostics resolves X, a type, or the first parameter of a function X, and compares the
// printed diagnostics, position and hint included.
func TestDiagnostics(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"channel", `type X chan int`,
			"a.go:2:6: tool X: type X cannot be expressed in JSON\n\thint: leave it out of the signature\n"},
		{"channel in a field", "type X struct {\n\tOK int\n\tCh chan int\n}",
			"a.go:4:2: tool X: field Ch: type chan int cannot be expressed in JSON\n\thint: leave the field out with `json:\"-\"`\n"},
		{"deep", "type Y struct {\n\tList []map[string]func()\n}\ntype X struct {\n\tInner *Y\n}",
			"a.go:3:2: tool X: field Inner.List[][]: type func() cannot be expressed in JSON\n\thint: leave the field out with `json:\"-\"`\n"},
		{"all of them", "type X struct {\n\tA complex64\n\tB complex128\n}",
			"a.go:3:2: tool X: field A: type complex64 cannot be expressed in JSON\n\thint: use two numbers\n" +
				"a.go:4:2: tool X: field B: type complex128 cannot be expressed in JSON\n\thint: use two numbers\n"},
		{"unsafe pointer", "import \"unsafe\"\ntype X unsafe.Pointer",
			"a.go:3:6: tool X: type X cannot be expressed in JSON\n\thint: leave it out of the signature\n"},
		{"pointer to itself", "type X *X",
			"a.go:2:6: tool X: type X cannot be expressed in JSON\n\thint: leave it out of the signature\n"},
		{"interface", "import \"io\"\nfunc X(r io.Reader) {}",
			"a.go:3:8: tool X: argument r: type io.Reader is an interface, and JSON does not have the type to make\n\thint: take a string or a []byte, and read from that; or write an //mcp:decode function for it\n"},
		{"interface both ways", "import \"io\"\ntype X struct{ R io.Reader }",
			"a.go:3:16: tool X: field R: type io.Reader is an interface, and JSON does not have the type to make\n\thint: take a string or a []byte, and read from that\n"},
		{"error", "type X struct{ Err error }",
			"a.go:2:16: tool X: field Err: type error is an error, and no error can be made of JSON\n\thint: use a string\n"},
		{"type parameter", "type X[T any] struct{ V T }",
			"a.go:2:23: tool X: field V: type parameter T has no JSON form of its own\n\thint: use a concrete type\n"},
		{"map key", "type X map[float64]int",
			"a.go:2:6: tool X: map key type float64 cannot be expressed in JSON\n\thint: use a string type for the keys, or one with text methods\n"},
		{"map key struct", "type K struct{}\ntype X struct{ M map[K]int }",
			"a.go:3:16: tool X: field M: map key type K cannot be expressed in JSON\n\thint: use a string type for the keys, or one with text methods\n"},
		{"map key pointer", "import \"time\"\nfunc X(m map[*time.Time]int) {}",
			"a.go:3:8: tool X: argument m: map key type *time.Time is not supported: two keys could have one text\n\thint: use a type whose values are equal where their texts are\n"},
		{"map key interface", "import \"encoding\"\nfunc X(m map[encoding.TextMarshaler]int) {}",
			"a.go:3:8: tool X: argument m: map key type encoding.TextMarshaler is not supported: two keys could have one text\n\thint: use a type whose values are equal where their texts are\n"},
		{"map key that is only written", "type K struct{ a int }\nfunc (K) MarshalText() ([]byte, error) { return nil, nil }\nfunc X(m map[K]int) {}",
			"a.go:4:8: tool X: argument m: map key type K has no UnmarshalText, so it has no text\n\thint: give it UnmarshalText as well\n"},
		{"map key of any form", "type K struct{ a int }\nfunc (K) MarshalJSON() ([]byte, error) { return nil, nil }\nfunc (*K) UnmarshalJSON([]byte) error { return nil }\nfunc X(m map[K]int) {}",
			"a.go:5:8: tool X: argument m: map key type K cannot be expressed in JSON\n\thint: use a string type for the keys, or one with text methods\n"},
		{"map key half", "type K int\nfunc (K) MarshalText() ([]byte, error) { return nil, nil }\ntype X map[K]int",
			"a.go:4:6: tool X: map key type K has only one of MarshalText and UnmarshalText\n\thint: give it both methods\n"},
		{"map key string with text", "type K string\nfunc (*K) UnmarshalText([]byte) error { return nil }\ntype X map[K]int",
			"a.go:4:6: tool X: map key type K cannot be used: encoding/json writes it as it is, but reads it by UnmarshalText\n\thint: use a key type without UnmarshalText\n"},
		{"half of JSON", "type X struct{}\nfunc (X) MarshalJSON() ([]byte, error) { return nil, nil }",
			"a.go:2:6: tool X: type X has only one half of its JSON form: UnmarshalJSON is missing\n\thint: give it UnmarshalJSON as well\n" +
				"a.go:2:6: warning: tool X: type X has a JSON form of its own, so the schema cannot describe it\n\thint: describe it: //mcp:schema JSON on the type\n"},
		{"half of text", "type T struct{}\nfunc (T) MarshalText() ([]byte, error) { return nil, nil }\ntype X struct {\n\tT []T\n}",
			"a.go:5:2: tool X: field T[]: type T has only one half of its JSON form: UnmarshalText is missing\n\thint: give it UnmarshalText as well\n"},
		{"text and JSON", "type X struct{}\nfunc (X) MarshalJSON() ([]byte, error) { return nil, nil }\nfunc (*X) UnmarshalText([]byte) error { return nil }",
			"a.go:2:6: tool X: type X is written as JSON but read as text, or the other way round\n\thint: give it both MarshalJSON and UnmarshalJSON, or both text methods\n"},
		{"protobuf", "type X struct{}\nfunc (*X) ProtoReflect() int { return 0 }",
			"a.go:2:6: tool X: type X is a protobuf message, which encoding/json does not write as its JSON mapping requires\n" +
				"\ta.go:2:6: the descriptor of type X is missing: package example.com/main has no file of protoc-gen-go that declares the type\n" +
				"\thint: structs and json.RawMessage are supported, messages are not: use a struct of your own and convert, or take the message as json.RawMessage and use protojson\n"},
		{"promoted MarshalJSON", "import \"time\"\ntype X struct {\n\ttime.Time\n\tLost int\n}",
			"a.go:3:6: warning: tool X: type X is written by the MarshalJSON of its embedded Time, and its other fields are lost\n\thint: name the embedded field, or give the type methods of its own\n"},
		{"promoted MarshalJSON and nothing else", "import \"time\"\ntype X struct {\n\ttime.Time\n}",
			"a.go:3:6: warning: tool X: type X has a JSON form of its own, so the schema cannot describe it\n\thint: describe it: //mcp:schema JSON on the type\n"},
		{"form of a field", "import \"math/big\"\ntype X struct{ F big.Int; I level }\ntype level struct{}\nfunc (level) MarshalJSON() ([]byte, error) { return nil, nil }\nfunc (*level) UnmarshalJSON([]byte) error { return nil }",
			"a.go:3:27: warning: tool X: field I: type level has a JSON form of its own, so the schema cannot describe it\n\thint: describe it: //mcp:schema JSON on the type\n"},
		{"option string", "import \"time\"\ntype E string\nfunc (E) MarshalText() ([]byte, error) { return nil, nil }\nfunc (*E) UnmarshalText([]byte) error { return nil }\ntype X struct {\n\tE E `json:\",string\"`\n\tT time.Time `json:\",string\"`\n}",
			"a.go:7:2: tool X: field E: the option \"string\" of the json tag cannot be used on type E\n\thint: drop the option\n"},
		{"does not compile", "// does not compile\ntype X struct{ U undefined }",
			"a.go:3:16: tool X: field U: the type could not be resolved\n\thint: make the package compile; go vet shows what is missing\n"},
		{"property name", "type X struct {\n\tA int `json:\"straße\"`\n}",
			"a.go:3:2: warning: tool X: field A: some clients refuse the property name \"straße\"\n\thint: use at most 64 letters, digits, _, . and - in the name\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := check(t, tt.text)
			typ, use, at := s.typeOf(t, "X"), Anywhere, s.place("X")
			if sig, ok := typ.(*types.Signature); ok {
				v := sig.Params().At(0)
				typ = v.Type()
				use, at = Argument, at.At(s.pkg.Fset.Position(v.Pos())).In("argument "+v.Name())
			}
			plan := s.Type(typ, use, at)
			if got := s.printed(); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			if (plan == nil) != s.diags.HasErrors() {
				t.Errorf("plan %v, but errors: %v", plan, s.diags.HasErrors())
			}
		})
	}
}

// TestTagDiagnostics checks a field of the type with each tag.
func TestTagDiagnostics(t *testing.T) {
	tests := []struct{ typ, tag, want string }{
		{"string", `jsonschema:"minLenght=1"`, `unknown jsonschema keyword "minLenght" | did you mean minLength?`},
		{"string", `jsonschema:"requird"`, `unknown jsonschema keyword "requird" | did you mean required?`},
		{"string", `jsonschema:"required,the name"`, `the tag jsonschema has the text "the name" among its keywords | write description=the name`},
		{"string", `jsonschema:"required,the part, one of a, b"`, `the tag jsonschema has the text "the part, one of a, b" among its keywords | write description=the part\\, one of a\\, b`},
		{"string", `jsonschema:"description=the part, or all of it,required"`, `the tag jsonschema has the text "or all of it" among its keywords | a comma that belongs to a value is written \\,: description=the part\\, or all of it`},
		{"string", `jsonschema:"required,enum=a, the \"name\""`, `the tag jsonschema has the text "the \"name\"" among its keywords | write description=the \"name\"`},
		{"string", `jsonschema:"required,kind"`, `unknown jsonschema keyword "kind" | a description is written description=…, with \\, for each of its commas; see docs/write/types.md for the keywords`},
		{"string", `jsonschema:"required,minLength"`, "the jsonschema keyword minLength needs a value | write minLength=…"},
		{"string", `jsonschema:"readOnly=maybe"`, `the jsonschema keyword readOnly has the value "maybe" | write readOnly alone, or with true or false`},
		{"string", `jsonschema:"oneof_required=a"`, "the jsonschema keyword oneof_required cannot be used | check it in the function, and return mcp.Errorf"},
		{"string", `jsonschema:"type=integer"`, "type=integer contradicts the Go type, which is of type string | leave it out: the schema is made from the Go type"},
		{"any", `jsonschema:"type=integer"`, "type=integer contradicts the Go type, which accepts any value | leave it out: the schema is made from the Go type"},
		{"string", `jsonschema:"minimum=1"`, "minimum cannot be used on a string | leave it out, or check it in the function"},
		{"int", `jsonschema:"minLength=1"`, "minLength cannot be used on an integer | leave it out, or check it in the function"},
		{"int", `jsonschema:"minItems=1"`, "minItems cannot be used on an integer | leave it out, or check it in the function"},
		{"[2]int", `jsonschema:"maxItems=1"`, "maxItems cannot be used on an array of fixed length | leave it out, or check it in the function"},
		{"[]any", `jsonschema:"uniqueItems=true"`, "uniqueItems can be used on lists of strings, numbers or booleans only | leave it out, or check it in the function"},
		{"bool", `jsonschema:"enum=true"`, "enum cannot be used on a boolean | leave it out, or check it in the function"},
		{"any", `jsonschema:"pattern=a"`, `pattern cannot be used on any value | describe the value, such as by schema={"type":"string","minLength":1} of //mcp:arg`},
		{"int", `json:",string" jsonschema:"minimum=1"`, "minimum cannot be used on a number that is written as a string | check it in the function"},
		{"int", `jsonschema:"minimum=0x10"`, `minimum "0x10" is not a number | write a number as JSON has it, such as 5 or 0.25`},
		{"int", `jsonschema:"minimum=1e999999999"`, `minimum "1e999999999" is not a number | write a number as JSON has it, such as 5 or 0.25`},
		{"string", `jsonschema:"minLength=-1"`, `minLength "-1" is not a count | write a count, such as 5`},
		{"int", `jsonschema:"minimum=10,maximum=1"`, "no value is allowed by minimum 10 and maximum 1 | swap them, or leave one out"},
		{"float64", `jsonschema:"exclusiveMinimum=1,maximum=1"`, "no value is allowed by exclusiveMinimum 1 and maximum 1 | swap them, or leave one out"},
		{"int", `jsonschema:"exclusiveMinimum=1,exclusiveMaximum=2"`, "no value is allowed by exclusiveMinimum 1 and exclusiveMaximum 2 | swap them, or leave one out"},
		{"int", `jsonschema:"minimum=0.2,maximum=0.8"`, "no value is allowed by minimum 0.2 and maximum 0.8 | swap them, or leave one out"},
		{"float64", `jsonschema:"exclusiveMinimum=1,exclusiveMaximum=2"`, ""},
		{"string", `jsonschema:"minLength=5,maxLength=2"`, "no value is allowed by minLength 5 and maxLength 2 | swap them, or leave one out"},
		{"[]int", `jsonschema:"minItems=5,maxItems=2"`, "no value is allowed by minItems 5 and maxItems 2 | swap them, or leave one out"},
		{"int8", `jsonschema:"maximum=300"`, "maximum 300 is out of the range of the Go type | leave it out: the type has a bound of its own"},
		{"uint", `jsonschema:"minimum=-1"`, "minimum -1 is out of the range of the Go type | leave it out: the type has a bound of its own"},
		{"float32", `jsonschema:"maximum=1e39"`, "maximum 1e39 is out of the range of the Go type | leave it out: the type has a bound of its own"},
		{"int", `jsonschema:"multipleOf=0"`, "multipleOf 0 is not positive | write a number above 0"},
		{"int", `jsonschema:"default=x"`, "default x is not an integer | write it as JSON"},
		{"int", `jsonschema:"default=1.5"`, "default 1.5 is not an integer | change the value, or the constraint that excludes it"},
		{"int8", `jsonschema:"default=200"`, "default 200 is out of the range of the Go type | change the value, or the constraint that excludes it"},
		{"int", `jsonschema:"default=5,maximum=3"`, "default 5 is more than the maximum 3 | change the value, or the constraint that excludes it"},
		{"int", `jsonschema:"default=5,multipleOf=3"`, "default 5 is not a multiple of 3 | change the value, or the constraint that excludes it"},
		{"string", `jsonschema:"default=relevence,enum=relevance,enum=title"`, `default "relevence" is not one of the allowed values; did you mean relevance? | change the value, or the constraint that excludes it`},
		{"Status", `jsonschema:"default=maybe"`, `default "maybe" is not one of the allowed values "on", "off" | change the value, or the constraint that excludes it`},
		{"Status", `jsonschema:"enum=on,enum=maybe"`, `enum value "maybe" is not one of the allowed values "on", "off" | change the value, or the constraint that excludes it`},
		{"string", `jsonschema:"enum=a,enum=a"`, `enum value "a" is given twice | leave one out`},
		{"int", `jsonschema:"enum=1,enum=x"`, "enum value x is not an integer | write it as JSON"},
		{"string", `jsonschema:"default=abc,maxLength=2"`, `default "abc" is longer than maxLength 2 | change the value, or the constraint that excludes it`},
		{"string", `jsonschema:"default=abc,pattern=^[0-9]+$"`, `default "abc" does not match the pattern ^[0-9]+$ | change the value, or the constraint that excludes it`},
		{"string", `jsonschema:"default=abc,format=uuid"`, `default "abc" is not of the format uuid | change the value, or the constraint that excludes it`},
		{"string", `jsonschema:"example=abc,maxLength=2"`, `example "abc" is longer than maxLength 2 | change the value, or the constraint that excludes it`},
		{"bool", `jsonschema:"default=yes"`, "default yes is not a boolean | write true or false"},
		{"string", `jsonschema:"default=a,default=b"`, "default is given 2 times | give one"},
		{"[]int", `jsonschema:"default=1,default=x"`, "default x is not an integer | write it as JSON"},
		{"[]int", `jsonschema:"default=[1\\,2],maxItems=1"`, "default [1,2] has more items than maxItems 1 | change the value, or the constraint that excludes it"},
		{"[]int", `jsonschema:"default=[1\\,1],uniqueItems=true"`, "default [1,1] has 1 twice, against uniqueItems | change the value, or the constraint that excludes it"},
		{"struct{A int}", `jsonschema:"default={}"`, "default {} lacks the member A | change the value, or the constraint that excludes it"},
		{"struct{A int}", `jsonschema:"default={\"A\":1\\,\"B\":2}"`, `default {"A":1,"B":2} has the unknown member B | change the value, or the constraint that excludes it`},
		{"Tree", `jsonschema:"minLength=1"`, "minLength applies to values in lists or maps, but this type contains only lists or maps of itself | write a keyword for lists or maps, such as maxItems"},
		{"Layers", `jsonschema:"pattern=^a"`, "pattern applies to values in lists or maps, but this type contains only lists or maps of itself | write a keyword for lists or maps, such as maxItems"},
		{"[]Tree", `jsonschema:"enum=a"`, "enum applies to values in lists or maps, but this type contains only lists or maps of itself | write a keyword for lists or maps, such as maxItems"},
		{"Layers", `jsonschema:"default=foo"`, "default foo is not an array | write it as a JSON array, such as [\"a\",\"b\"]"},
		{"Layers", `jsonschema:"default=foo,default=bar"`, "default is given 2 times | give one"},
		{"Tree", `jsonschema:"keyPattern=^a,maxProperties=1,default={\"ab\":{}}"`, ""},
		{"Tree", `jsonschema:"maxProperties=0,default={\"a\":{}}"`, `default {"a":{}} has more entries than maxProperties 0 | change the value, or the constraint that excludes it`},
		{"string", `jsonschema_extras:"keyPattern=^a"`, "the jsonschema_extras tag has the keyword keyPattern of the jsonschema tag | put it into the jsonschema tag, where it is checked and enforced"},
		{"time.Time", `jsonschema:"default=today"`, `default "today" is not a date and time such as 2006-01-02T15:04:05Z | change the value, or the constraint that excludes it`},
		{"time.Time", `jsonschema:"format=date"`, "format date cannot be used on time.Time, which is a date-time | leave it out, or use a string"},
		{"time.Duration", `jsonschema:"format=duration,default=5"`, `default "5" is not a duration such as "1h30m" | change the value, or the constraint that excludes it`},
		{"time.Duration", `jsonschema:"default=5m"`, "default 5m is not an integer of nanoseconds | write it as JSON"},
		{"string", `jsonschema:"format=duration"`, "format duration cannot be used here | it is for time.Duration; the formats are date, date-time, email, hostname, ipv4, ipv6, time, uri, uuid"},
		{"string", `jsonschema:"format=datetime"`, `unknown format "datetime" | did you mean date-time?`},
		{"string", `jsonschema:"pattern=(a"`, "pattern (a does not compile: missing closing ): (a | see https://pkg.go.dev/regexp/syntax"},
		{"string", `jsonschema:"pattern=a(?=b)"`, "pattern a(?=b) does not compile: invalid or unsupported Perl syntax: (?= | lookaround is not available; check it in the function"},
		{"map[int]string", `jsonschema:"keyPattern=^a"`, "keyPattern can be used on maps whose keys are strings only | leave it out, or check it in the function"},
		{"[]string", `jsonschema:"keyPattern=^a"`, "keyPattern cannot be used on a list | leave it out, or check it in the function"},
		{"map[string]int", `jsonschema:"keyPattern=(a"`, "pattern (a does not compile: missing closing ): (a | see https://pkg.go.dev/regexp/syntax"},
		{"map[string]int", `jsonschema:"keyPattern=a.{20}b"`, "pattern a.{20}b: takes too many states to match | make it shorter, begin it with ^, use smaller counts, or check it in the function"},
		{"map[string]int", `jsonschema:"keyPattern=^a,default={\"b\":1}"`, `default {"b":1} has the key "b", which does not match the keyPattern ^a | change the value, or the constraint that excludes it`},
		{"string", `jsonschema_extras:"pattern=x"`, "the jsonschema_extras tag has the keyword pattern of JSON Schema | put it into the jsonschema tag, where it is checked and enforced"},
		{"string", `jsonschema_extras:"x"`, `the jsonschema_extras tag has "x" | write key=value pairs, separated by commas`},
		{"netip.Addr", `jsonschema:"default=localhost"`, `default "localhost" is refused by netip.Addr: ParseAddr("localhost"): unable to parse IP | change the value, or the constraint that excludes it`},
		{"*netip.Prefix", `jsonschema:"default=10.0.0.0/33"`, `default "10.0.0.0/33" is refused by netip.Prefix: netip.ParsePrefix("10.0.0.0/33"): prefix length out of range | change the value, or the constraint that excludes it`},
		{"[]netip.Addr", `jsonschema:"example=::g"`, `example "::g" is refused by netip.Addr: ParseAddr("::g"): each colon-separated field must have at least one digit (at "g") | change the value, or the constraint that excludes it`},
		{"Host", `jsonschema:"default=::1:80"`, `default "::1:80" is refused by netip.AddrPort: invalid ip:port "::1:80", IPv6 addresses must be surrounded by square brackets | change the value, or the constraint that excludes it`},
		{"big.Rat", `jsonschema:"default=1/0"`, `default "1/0" is refused by big.Rat: math/big: cannot unmarshal "1/0" into a *big.Rat | change the value, or the constraint that excludes it`},
		{"regexp.Regexp", `jsonschema:"default=(a"`, "default \"(a\" is refused by regexp.Regexp: error parsing regexp: missing closing ): `(a` | change the value, or the constraint that excludes it"},
		{"netip.Addr", `jsonschema:"default=::1"`, ""},
		{"Host", `jsonschema:"default=[::1]:80"`, ""},
		{"string", `jsonschema:"required,optional"`, "required and optional exclude each other | keep one of them"},
	}
	for _, tt := range tests {
		t.Run(tt.typ+" "+tt.tag, func(t *testing.T) {
			s := check(t, "import (\"time\"; \"net/netip\"; \"math/big\"; \"regexp\")\ntype Status string\nconst (\n\tOn Status = \"on\"\n\tOff Status = \"off\"\n)\ntype X struct {\n\tF "+tt.typ+" `"+tt.tag+"`\n}\nvar _ time.Time; var _ big.Int; var _ regexp.Regexp; type Host struct{ netip.AddrPort }\ntype Tree map[string]Tree\ntype Layers []Forest\ntype Forest map[string]Layers")
			plan := s.Type(s.typeOf(t, "X"), Anywhere, s.place("X"))
			want := ""
			if tt.want != "" {
				message, hint, _ := strings.Cut(tt.want, " | ")
				want = "a.go:9:2: tool X: field F: " + message + "\n\thint: " + hint + "\n"
			}
			if got := s.printed(); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if (plan == nil) != (want != "") {
				t.Errorf("plan %v", plan)
			}
		})
	}
}

// TestForeign covers types of other packages.
func TestForeign(t *testing.T) {
	s := checkSource(t, map[string]string{
		"a.go": `package main

import (
	"example.com/dep"
	"example.com/dep/internal/secret"
)

type Unexported struct{ V dep.Holder }
type Internal struct{ V *secret.T }
type Anonymous struct{ V dep.Open }
type Promoted struct{ V dep.Promoter }
type Shadowed struct{ V dep.Shadower }
type Failing struct {
	V dep.Chan
}
var Hidden = dep.Secret
`,
		"dep/dep.go": `package dep

type hidden string
const Secret hidden = ""

type Holder struct{ H hidden }

type Open struct{ V struct{ a int; B int } }

type inner struct{ X int }
type Promoter struct{ *inner }

type first struct { X int ` + "`json:\"x1\"`" + ` }
type second struct { X int ` + "`json:\"x2\"`" + ` }
type Shadower struct { first; second }

type Chan struct{ Ch chan int }
`,
		"dep/internal/secret/secret.go": "package secret\n\ntype T struct{}\n",
	})
	for name, want := range map[string]bool{"Unexported": true, "Internal": true, "Anonymous": true, "Hidden": false, "Promoted": false, "Shadowed": false, "Failing": false} {
		if plan := s.Type(s.typeOf(t, name), Anywhere, diag.Place{Subject: name}); (plan != nil) != want {
			t.Errorf("%s has the plan %v", name, plan)
		}
	}
	want := []string{
		"a.go:8:25: warning: Unexported: field V.H: type dep.hidden is not exported by its package, so the field is left to encoding/json",
		"a.go:9:23: warning: Internal: field V: type secret.T is in an internal package that this package cannot import, so the field is left to encoding/json",
		"a.go:10:24: warning: Anonymous: field V.V: field a of a struct without a name is not exported by its package, so the field is left to encoding/json",
		"Hidden: type dep.hidden is not exported by its package, so generated code cannot name it",
		"a.go:11:23: Promoted: field V.inner.X: the field is embedded through a pointer to a type that its package does not export",
		"a.go:12:23: Shadowed: field V.first.X: the field is embedded in a type that its package does not export, and hidden by another field",
		"a.go:12:23: Shadowed: field V.second.X: the field is embedded in a type that its package does not export, and hidden by another field",
		"a.go:14:2: Failing: field V.Ch: type chan int cannot be expressed in JSON",
		"\tdep/dep.go:17:19: the field\n\thint: use a struct of this package without the field",
	}
	got := s.printed()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("no %q in\n%s", w, got)
		}
	}
}

// TestReportedOnce checks that a broken struct is reported for its first use only, and that a plan
// which was made on the way is not used afterwards.
func TestReportedOnce(t *testing.T) {
	s := check(t, `
type A struct {
	B  *B
	Ch chan int
}
type B struct{ A *A }
type C struct{ A A; OK int }
`)
	for _, name := range []string{"A", "B", "C", "A"} {
		if s.Type(s.typeOf(t, name), Anywhere, s.place(name)) != nil {
			t.Errorf("%s has a plan", name)
		}
	}
	if s.diags.Len() != 1 {
		t.Error(s.printed())
	}
}

// TestOneDirection checks that methods for one direction suffice in that direction, and that the
// fields are used in the other one, as in encoding/json.
func TestOneDirection(t *testing.T) {
	s := check(t, `
type W struct{}
func (W) MarshalText() ([]byte, error) { return nil, nil }
type R struct{}
func (*R) UnmarshalJSON([]byte) error { return nil }
`)
	for _, tt := range []struct {
		name string
		use  Use
		ok   bool
	}{{"W", Result, true}, {"W", Argument, true}, {"W", Anywhere, false}, {"R", Argument, true}, {"R", Result, true}, {"R", Anywhere, false}} {
		plan := s.Type(s.typeOf(t, tt.name), tt.use, diag.Place{})
		if (plan != nil) != tt.ok {
			t.Errorf("%s %v: plan %v", tt.name, tt.use, plan)
		}
		if other := (tt.name == "W") == (tt.use == Argument); tt.ok && (plan.Kind == model.Struct) != other {
			t.Errorf("%s %v: kind %v", tt.name, tt.use, plan.Kind)
		}
	}
}

func TestIsObject(t *testing.T) {
	s := check(t, `
import "time"
type S struct{ X int }
type P *S
type T struct{}
func (*T) UnmarshalText([]byte) error { return nil }
type M map[string]int
var PS *S
var Now time.Time
var E struct{ time.Time }
var A = struct{ X int }{}
`)
	for name, want := range map[string]bool{"S": true, "P": false, "PS": true, "T": false, "M": false, "Now": false, "E": false, "A": true} { // E by the promoted UnmarshalJSON
		if got := s.IsObject(s.typeOf(t, name)); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestGrowingType checks that an infinite type is refused, not followed.
func TestGrowingType(t *testing.T) {
	s := check(t, "// does not compile\ntype X[T any] struct{ Next *X[[]T] }\nvar V X[int]")
	if s.Type(s.typeOf(t, "V"), Anywhere, s.place("V")) != nil || !strings.Contains(s.printed(), "nested too deeply") {
		t.Error(s.printed())
	}
}

func TestImportable(t *testing.T) {
	for _, tt := range []struct {
		from, path string
		want       bool
	}{
		{"a/b", "c/d", true}, {"a/b", "a/internal/c", true}, {"a", "a/internal", true}, {"a/b/c", "a/b/internal/x/y", true},
		{"a/bc", "a/b/internal", false}, {"a", "a/b/internal/c", false}, {"a", "internal/abi", false}, {"a", "a/internals/b", true},
	} {
		if got := Importable(tt.from, tt.path); got != tt.want {
			t.Errorf("Importable(%q, %q) = %v", tt.from, tt.path, got)
		}
	}
}
