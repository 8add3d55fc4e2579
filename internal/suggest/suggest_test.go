package suggest_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/suggest"
)

func TestNearest(t *testing.T) {
	arguments := []string{"query", "limit", "sort_order", "maxResults", "id"}
	kinds := []string{"public_channel", "private_channel", "im", "mpim"}
	pods := []string{"namespace", "labelSelector", "fieldSelector", "name", "resourceVersion", "timeout"}
	keys := []string{"tool", "arg", "doc", "resource", "timeout", "readonly", "minLength", "maxLength", "minimum", "title", "search_books", "ok"}
	clients := []string{"claude-code", "cursor", "vscode", "zed"}
	for _, c := range []struct {
		words []string
		word  string
		want  string
	}{
		// Differences.
		{arguments, "qeury", "query"}, {arguments, "Query", "query"}, {arguments, "querry", "query"}, {arguments, "limits", "limit"},
		{arguments, "sortOrder", "sort_order"}, {arguments, "max_results", "maxResults"}, {arguments, "ID", "id"},
		{arguments, "x", ""}, {arguments, "", ""}, {arguments, "completely", ""}, {arguments, strings.Repeat("q", 1000), ""}, {arguments, "tilim", ""},
		{[]string{"public_channel", "publish"}, "publik", "publish"},
		// Words.
		{arguments, "order", "sort_order"}, {arguments, "results", "maxResults"}, {arguments, "search_query", "query"},
		{kinds, "public", "public_channel"}, {kinds, "Private", "private_channel"}, {kinds, "channel", ""}, {kinds, "channel_public", ""},
		{[]string{"publish", "public_channel"}, "public", "public_channel"},
		{[]string{"channel", "channel_id", "channel_name"}, "channel_topic", "channel"},
		{[]string{"a,b", "c"}, "a", ""}, {[]string{"very long title", "x"}, "title", "very long title"},
		{[]string{"HTTPServer", "x"}, "server", "HTTPServer"}, {[]string{"user_id", "group_id"}, "id", ""},
		// Abbreviations.
		{pods, "ns", "namespace"}, {pods, "selector", ""}, {pods, "label_sel", "labelSelector"}, {pods, "rv", "resourceVersion"}, {pods, "to", ""},
		{pods, "na", ""}, {pods, "n", ""},
		{[]string{"ns", "pod"}, "namespace", "ns"}, {[]string{"ns", "name"}, "namespace", ""}, {[]string{"message", "channel"}, "msg", "message"}, {[]string{"repository", "owner"}, "repo", "repository"},
		{[]string{"quantity", "price"}, "qty", "quantity"}, {[]string{"channel_id", "text"}, "chan_id", "channel_id"}, {[]string{"channel_topic", "text"}, "ct", "channel_topic"},
		{[]string{"description", "destination"}, "dst", ""}, {[]string{"source", "destination"}, "dst", "destination"}, {[]string{"description", "descendants"}, "desc", ""},
		// Words of the command: directives, keys, flags, clients.
		{keys, "tol", "tool"}, {keys, "Tool", "tool"}, {keys, "tolo", "tool"}, {keys, "tools", "tool"},
		{keys, "timout", "timeout"}, {keys, "tiemout", "timeout"}, {keys, "read_only", "readonly"}, {keys, "-readonly", "readonly"},
		{keys, "minlength", "minLength"}, {keys, "maxLenght", "maxLength"}, {keys, "lenght", ""}, {keys, "min", "minLength"},
		{keys, "serach_book", "search_books"}, {keys, "resuorce", "resource"}, {keys, "agr", "arg"}, {keys, "ttle", "title"}, {keys, "titel", "title"},
		{keys, "x", ""}, {keys, "", ""}, {keys, "zzz", ""}, {keys, "k", ""}, {keys, "go", ""}, {keys, "--", ""}, {keys, "tool", ""},
		{clients, "claude", "claude-code"}, {clients, "claude.code", "claude-code"}, {clients, "vs-code", "vscode"}, {clients, "curosr", "cursor"}, {clients, "zde", "zed"},
		{[]string{"größe", "x"}, "gr", "größe"}, {[]string{"名前空間", "x"}, "名", ""},
	} {
		if got := suggest.Word(c.word, c.words); got != c.want {
			t.Errorf("%.20q of %q: got %q, want %q", c.word, c.words, got, c.want)
		}
	}
}

func TestTypo(t *testing.T) {
	keys := []string{"tool", "minimum", "minLength", "omitempty"}
	for word, want := range map[string]string{
		"tol": "tool", "min_length": "minLength", "Minimun": "minimum", "omitemtpy": "omitempty",
		"min": "", "len": "", "omit": "", "tool": "", "": "", strings.Repeat("t", 1000): "",
	} {
		if got := suggest.Typo(word, keys); got != want {
			t.Errorf("%.20q: got %q, want %q", word, got, want)
		}
	}
}

func FuzzNearest(f *testing.F) {
	f.Add("ns", "namespace", "name")
	f.Add("publicChannel", "", "É_é")
	f.Fuzz(func(t *testing.T, word, a, b string) {
		words := []string{a, b}
		i := suggest.Nearest(word, len(words), func(i int) string { return words[i] })
		if i < -1 || i > 1 {
			t.Errorf("%q of %q: %d", word, words, i)
		}
	})
}
