package keyword

import (
	"fmt"
	"io"
	"strings"
)

// WriteMarkdown writes the table for the documents. Errors of the writer are ignored.
func WriteMarkdown(w io.Writer) {
	var out strings.Builder
	out.WriteString("| keyword | in | for | meaning |\n|---|---|---|---|\n")
	for _, k := range table {
		if k.Instead != "" {
			continue
		}
		name := k.Name
		if k.Value != Flag {
			name += "=" + k.Example
		}
		if strings.Contains(name, "`") {
			name = "`` " + name + " ``"
		} else {
			name = "`" + name + "`"
		}
		var in []string
		if k.In&Tag != 0 {
			in = append(in, "tag")
		}
		if k.In&Arg != 0 {
			in = append(in, "`//mcp:arg`")
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %s |\n", strings.ReplaceAll(name, "|", `\|`), strings.Join(in, ", "), k.For, k.Help)
	}
	_, _ = io.WriteString(w, out.String())
}
