// Package skills has the skills for the conformance suite's scenarios of their extension: two of
// files, one of them with directories in directories, and one whose text a function writes.
package skills

import (
	"context"
	"embed"
	"encoding/json"
	"io/fs"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpskill"
)

//go:embed files
var files embed.FS

const (
	returns = `{"name":"returns","description":"Answers letters of customers who send books back. Use it for returns and refunds.","license":"Apache-2.0","metadata":{"version":"1.0"}}`
	stock   = `{"name":"stock","description":"Counts the books in each room. Use it for questions about what is in stock."}`
	daily   = `{"name":"daily","description":"Reports on the day. Use it when the shop closes."}`
)

// Register registers the skills.
func Register(r mcp.Registrar) error {
	for _, skill := range []struct{ name, frontmatter string }{{"returns", returns}, {"stock", stock}} {
		dir, err := fs.Sub(files, "files/"+skill.name)
		if err != nil {
			return err
		}
		r.Register(mcpskill.New(mcpskill.Info{URI: "skill://shop/" + skill.name, Frontmatter: json.RawMessage(skill.frontmatter)}, dir))
	}
	r.Register(mcpskill.Dynamic(mcpskill.Info{URI: "skill://reports/daily", Frontmatter: json.RawMessage(daily)}, func(context.Context) (string, error) {
		return "---\nname: daily\ndescription: Reports on the day. Use it when the shop closes.\n---\n\nNo book was returned today.\n", nil
	}))
	return nil
}
