package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/bench/catalog"
)

func find(t *testing.T, name string) *scenario {
	for _, s := range scenarios {
		if s.name == name {
			return s
		}
	}
	t.Fatal(name)
	return nil
}

// TestChecker checks correct and incorrect answers.
func TestChecker(t *testing.T) {
	sum := func(id, n int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"{\"sum\":%d}"}],"structuredContent":{"sum":%d}}}`, id, n, n)
	}
	for _, test := range []struct {
		name, scenario string
		modern         bool
		messages       []string
		wrong          string // a part of the error of the last message, or ""
	}{
		{"right", "add", false, []string{sum(1, 1001), sum(17, 1001), sum(2, 1002)}, ""},
		{"another one's answer", "add", false, []string{sum(1, 1001), sum(2, 1001)}, "structuredContent is wrong"},
		{"text differs", "add", false, []string{strings.Replace(sum(1, 1001), `\"sum\":1001`, `\"sum\":1`, 1)}, "text is wrong"},
		{"another spelling", "add", false, []string{
			`{"id":1,"jsonrpc":"2.0","result":{"structuredContent":{"sum":1001},"content":[{"text":"{\"sum\":1001}","type":"text"}]}}`,
		}, ""},
		{"an error", "add", false, []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"x"}}`}, "want a result"},
		{"a failed result", "add", false, []string{strings.Replace(sum(1, 1001), `"structured`, `"isError":true,"structured`, 1)}, "an error"},
		{"no JSON", "add", false, []string{`{"jsonrpc":"2.0","id":1,"result":{`}, "not JSON"},
		{"not modern", "add", true, []string{sum(1, 1001)}, "resultType"},
		{"modern", "add", true, []string{strings.Replace(sum(1, 1001), `"structured`, `"resultType":"complete","structured`, 1)}, ""},
		{"a notification that was not requested", "add", false, []string{progress(1, 1)}, "unexpected message"},
		{"all notifications", "report", false, append(steps(1, catalog.Steps), reported), ""},
		{"one is missing", "report", false, append(steps(1, catalog.Steps-1), reported), "after 9 of 10"},
		{"one too many", "report", false, append(steps(1, catalog.Steps), progress(1, 10)), "one notification too many"},
		{"one twice", "report", false, []string{progress(1, 1), progress(1, 1)}, "want step 2"},
		{"another one's", "report", false, append(append(steps(1, catalog.Steps-1), progress(2, 1)), reported), "after 9 of 10"},
		{"a tool is missing", "list", false, []string{`{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`}, "want 50 tools"},
		{"long text is cut", "text", false, []string{
			`{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":` + quoted(longText(0)[1:]) + `}]}}`,
		}, "text is wrong"},
	} {
		c := newChecker(find(t, test.scenario), test.modern)
		for i, message := range test.messages {
			_, err := c.take([]byte(message))
			last := i == len(test.messages)-1
			switch {
			case err != nil && (!last || test.wrong == "" || !strings.Contains(err.Error(), test.wrong)):
				t.Errorf("%s: %v", test.name, err)
			case err == nil && last && test.wrong != "":
				t.Errorf("%s: no error", test.name)
			}
		}
	}
}

const reported = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"reported"}]}}`

func progress(token, step int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":%d,"total":10,"message":"step done"}}`, token, step)
}

func steps(token, n int) (all []string) {
	for step := range n {
		all = append(all, progress(token, step+1))
	}
	return all
}

// TestRequests checks the requests.
func TestRequests(t *testing.T) {
	for _, s := range scenarios {
		for _, modern := range []bool{false, true} {
			all := s.requests(modern)
			seen := map[string]bool{}
			for v, r := range all {
				text := string(r.append(nil, 4711))
				if _, err := decoded([]byte(text)); err != nil {
					t.Errorf("%s: %v: %s", s.name, err, clip(text))
				}
				if !strings.HasPrefix(text, `{"jsonrpc":"2.0","id":4711,"method":"`+s.method+`"`) || strings.Contains(text, "\x00") {
					t.Errorf("%s: %s", s.name, clip(text))
				}
				if strings.Contains(text, "protocolVersion") != modern || strings.Contains(text, `"progressToken":4711`) != s.events {
					t.Errorf("%s, modern %v: %s", s.name, modern, clip(text))
				}
				if seen[text] {
					t.Errorf("%s: variant %d is not one", s.name, v)
				}
				seen[text] = true
			}
		}
	}
	if n := len(searchArguments(9)); n < 550 || n > 600 {
		t.Errorf("the nested arguments are %d bytes", n)
	}
}

// TestFigures checks the figures of the tables.
func TestFigures(t *testing.T) {
	c := cell{Samples: map[string][]sample{"a": {{CPU: 2}, {CPU: 30}, {CPU: 4}}, "b": {{CPU: 1}, {CPU: 10}, {CPU: 4}}}}
	if got := median(c.of("a", cpuOf)); got != 4 {
		t.Errorf("median %v", got)
	}
	if got := c.ratio("a", "b", cpuOf); got != 2 {
		t.Errorf("ratio %v", got)
	}
	for v, want := range map[float64]string{0.123: "0.12", 9.876: "9.88", 12.34: "12.3", 1234567: "1,234,567"} {
		if got := figure(v); got != want {
			t.Errorf("%v is %s", v, got)
		}
	}
	if got := fraction(1.0 / 15); got != "1/15.0" {
		t.Errorf("fraction %s", got)
	}
}
