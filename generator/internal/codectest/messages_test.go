package codectest

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

var update = flag.Bool("update", false, "write the golden files anew")

// wrongMembers contains members of Rules with one or more wrong values each.
var wrongMembers = []struct{ rule, members string }{
	{wire.RuleType, `"text":5`},
	{wire.RuleType, `"text":{"a":1}`},
	{wire.RuleType, `"integer":"12"`},
	{wire.RuleType, `"integer":1.5`},
	{wire.RuleType, `"number":"much"`},
	{wire.RuleType, `"flag":"true"`},
	{wire.RuleType, `"texts":"one"`},
	{wire.RuleType, `"texts":["one",2,null]`},
	{wire.RuleType, `"counts":[]`},
	{wire.RuleType, `"counts":{"one":1,"two words":"2"}`},
	{wire.RuleType, `"pointer":[1]`},
	{wire.RuleType, `"nested":"text"`},
	{wire.RuleType, `"list":[null]`},
	{wire.RuleType, `"data":7`},
	{wire.RuleType, `"address":4`},
	{wire.RuleType, `"when":1735689600`},
	{wire.RuleType, `"inQuotes":5`},
	{wire.RuleUnknown, `"intger":5`},
	{wire.RuleUnknown, `"Text":"x"`},
	{wire.RuleUnknown, `"xyzzy":{"a":[1]}`},
	{wire.RuleEnum, `"sort":"yeer"`},
	{wire.RuleEnum, `"sort":"price"`},
	{wire.RuleEnum, `"sort":3`},
	{wire.RuleEnum, `"level":3`},
	{wire.RuleEnum, `"only":"that"`},
	{wire.RuleEnum, `"share":0.7`},
	{wire.RuleMinimum, `"bounded":0`},
	{wire.RuleMinimum, `"small":-129`},
	{wire.RuleMinimum, `"natural":-1`},
	{wire.RuleMinimum, `"exact":-0.5`},
	{wire.RuleMaximum, `"bounded":5000`},
	{wire.RuleMaximum, `"small":300`},
	{wire.RuleMaximum, `"long":9223372036854775808`},
	{wire.RuleMaximum, `"single":1e39`},
	{wire.RuleMaximum, `"number":1e400`},
	{wire.RuleMaximum, `"anything":{"a":[1e400]}`},
	{wire.RuleExclusiveMinimum, `"open":0`},
	{wire.RuleExclusiveMaximum, `"open":1.0`},
	{wire.RuleMultipleOf, `"fives":7`},
	{wire.RuleMultipleOf, `"tenths":0.25`},
	{wire.RuleMinLength, `"name":"é"`},
	{wire.RuleMaxLength, `"name":"longer"`},
	{wire.RulePattern, `"code":"abc"`},
	{wire.RuleEncoding, `"data":"not base64"`},
	{wire.RuleFormat, `"address":"1.2.3"`},
	{wire.RuleFormat, `"when":"yesterday"`},
	{wire.RuleFormat, `"wait":"an hour"`},
	{wire.RuleFormat, `"inQuotes":"five"`},
	{wire.RuleFormat, `"date":"2023-02-29"`},
	{wire.RuleFormat, `"time":"noon"`},
	{wire.RuleFormat, `"dateTime":"2024-01-01"`},
	{wire.RuleFormat, `"uuid":"1234"`},
	{wire.RuleFormat, `"email":"ada"`},
	{wire.RuleFormat, `"uri":"//example.com"`},
	{wire.RuleFormat, `"host":"-example"`},
	{wire.RuleFormat, `"ipv4":"1.2.3.256"`},
	{wire.RuleFormat, `"ipv6":"::g"`},
	{wire.RuleMinItems, `"some":[]`},
	{wire.RuleMinItems, `"two":[1]`},
	{wire.RuleMaxItems, `"some":[1,2,3]`},
	{wire.RuleMaxItems, `"two":[1,2,3]`},
	{wire.RuleUniqueItems, `"different":["a","b","a"]`},
	{wire.RuleMinProperties, `"entries":{}`},
	{wire.RuleMaxProperties, `"entries":{"a":1,"b":2,"c":3}`},
	{wire.RulePropertyNames, `"ports":{"http":80,"007":7,"99999":1}`},
	{wire.RulePropertyNames, `"slugs":{"ok":"","Two words":"","ABC":""}`},
	{wire.RulePropertyNames, `"hosts":{"local":1}`},
}

// TestMessages compares the message that a model reads for each violation, as a member of the
// arguments, of an object in them, in an array and in a map.
func TestMessages(t *testing.T) {
	var b strings.Builder
	said := map[string]bool{}
	say := func(rule, text string) {
		t.Helper()
		fmt.Fprintf(&b, "%s\n", text)
		var v Rules
		d := wire.NewDecoder([]byte(text), wire.Options{Help: wire.Advice()})
		mcpDecodeRules(d, &v)
		var wrong *wire.ArgumentsError
		if err := d.Finish(); !errors.As(err, &wrong) {
			t.Errorf("%s: %v", text, err)
			return
		}
		for _, p := range wrong.Problems {
			if p.Rule != rule {
				t.Errorf("%s: the rule of %s is %s, want %s", text, p, p.Rule, rule)
			}
		}
		said[rule] = true
		fmt.Fprintf(&b, "%s\n\n", wrong.Text("check"))
	}
	for _, c := range wrongMembers {
		fmt.Fprintf(&b, "== %s ==\n\n", c.rule)
		say(c.rule, `{"id":"a",`+c.members+`}`)
		say(c.rule, `{"id":"a","nested":{"id":"b",`+c.members+`}}`)
		say(c.rule, `{"id":"a","list":[{"id":"b"},{"id":"c",`+c.members+`}]}`)
		say(c.rule, `{"id":"a","byName":{"plain":{"id":"b"},"two words":{"id":"c",`+c.members+`}}}`)
	}
	fmt.Fprintf(&b, "== %s ==\n\n", wire.RuleRequired)
	for _, text := range []string{
		`{}`, `{"text":"x"}`, `{"id":"a","nested":{}}`, `{"id":"a","list":[{"id":"b"},{}]}`, `{"id":"a","byName":{"two words":{}}}`,
	} {
		say(wire.RuleRequired, text)
	}
	for _, text := range []string{`{"id":null}`, `[]`, `"text"`, `null`} {
		say(wire.RuleType, text)
	}
	for _, rule := range []string{
		wire.RuleType, wire.RuleRequired, wire.RuleUnknown, wire.RuleEnum, wire.RuleMinimum, wire.RuleMaximum, wire.RuleExclusiveMinimum,
		wire.RuleExclusiveMaximum, wire.RuleMultipleOf, wire.RuleMinLength, wire.RuleMaxLength, wire.RulePattern, wire.RuleFormat,
		wire.RuleEncoding, wire.RuleMinItems, wire.RuleMaxItems, wire.RuleUniqueItems, wire.RuleMinProperties, wire.RuleMaxProperties,
		wire.RulePropertyNames,
	} {
		if !said[rule] {
			t.Errorf("no message for %s", rule)
		}
	}
	golden(t, "messages.txt", b.String())
}

// TestSyntaxMessages compares the message that a model reads if its arguments are not strict JSON.
func TestSyntaxMessages(t *testing.T) {
	var b strings.Builder
	for _, text := range []string{
		`{"id":"a","id":"b"}`,
		`{"id":"a","nested":{"id":"b","texts":["x"],"texts":[]}}`,
		`{"id":"a","list":[{"id":"b"},{"id":"b","id":"b"}]}`,
		`{"id":"a","counts":{"two words":1,"two words":1}}`,
		`{"id":"a","anything":[{"k":{"k":1,"k":2}}]}`,
		`{"id":"a","xyzzy":{"k":1,"k":2}}`,
		`{"id":"a","ports":{"1":1,"1":2}}`,
		`{"id":"a","hosts":{"::1":1,"0::1":2}}`,
		`{"id":"a","nested":{"id":"\ud83d"}}`,
		`{"id":"a","byName":{"x":{"id":"` + "\xff" + `"}}}`,
		`{"id":"a","list":[{"id":"b"},{"id":"c"}`,
		`{"id":"a","integer":01}`,
		`{"id":"a",}`,
		`{"id":"a"} {}`,
	} {
		var v Rules
		d := wire.NewDecoder([]byte(text), wire.Options{Help: wire.Advice()})
		mcpDecodeRules(d, &v)
		var syntax *wire.SyntaxError
		if err := d.Finish(); !errors.As(err, &syntax) {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if want := strings.HasPrefix(syntax.Message, "duplicate"); syntax.Duplicate != want {
			t.Errorf("%s: Duplicate is %v", text, syntax.Duplicate)
		}
		fmt.Fprintf(&b, "%q\n%s\n\n", text, syntax)
	}
	golden(t, "syntax.txt", b.String())
}

// golden compares a text with a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(want), "\n")
		for i := range gotLines {
			if i >= len(wantLines) || gotLines[i] != wantLines[i] {
				t.Fatalf("%s, line %d (run the test with -update to write it anew):\n got %s", name, i+1, gotLines[i])
			}
		}
		t.Fatalf("%s: lines are missing", name)
	}
}
