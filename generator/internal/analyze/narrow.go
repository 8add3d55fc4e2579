package analyze

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// shaping are names of arguments that set the form of a result or its beginning; none of their
// values makes the result smaller.
var shaping = []string{
	"sort", "sort_by", "sort_order", "sort_dir", "sort_direction", "order", "order_by", "order_dir", "direction", "desc", "descending", "asc",
	"ascending", "reverse", "offset", "skip", "start", "cursor", "next_cursor", "page", "page_token", "continue", "format", "locale", "timezone",
	"time_zone", "tz", "dry_run", "confirm",
}

// searching are names of arguments that a caller may make more precise although they are required.
var searching = []string{
	"q", "query", "search", "search_query", "search_term", "term", "terms", "keyword", "keywords", "text", "filter", "filters", "where", "match", "pattern",
	"selector", "expression", "words",
}

// isFreeText reports whether an argument is a text without a fixed set of values.
func isFreeText(f *model.Field) bool {
	return f.Type.Kind == model.String && f.Type.Enum.Closed() == nil && len(f.Rules.Enum) == 0
}

// narrowing returns the names of the arguments that make a result smaller: optional filters and
// bounds, and search terms. If there are neither, it returns the others.
func narrowing(input *model.Input) []string {
	if input == nil || input.Object == nil {
		return nil
	}
	var filters, others []string
	for _, f := range input.Object.Fields {
		switch name := strings.ReplaceAll(snake(f.Name), "-", "_"); {
		case slices.Contains(shaping, name):
		case f.Required && !slices.Contains(searching, name), f.Default != nil && isFreeText(f): // a text that is always set
			others = append(others, f.Name)
		default:
			filters = append(filters, f.Name)
		}
	}
	if filters == nil {
		return others
	}
	return filters
}
