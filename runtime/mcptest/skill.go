package mcptest

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// Skill is an entry of skills/list and skills/get (extension io.modelcontextprotocol/skills).
type Skill struct {
	URI         string          `json:"uri"` // of SKILL.md
	Frontmatter json.RawMessage `json:"frontmatter"`
	Files       SkillFiles      `json:"resources"` // nil for a skill that is "dynamic"
}

// SkillFiles are all files of a skill, SKILL.md among them.
type SkillFiles []SkillFile

// SkillFile is a file of a skill.
type SkillFile struct {
	URI    string `json:"uri"`
	Digest string `json:"digest"` // sha256:{hex} of its bytes
	Size   int64  `json:"size"`   // in bytes
}

// UnmarshalJSON reads an array of files, or the text "dynamic".
func (f *SkillFiles) UnmarshalJSON(data []byte) error {
	if bytes.Equal(data, []byte(`"dynamic"`)) {
		*f = nil
		return nil
	}
	if len(data) == 0 || data[0] != '[' {
		return fmt.Errorf(`resources must be an array or "dynamic", and not %.100s`, data)
	}
	return json.Unmarshal(data, (*[]SkillFile)(f))
}

// Skills returns the listed skills on all pages, from revision 2026-07-28 on.
func (c *Client) Skills() []Skill {
	c.t.Helper()
	return pagesOf(c, "skills/list", map[string]any{}, func(p *skillPage) []Skill { return p.Skills })
}

// Skill returns the skill whose SKILL.md has a URI, listed or not.
func (c *Client) Skill(uri string) Skill {
	c.t.Helper()
	var result struct{ Skill Skill }
	c.must("skills/get", map[string]any{"uri": uri}, &result)
	return result.Skill
}

// Directory returns the children of a directory of skills on all pages: files, and directories with
// the MIME type inode/directory.
func (c *Client) Directory(uri string) []mcpclient.Resource {
	c.t.Helper()
	return pagesOf(c, "resources/directory/read", map[string]any{"uri": uri}, func(p *skillPage) []mcpclient.Resource { return p.Resources })
}

// skillPage is a page of one of the lists.
type skillPage struct {
	Skills    []Skill
	Resources []mcpclient.Resource
	Next      string `json:"nextCursor"`
}

// pagesOf returns the items on all pages of a list.
func pagesOf[T any](c *Client, method string, params map[string]any, items func(*skillPage) []T) (all []T) {
	c.t.Helper()
	seen := map[string]bool{}
	for {
		var page skillPage
		c.must(method, params, &page)
		all = append(all, items(&page)...)
		if page.Next == "" {
			return all
		}
		if seen[page.Next] {
			c.t.Fatalf("mcptest: %s: the cursor %q comes twice", method, page.Next)
		}
		seen[page.Next] = true
		params["cursor"] = page.Next
	}
}
