package cli

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// skillEntry returns the entry of a skill as skills/list contains it (Skills extension, Skill
// Entries).
func skillEntry(s *model.Skill) json.RawMessage {
	type file struct {
		URI    string `json:"uri"`
		Digest string `json:"digest"`
		Size   int    `json:"size"`
	}
	var resources any = "dynamic"
	if s.Of.Func == nil {
		files := make([]file, 0, len(s.Files))
		for _, f := range s.Files {
			files = append(files, file(f))
		}
		resources = files
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(struct {
		URI         string          `json:"uri"`
		Frontmatter json.RawMessage `json:"frontmatter"`
		Resources   any             `json:"resources"`
	}{s.MainURI(), json.RawMessage(s.Frontmatter), resources})
	if err != nil {
		panic(err) // the frontmatter was made as JSON
	}
	return bytes.TrimSpace(b.Bytes())
}

// skillSignature describes the content of a skill.
func skillSignature(s *model.Skill) string {
	if s.Of.Func != nil {
		return "dynamic"
	}
	bytes := 0
	for _, f := range s.Files {
		bytes += f.Size
	}
	return fmt.Sprintf("%s, %s", count(len(s.Files), "file"), count(bytes, "byte"))
}
