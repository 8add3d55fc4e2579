package model

import (
	"go/types"
	"strings"
)

// Embeds reports whether results of the tool may contain embedded resources: blobs that are neither
// pictures nor sounds, and content of any kind.
func (t *Tool) Embeds() bool {
	switch t.Result.Kind {
	case ResultBlob, ResultReader:
		kind := strings.ToLower(t.MIME)
		return !strings.HasPrefix(kind, "image/") && !strings.HasPrefix(kind, "audio/")
	case ResultContents, ResultTool, ResultTyped:
		return true
	case ResultContent:
		for _, v := range t.Result.Values {
			if v.Role == RoleValue && !plainContent(v.Type) {
				return true
			}
		}
	}
	return false
}

// Embeds reports whether messages of the prompt may contain embedded resources: content of any kind
// may, but not messages made from a text.
func (p *Prompt) Embeds() bool { return p.Result.Kind == ResultPrompt }

// plainContent reports whether a content type of the runtime is a block without embedded resources.
func plainContent(t types.Type) bool {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	named, ok := t.(*types.Named)
	if !ok {
		return false
	}
	switch named.Obj().Name() {
	case "Text", "Image", "Audio", "ResourceLink":
		return true
	}
	return false
}
