package cli

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// topicsOfHelp matches the topics that the overview lists.
var topicsOfHelp = regexp.MustCompile(`(?s)Topics of help: (.*?)\.\n`)

// Help fits a terminal of 80 columns.
func TestHelpWidth(t *testing.T) {
	help := func(args ...string) string {
		var out, err bytes.Buffer
		c := &command{ctx: t.Context(), dir: t.TempDir(), invoked: "go tool mcpgen", out: &out, err: &err, progress: newProgress(&err, false)}
		if code := c.run(args); code != exitDone || err.Len() > 0 {
			t.Fatalf("%v: exit code %d, %s", args, code, &err)
		}
		return out.String()
	}
	overview := help("help")
	for _, flag := range []string{"-h", "-help", "--help"} {
		if help(flag) != overview {
			t.Errorf("%s shows something else than help", flag)
		}
	}
	topics := strings.FieldsFunc(topicsOfHelp.FindStringSubmatch(overview)[1], func(r rune) bool { return r == ',' || r == ' ' || r == '\n' })
	if len(topics) < 18 {
		t.Fatalf("the topics are %q", topics)
	}
	for _, topic := range append(topics, "help") {
		for line := range strings.Lines(help("help", topic)) {
			if strings.HasPrefix(strings.TrimSpace(line), `{"mcpServers": `) {
				continue // meant for pasting
			}
			if line = strings.TrimSuffix(strings.ReplaceAll(line, "\t", "        "), "\n"); len([]rune(line)) > 80 {
				t.Errorf("%s: %d columns: %s", topic, len([]rune(line)), line)
			}
		}
	}
	for _, s := range subcommands() {
		if !strings.Contains(overview, "\n  mcpgen "+s.name+" ") {
			t.Errorf("the overview has no %s", s.name)
		}
	}
}
