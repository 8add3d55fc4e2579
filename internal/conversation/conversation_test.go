package conversation

import (
	"encoding/json"
	"strings"
	"testing"
)

// Joining the lines of a formatted message restores it byte for byte.
func TestFormat(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	for _, message := range []string{
		`{}`, `[]`, `{"a":1}`, long, `"` + long + `"`, `{"a":"` + long + `","b":{"c":["` + long + `",[],{},1,true,null]}}`,
		`[[["` + long + `"]]]`, `{"\"{":"` + long + `\\","[,":"}],\""}`, `{"a":"` + long + `", "b":1}`, `{"a":[1, 2, {"b": "` + long + `"}] , "c" :2}`, `{"a":"` + long + `"`, "[" + strings.Repeat("1,", 200) + "1]",
		`{"jsonrpc":"2.0","id":1,"result":{` + strings.Repeat(`"name":{"a":[1,2]},`, 20) + `"last":0}}`,
	} {
		text := Format("<", message)
		if got := Join(strings.TrimPrefix(text, "< ")); got != message {
			t.Errorf("%s\nis read as\n%s\nwant\n%s", text, got, message)
		}
		for i, line := range strings.Split(text, "\n") {
			if i > 0 && !strings.HasPrefix(line, " ") {
				t.Errorf("line %d of\n%s\ndoes not begin with a space", i+1, text)
			}
			if len(line) > maxLine && json.Valid([]byte(message)) && !strings.Contains(line, long) && !strings.Contains(message, ", ") {
				t.Errorf("line %d of\n%s\nis long", i+1, text)
			}
		}
	}
}
