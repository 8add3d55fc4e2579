package analyze

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// shaping are names of arguments that say how a result looks or where it begins, and of which no
// value makes it smaller.
var shaping = []string{
	"sort", "sort_by", "sort_order", "sort_dir", "sort_direction", "order", "order_by", "order_dir", "direction", "desc", "descending", "asc",
	"ascending", "reverse", "offset", "skip", "start", "cursor", "next_cursor", "page", "page_token", "continue", "format", "locale", "timezone",
	"time_zone", "tz", "dry_run", "confirm",
}

// searching are names of arguments that a caller may make more precise though they are required.
var searching = []string{
	"q", "query", "search", "search_query", "search_term", "term", "terms", "keyword", "keywords", "text", "filter", "filters", "where", "match", "pattern",
	"selector", "expression", "words",
}

// isFreeText reports whether an argument is a text that is not one of a few.
func isFreeText(f *model.Field) bool {
	return f.Type.Kind == model.String && f.Type.Enum.Closed() == nil && len(f.Rules.Enum) == 0
}

// narrowing are the names of the arguments that make a result smaller: filters and bounds, which a
// caller may set or not, and what is searched for. If there are neither, they are the others.
func narrowing(input *model.Input) []string {
	if input == nil || input.Object == nil {
		return nil
	}
	var filters, others []string
	for _, f := range input.Object.Fields {
		switch name := strings.ReplaceAll(snake(f.Name), "-", "_"); {
		case slices.Contains(shaping, name):
		case f.Required && !slices.Contains(searching, name), f.Default != nil && isFreeText(f): // a text that is there in any case
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
