package mask

import (
	"slices"
	"strings"
	"testing"
)

// Credentials in every form are hidden, and the parts that identify the program remain.
func TestArguments(t *testing.T) {
	for _, c := range []struct{ args, want []string }{
		{[]string{"--token=swordfish"}, []string{"--token=***"}},
		{[]string{"-api-key", "swordfish", "-v", "x"}, []string{"-api-key", "***", "-v", "x"}},
		{[]string{"--token", "--verbose"}, []string{"--token", "--verbose"}},
		{[]string{"--apiKey=a swordfish=b"}, []string{"--apiKey=***"}},
		{[]string{"-e", "GITHUB_PAT=swordfish", "--env=LEVEL=swordfish", "-e", "NAME"}, []string{"-e", "GITHUB_PAT=***", "--env=LEVEL=***", "-e", "NAME"}},
		{[]string{"PASSWORD=sword fish"}, []string{"PASSWORD=***"}},
		{[]string{"--header", "X-Any: swordfish", "-H", "swordfish", "--header=X-A=swordfish"}, []string{"--header", "X-Any: ***", "-H", "***", "--header=X-A=***"}},
		{[]string{"-u", "me:swordfish"}, []string{"-u", "me:***"}},
		{[]string{"me:swordfish@tcp(db:3306)/books"}, []string{"***@tcp(db:3306)/books"}},
		{[]string{"-dsn", "host=db password='swordfish' dbname=x"}, []string{"-dsn", "host=db password='***' dbname=x"}},
		{[]string{`{"headers":{"Authorization":"Bearer swordfish","x":1},"clientSecret":"swordfish"}`}, []string{`{"headers":{"Authorization":"***","x":1},"clientSecret":"***"}`}},
		{[]string{"sh", "-c", "curl -H 'Authorization: Bearer swordfish' x"}, []string{"sh", "-c", "curl -H 'Authorization: ***' x"}},
		{[]string{"ghp_swordfish", "sk-swordfish", "eyJswordfish.x.y"}, []string{"***", "***", "***"}},
		{[]string{"swordfish0000000000000000"}, []string{"***"}},
		{[]string{"12345678-abcd-abcd-abcd-123456789012"}, []string{"***"}},
		{[]string{"--url=https://me:swordfish@db/x?y=swordfish#swordfish"}, []string{"--url=https://***@db/x?y=***#***"}},
		{[]string{"see", "redis://:swordfish@cache:1/0 or x"}, []string{"see", "redis://***@cache:1/0 or x"}},
		{
			[]string{"-y", "@scope/mcp-fs@1.2.3", "/data", "-C", "/tmp/TestX1234567890123456789012/001", "tool", "./notes", "--token=${TOKEN}", "--auth", "Bearer ${env:TOKEN}", "-u", "server.py"},
			[]string{"-y", "@scope/mcp-fs@1.2.3", "/data", "-C", "/tmp/TestX1234567890123456789012/001", "tool", "./notes", "--token=${TOKEN}", "--auth", "Bearer ${env:TOKEN}", "-u", "server.py"},
		},
		{[]string{"--token=${TOKEN:-swordfish}"}, []string{"--token=***"}},
	} {
		shown, hidden := Arguments(c.args)
		if !slices.Equal(shown, c.want) || strings.Contains(strings.Join(shown, " "), "swordfish") {
			t.Errorf("%q: %q, want %q", c.args, shown, c.want)
		}
		if (len(hidden) > 0) == slices.Equal(shown, c.args) {
			t.Errorf("%q: hidden are %q", c.args, hidden)
		}
	}
}

func TestURL(t *testing.T) {
	for text, want := range map[string]string{
		"https://example.com/mcp":                             "https://example.com/mcp",
		"https://example.com:8443/@scope/x":                   "https://example.com:8443/@scope/x",
		"https://[::1]:8443/@x":                               "https://[::1]:8443/@x",
		"https://example.com/mcp?a=swordfish&swordfish&b=":    "https://example.com/mcp?a=***&***&b=",
		"https://example.com?key=${KEY}&k=${env:K}":           "https://example.com?key=${KEY}&k=${env:K}",
		"https://swordfish@example.com":                       "https://***@example.com",
		"https://:swordfish@example.com/":                     "https://***@example.com/",
		"https://me:sword/fish@example.com/x":                 "https://***@example.com/x",
		"https://example.com/s/swordfish0123456789abcdef/mcp": "https://example.com/s/***/mcp",
		"https://example.com/#token=swordfish":                "https://example.com/#***",
		"HTTPS://example.com?x=sword%66ish":                   "HTTPS://example.com?x=***",
		"token=swordfish":                                     "token=***",
	} {
		if got, _ := URL(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	_, hidden := URL("https://me:pass@x?q=sword%66ish")
	if !slices.Equal(hidden, []string{"pass", "me:pass", "swordfish", "sword%66ish"}) {
		t.Errorf("hidden: %q", hidden)
	}
}

func TestLooks(t *testing.T) {
	for _, v := range [][2]string{
		{"API_KEY", "x"}, {"GithubToken", "x"}, {"DB_PASS", "x"}, {"X-Auth", "x"}, {"A", "sk-abc"}, {"A", "Bearer abc"}, {"A", "-----BEGIN KEY\nx"},
		{"A", "postgres://u:p@h/db"}, {"A", "https://h?x=y"}, {"Authorization", "${X:-y}"},
	} {
		if !Looks(v[0], v[1]) {
			t.Errorf("%q is not a secret", v)
		}
	}
	for _, v := range [][2]string{
		{"API_KEY", ""}, {"API_KEY", "${K}"}, {"Authorization", "Bearer ${T}"}, {"A", "postgres://h/db"}, {"PATH", "/usr/bin:/bin"}, {"LOG", "debug"}, {"AUTHOR", "x"}, {"MONKEY", "x"},
	} {
		if Looks(v[0], v[1]) {
			t.Errorf("%q is a secret", v)
		}
	}
}

func TestParts(t *testing.T) {
	for value, want := range map[string]string{
		"Bearer swordfish": "Bearer swordfish|swordfish|swordfish", "a=one; b=two": "a=one; b=two|one|a=one|two|b=two", "postgres://me:pass@db": "postgres://me:pass@db|pass|me:pass|postgres://me:pass@db", "": "",
	} {
		if got := strings.Join(Parts(value), "|"); got != want {
			t.Errorf("%s: %s, want %s", value, got, want)
		}
	}
}

// Other programs' output may repeat values, even as JSON.
func TestText(t *testing.T) {
	values := []string{"swordfish", "swordfish and chips", `a"b\c`, "no", "debug-level"}
	got := Text(`no swordfish and chips, "a\"b\\c", Get "https://u:p@h/?q=1": debug-level`, values)
	if want := `no ***, "***", Get "https://***@h/?q=***": ***`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
