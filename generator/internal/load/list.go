package load

import (
	"regexp"
	"strings"
)

// listItem matches "- name: text", with the markers that go/doc knows, optional backquotes around
// the name, and a dash instead of the colon.
var listItem = regexp.MustCompile("^([ \t]*)[-*+•][ \t]+`?([\\pL_][\\pL\\pN_.]*)`?[ \t]*(?::|[ \t][-–—][ \t])[ \t]*(.*)$")

// ListItems returns, by name, the texts behind the items "- name: text" in a comment. An item ends
// before an empty line, before the next item, and before a line that is not indented further than
// its marker. If a name occurs twice, the first item counts.
func ListItems(doc string) map[string]string {
	items := map[string]string{}
	name, indent := "", 0
	for line := range strings.Lines(doc) {
		line = strings.TrimRight(line, " \t\r\n")
		if m := listItem.FindStringSubmatch(line); m != nil {
			name, indent = m[2], len(m[1])
			if _, twice := items[name]; twice {
				name = ""
				continue
			}
			items[name] = strings.TrimSpace(m[3])
			continue
		}
		text := strings.TrimLeft(line, " \t")
		if name == "" || text == "" || len(line)-len(text) <= indent || strings.ContainsRune("-*+•", []rune(text)[0]) {
			name = ""
			continue
		}
		items[name] = strings.TrimSpace(items[name] + " " + text)
	}
	for name, text := range items {
		if text == "" {
			delete(items, name)
		}
	}
	return items
}
