package mcpskill

import (
	"context"
	"errors"
	"strings"
)

var errOtherBlock = errors.New("mcpskill: the text of the skill begins with a frontmatter other than the published one: return the text without a frontmatter")

// WithBlock returns a function for [Dynamic] whose texts begin with a frontmatter block: the texts
// of another function, with the block in front of those without a frontmatter. A text with another
// block is an error, since hosts refuse a skill whose text and entry differ. Generated code calls
// it.
func WithBlock(block string, text func(ctx context.Context) (string, error)) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		s, err := text(ctx)
		first, _, _ := strings.Cut(s, "\n")
		switch {
		case err != nil:
			return "", err
		case strings.HasPrefix(s, block):
			return s, nil
		case strings.TrimRight(strings.TrimPrefix(first, "\ufeff"), " \t\r") == "---":
			return "", errOtherBlock
		}
		return block + s, nil
	}
}
