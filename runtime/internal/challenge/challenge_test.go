package challenge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime/internal/challenge"
)

type (
	chal   = challenge.Challenge
	params = []challenge.Param
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		name   string
		fields []string
		want   []chal
	}{
		{"none", nil, nil},
		{"empty", []string{"", " ", ",", ", ,\t,"}, nil},
		{"scheme alone", []string{"Bearer"}, []chal{{Scheme: "Bearer"}}},
		{"scheme and blanks", []string{" Bearer  "}, []chal{{Scheme: "Bearer"}}},
		{"two schemes", []string{"Bearer, DPoP"}, []chal{{Scheme: "Bearer"}, {Scheme: "DPoP"}}},
		{"two fields", []string{"Bearer", "Basic realm=x"}, []chal{{Scheme: "Bearer"}, {Scheme: "Basic", Params: params{{"realm", "x"}}}}},
		{"parameters", []string{`Bearer realm="a b", Error=invalid_token ,scope = "x y"`}, []chal{{
			Scheme: "Bearer", Params: params{{"realm", "a b"}, {"error", "invalid_token"}, {"scope", "x y"}},
		}}},
		{"parameters, then a scheme", []string{`Bearer realm="x", DPoP algs="ES256", error="use_dpop_nonce", Negotiate`}, []chal{
			{Scheme: "Bearer", Params: params{{"realm", "x"}}},
			{Scheme: "DPoP", Params: params{{"algs", "ES256"}, {"error", "use_dpop_nonce"}}},
			{Scheme: "Negotiate"},
		}},
		{"empty elements", []string{`,Bearer realm="x",, error="y",,`}, []chal{{Scheme: "Bearer", Params: params{{"realm", "x"}, {"error", "y"}}}}},
		{"token68", []string{"Negotiate abc/+._~-==, Bearer a=b"}, []chal{
			{Scheme: "Negotiate", Token68: "abc/+._~-=="}, {Scheme: "Bearer", Params: params{{"a", "b"}}},
		}},
		{"token68 that could be a name", []string{"Negotiate abc="}, []chal{{Scheme: "Negotiate", Token68: "abc="}}},
		{"escapes", []string{`Bearer a="\"\\\x,=", b=""`}, []chal{{Scheme: "Bearer", Params: params{{"a", `"\x,=`}, {"b", ""}}}}},
		{"other bytes", []string{"Bearer a=\"\t\x80ü\""}, []chal{{Scheme: "Bearer", Params: params{{"a", "\t\x80ü"}}}}},
		{"a scheme in quotes", []string{`Basic realm="x, Bearer resource_metadata=y"`}, []chal{{Scheme: "Basic", Params: params{{"realm", "x, Bearer resource_metadata=y"}}}}},
	} {
		got, err := challenge.Parse(test.fields)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	many := strings.Repeat("Bearer, ", 17)
	var long []string
	for range 33 {
		long = append(long, "p"+strings.Repeat("x", len(long))+"=1")
	}
	for _, test := range []struct {
		field  string
		before int // challenges that are returned with the error
	}{
		{`"Bearer"`, 0},
		{`=`, 0},
		{`Bearer realm="x`, 0},
		{`Bearer realm="x\`, 0},
		{"Bearer realm=\"x\r\nSet-Cookie: a\"", 0},
		{"Bearer realm=\"x\x00\"", 0},
		{"Bearer realm=\"\\\x7f\"", 0},
		{"Bearer realm=x realm2=y", 0},
		{`Bearer realm="x" error="y"`, 0},
		{`Bearer realm=x, Realm=y`, 0},
		{`Bearer realm=x/y`, 0},
		{"Bearer\trealm=x", 0},
		{"Bearer a b", 0},
		{"Bearer é", 0},
		{"B\x00", 0},
		{`Basic realm="x", Bearer realm="`, 1},
		{"Negotiate abc==, realm=x", 1}, // a scheme is not followed by a value
		{many, 16},
		{"Bearer " + strings.Join(long, ","), 0},
		{strings.Repeat("x", 1<<20), 0},
		{"Bearer realm=\"" + strings.Repeat("x", 17<<10) + `"`, 0},
	} {
		got, err := challenge.Parse([]string{test.field})
		if err == nil || len(got) != test.before {
			t.Errorf("%.60q: %d challenges, %v", test.field, len(got), err)
		}
		if err != nil && len(err.Error()) > 100 {
			t.Errorf("%.60q: the error has %d bytes", test.field, len(err.Error()))
		}
	}
}

func TestFind(t *testing.T) {
	all, err := challenge.Parse([]string{`Basic realm=x, BEARER Scope="a b", bearer scope=c`})
	if err != nil {
		t.Fatal(err)
	}
	c, ok := challenge.Find(all, "Bearer")
	if scope, has := c.Param("scope"); !ok || !has || scope != "a b" {
		t.Errorf("%+v", c)
	}
	if _, ok := challenge.Find(all, "DPoP"); ok {
		t.Error("a challenge was found that is not there")
	}
	if _, ok := c.Param("realm"); ok {
		t.Error("a parameter was found that is not there")
	}
}

// Parse reads the text that String has written, and a value cannot begin another field or
// parameter.
func TestString(t *testing.T) {
	c := chal{Scheme: "Bearer", Params: params{{"error", "invalid_token"}, {"scope", `a"b\c`}, {"realm", "x\r\nSet-Cookie: y\x00ü"}}}
	text := c.String()
	if want := `Bearer error="invalid_token", scope="a\"b\\c", realm="xSet-Cookie: yü"`; text != want {
		t.Errorf("%s, want %s", text, want)
	}
	back, err := challenge.Parse([]string{text})
	if err != nil || len(back) != 1 || back[0].Params[1].Value != `a"b\c` {
		t.Errorf("%v, %v", back, err)
	}
	if text := (chal{Scheme: "Negotiate", Token68: "YQ=="}).String(); text != "Negotiate YQ==" {
		t.Error(text)
	}
}

// Every text that Parse accepts has the form that String writes.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"Bearer", `Bearer realm="a b", error=x`, "Negotiate abc==, Bearer a=b", `B a="\"\\"`, `Bearer realm="x", DPoP algs="ES256"`, ",, a", "a b, c=d", "a b=c, d==",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, err := challenge.Parse([]string{text})
		if err != nil {
			return
		}
		var fields []string
		for _, c := range all {
			if c.Scheme == "" || c.Token68 != "" && len(c.Params) > 0 {
				t.Fatalf("%q: %+v", text, c)
			}
			fields = append(fields, c.String())
		}
		total := 0
		for _, field := range fields {
			total += len(field)
		}
		if total > 16<<10 { // quotes make it longer
			return
		}
		again, err := challenge.Parse(fields)
		if err != nil || !slices.EqualFunc(all, again, func(a, b chal) bool { return cmp.Equal(a, b) }) {
			t.Fatalf("%q: %+v, written and read: %+v, %v", text, all, again, err)
		}
		joined, err := challenge.Parse([]string{strings.Join(fields, ", ")})
		if err == nil && len(joined) != len(all) {
			t.Fatalf("%q: %d challenges, in one field %d", text, len(all), len(joined))
		}
	})
}
