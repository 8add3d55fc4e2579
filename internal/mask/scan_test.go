package mask

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// finders are the functions that find parts of a text, each with the expression that it stands for
// and the group of the value.
var finders = map[string]struct {
	find  finder
	expr  string
	group int
}{
	"known": {known, `(^|[^A-Za-z0-9_-])((?:sk-|[prs]k_(?:live|test)_|gh[oprsu]_|github_pat_|glpat-|xox[a-z]-|xapp-|AKIA|ASIA|AIza|eyJ|hf_|ya29\.|npm_|pypi-|whsec_|lin_api_|ntn_|` +
		`dop_v1_|shp(?:at|ss|ca|pa)_|SG\.|AGE-SECRET-KEY-|hvs\.|figd_|tvly-|pplx-|gsk_|nvapi-)[A-Za-z0-9._~+/=-]*|-----BEGIN[\s\S]*)`, 2},
	"authorization": {authorization, `(?i)\b((?:bearer|basic|digest|dpop)[ \t]+)([^\s"',;]+)`, 2},
	"address":       {address, "[A-Za-z][A-Za-z0-9+.-]*://[^\\s\"'<>`]+", 0},
	"assignment":    {assignment, `([A-Za-z0-9_.-]+)("?\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s,;&"'{}]+)`, 3},
	"login":         {login, `([^\s/@:"'=,;]+:[^\s@"'/\\][^\s@"']*)@`, 1},
	"word":          {word, `[A-Za-z0-9_+=.~-]+`, 0},
	"shellWord":     {shellWord, `(?:"[^"]*"|'[^']*'|[^\s"'])+`, 0},
	"quotedFlag":    {quotedFlag, `"(-[^"\s=]+)"(\s*,\s*)"([^"]*)"`, 3},
}

// tests are the functions that test a text.
var tests = map[string]struct {
	is   func(text string) bool
	expr string
}{
	"isReference":  {isReference, `^(?i:(?:bearer|basic|token) )?\$\{(?:env:)?[A-Za-z_][A-Za-z0-9_]*\}$`},
	"isSchemeName": {isSchemeName, `^(?i:bearer|basic|digest|dpop)$`},
	"assigned":     {func(text string) bool { _, _, ok := assigned(text); return ok }, `^([A-Za-z0-9_.-]+)=([\s\S]+)$`},
	"isBase64":     {isBase64, `^(?:[A-Za-z0-9+/]{40}|[A-Za-z0-9+/]{22,}={1,2})$`},
	"hasFlag":      {hasFlag, `(?:^|[\s"'])-{1,2}[A-Za-z]`},
	"isPath":       {isPath, `^(?:\.{0,2}/|~/|[A-Za-z]:[\\/])|^\.{1,2}$`},
	"isFile":       {isFile, `^[\w.-]+\.(?:[cm]?js|[cm]?ts|py|rb|pl|php|lua|sh|ps1|jar|go|wasm|json|ya?ml|toml|ini|conf|db|sqlite3?|pem|crt|txt|md|csv)$`},
	"isScoped":     {isScoped, `^@[a-z0-9][\w.-]*/[\w.-]+$`},
	"isWord":       {isWord, `^[A-Za-z](?:[a-z_.-][A-Za-z_.-]*)?$`},
	"hasUUID":      {hasUUID, `(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}`},
}

var camel = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// The functions of scan.go find what the expressions find.
func checkScan(t *testing.T, text string) {
	for name, f := range finders {
		var got, want [][2]int
		for m, ok := f.find(text, 0); ok; m, ok = f.find(text, m.end) {
			if m.end <= m.start || m.from < m.start || m.to < m.from || m.end < m.to {
				t.Fatalf("%s of %q: %+v", name, text, m)
			}
			got = append(got, [2]int{m.from, m.to})
		}
		for _, m := range compiled(f.expr).FindAllStringSubmatchIndex(text, -1) {
			want = append(want, [2]int{m[2*f.group], m[2*f.group+1]})
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s finds in %q %v, want %v", name, text, got, want)
		}
	}
	for name, f := range tests {
		if got, want := f.is(text), compiled(f.expr).MatchString(text); got != want {
			t.Errorf("%s(%q) is %t, want %t", name, text, got, want)
		}
	}
	if got, want := splitCamel(text), camel.ReplaceAllString(text, "${1}_${2}"); got != want {
		t.Errorf("splitCamel(%q) is %q, want %q", text, got, want)
	}
}

var expressions = map[string]*regexp.Regexp{}

func compiled(expr string) *regexp.Regexp {
	if expressions[expr] == nil {
		expressions[expr] = regexp.MustCompile(expr)
	}
	return expressions[expr]
}

// scanned are pieces of texts that the expressions look at.
var scanned = append(strings.Split(" |  |\t|\n|\v|\f|\r|\"|'|`|=|:|://|@|/|\\|,|;|&|{|}|<|>|#|?|$|${|env:|-|--|_|.|..|~|~/|+|==|a|b1|Z|9|é|ſ|\u212a|\xff|\u2028|name|Key|TOKEN|user|passWord|"+
	"bearer|Bearer|BASIC|baſic|digeſt|dpop|token|to\u212aen|${X}|${env:Y}|${9}|http|x-1+.y|12345678-abcd-ABCD-0123-123456789abc|0123456789abcdefABCDEF|abcdefghij|0123456789|xoxb-|xox|-----BEGIN|SG.|index|main.go|"+
	".mjs|.ts|.json|.yaml|.sqlite3|.sqlite|@scope|C:", "|"), knownPrefixes...)

func TestScan(t *testing.T) {
	for range 60_000 {
		var b strings.Builder
		for range rand.IntN(12) {
			b.WriteString(scanned[rand.IntN(len(scanned))])
		}
		if checkScan(t, b.String()); t.Failed() {
			return
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, text := range []string{
		"me:pass@host", `{"a": "b", "-k", "v"}`, "sh -c 'x --key=\"y\"'", "Authorization: Bearer abc", "https://u:p@h/x?y=z", "a=ghp_x;b=c",
		"-----BEGIN KEY\nx", "12345678-abcd-abcd-abcd-123456789012", "@scope/name", "AccountKey", "${env:TOKEN}", `C:\x`, "a.test.json",
	} {
		f.Add(text)
	}
	f.Fuzz(checkScan)
}
