package clients

import (
	"errors"
	"strings"
	"testing"
)

// A file in a cloned repository needs no more memory than a multiple of typical files.
func TestManyValues(t *testing.T) {
	many := func(text string, n int) string { return strings.Repeat(text, n) }
	for name, test := range map[string]struct {
		client *Client
		text   string
		good   bool
	}{
		"items":         {Find("cursor"), `{"a": [` + many("0,", mostValues) + "0]}", false},
		"members":       {Find("cursor"), `{"a": {` + many(`"":0,`, mostValues) + `"":0}}`, false},
		"comments":      {Find("cursor"), many("/**/", mostValues+1), false},
		"fewer":         {Find("cursor"), `{"a": [` + many("0,", mostValues-3) + "0]}", true},
		"one long":      {Find("cursor"), `{"a": "` + many("0", 4*mostValues) + `"}`, true},
		"TOML items":    {Find("codex"), "a = [" + many("0,", mostValues) + "0]", false},
		"TOML tables":   {Find("codex"), many("[[a]]\n", mostValues+1), false},
		"TOML keys":     {Find("codex"), "a = [" + many("{a=0},", mostValues/2+1) + "]", false},
		"TOML one long": {Find("codex"), "a = '" + many("0", 4*mostValues) + "'", true},
	} {
		_, err := test.client.format().entries([]byte(test.text), test.client.Holds)
		if _, ok := errors.AsType[*SyntaxError](err); ok == test.good || test.good && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
