package program

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// Texts converts the words of a command line to the arguments of a prompt: either one word that is
// a JSON object of strings, or any number of key=value. All values are text in the protocol. The
// result is compact JSON.
func Texts(input *model.Input, words []string) (json.RawMessage, error) {
	for _, word := range words {
		if !strings.HasPrefix(strings.TrimSpace(word), "{") {
			continue
		}
		if len(words) > 1 {
			return nil, &ArgumentError{Message: "arguments are either one JSON object or key=value pairs, not both"}
		}
		return compact(word)
	}
	fields := argumentFields(input)
	seen := map[string]bool{}
	out := []byte{'{'}
	for i, word := range words {
		key, value, ok := strings.Cut(word, "=")
		if !ok || key == "" {
			return nil, notPair(word, fields)
		}
		if seen[key] {
			return nil, &ArgumentError{Message: fmt.Sprintf("argument %s is given twice", key)}
		}
		seen[key] = true
		if i > 0 {
			out = append(out, ',')
		}
		out = appendText(append(appendText(out, key), ':'), value)
	}
	return append(out, '}'), nil
}
