// Policy decides who may use which tools by policy.cedar, in the language Cedar. It is a separate
// module, since it depends on cedar-go.
//
//	go tool mcpgen key new ada -roles editor -file keys.json # in this folder: prints a key
//	go run -C ./policy . -http 8080 -keys keys.json          # lists remove_page to owners alone
//
//mcp:defaults errors=declared
package main

import (
	_ "embed"
	"log"
	"maps"
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

//go:generate go tool mcpgen

//go:embed policy.cedar
var policy []byte

func main() {
	access, err := newAccess(policy)
	if err != nil {
		log.Fatal(err)
	}
	mcpcmd.Main(NewMCPServer(&Wiki{}, mcp.WithAccess(access)), mcpauth.Flags())
}

// Wiki stores pages by title.
type Wiki struct{ pages sync.Map }

// Titles lists the titles of all pages.
//
//mcp:tool name=list_titles readonly closedworld
func (w *Wiki) Titles() []string {
	titles := map[string]bool{}
	w.pages.Range(func(title, _ any) bool { titles[title.(string)] = true; return true })
	return slices.Sorted(maps.Keys(titles))
}

// Write writes a page that does not exist.
//
//mcp:tool name=add_page additive closedworld
func (w *Wiki) Write(
	title string, // of the new page
	text string, // of the page
) error {
	if _, there := w.pages.LoadOrStore(title, text); there {
		return mcp.Errorf("there is a page %q", title)
	}
	return nil
}

// Remove removes a page.
//
//mcp:tool name=remove_page destructive idempotent closedworld
func (w *Wiki) Remove(
	title string, // of the page
) {
	w.pages.Delete(title)
}
