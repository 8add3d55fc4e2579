package reference

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

// parse reads one JSON value.
func parse(text []byte) (*jsontree.Value, error) {
	all, err := jsontree.Read(text)
	if err == nil && len(all) != 1 {
		err = errors.New("it is not one JSON value")
	}
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// isTrue reports whether a value is present and true.
func isTrue(v *jsontree.Value) bool { return v.Is(jsontree.Boolean) && v.Text == "true" }

// compact returns a value on one line, without blanks.
func compact(v *jsontree.Value) string {
	var b bytes.Buffer
	if err := json.Compact(&b, v.JSON()); err != nil {
		return v.Compact()
	}
	return b.String()
}

// indented returns a value with each member and item on its own line.
func indented(v *jsontree.Value) string {
	var b bytes.Buffer
	if err := json.Indent(&b, v.JSON(), "", "  "); err != nil {
		return v.Compact()
	}
	return b.String()
}
