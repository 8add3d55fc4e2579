package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// A shell cannot set Go fields: hints in the client's errors to set them are removed.
func TestWithoutOptions(t *testing.T) {
	for text, want := range map[string]string{
		"sleep: timeout: the server was not reached within 30s (Limits.ConnectTime)":                                                    "sleep: timeout: the server was not reached within 30s",
		"x: timeout: the server has shown no sign of life for 1m0s; Limits.RequestTime and WithTimeout set that time":                   "x: timeout: the server has shown no sign of life for 1m0s",
		"x: timeout: the request has not ended within the time of Limits.MaxTime or WithMaxTime":                                        "x: timeout: the request has not ended in time",
		"x: timeout: a question of the server has not been answered within Limits.QuestionTime":                                         "x: timeout: a question of the server has not been answered in time",
		(&mcpclient.LimitError{Target: "x", Method: "tools/call", What: "reply", Limit: "MessageBytes", Value: 4096}).Error():           "x: tools/call: reply: more than mcpgen's limit of 4096",
		(&mcpclient.LimitError{Target: "x", Method: "tools/list", What: "list of tools", Limit: "ListBytes", Value: 9}).Error() + "; b": "x: tools/list: list of tools: more than mcpgen's limit of 9; b",
		"x: nothing about limits": "x: nothing about limits",
	} {
		err := withoutOptions(errors.New(text))
		if got := err.Error(); got != want || strings.Contains(got, "Limits") {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
