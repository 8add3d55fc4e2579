package mask

import (
	"slices"
	"strings"
	"testing"
)

func TestNamesOfCredentials(t *testing.T) {
	for text, want := range map[string]string{
		"https://a/mcp;token=swordfish": "https://a/mcp;token=***", "https://a/api_key=swordfish/mcp": "https://a/api_key=***/mcp", "https://a/page=2/mcp": "https://a/page=2/mcp",
		"https://a/v1:key/x": "https://a/v1:key/x", "https://a/auth:swordfish": "https://a/auth:***", "https://a//x/": "https://a//x/",
	} {
		if got, hidden := URL(text); got != want || (len(hidden) > 0) != strings.Contains(want, Sign) {
			t.Errorf("%s: %s, %q", text, got, hidden)
		}
	}
	for text, want := range map[string]string{
		"--db AccountKey=swordfish==": "--db AccountKey=***", "sharedAccessKey=swordfish": "sharedAccessKey=***", "apiKey=swordfish": "apiKey=***", "dbPwd=swordfish": "dbPwd=***",
		"monkey=7": "monkey=7", "keyboard=de": "keyboard=de", "Passage=1": "Passage=1",
		"--token -swordfish": "--token ***", "--auth --token swordfish": "--auth --token ***", "--auth -v x": "--auth -v x", "--auth -verbose --token swordfish": "--auth *** --token ***",
		"--port -1": "--port -1", "-v --db x": "-v --db x",
	} {
		got, hidden := Arguments(strings.Fields(text))
		if joined := strings.Join(got, " "); joined != want || slices.Contains(got, "swordfish") || (len(hidden) > 0) != strings.Contains(want, Sign) {
			t.Errorf("%s: %s, %q", text, joined, hidden)
		}
	}
}
