package schema

import (
	"strings"
	"testing"
)

// TestNullValue compares types of a value and a flag with sql.Null of the same value.
func TestNullValue(t *testing.T) {
	const methods = "func (n *NAME) Scan(any) error { return nil }\nfunc (n NAME) Value() (driver.Value, error) { return nil, nil }\n"
	const status = "type Status string\nconst (\n\tOpen Status = \"open\" // waits\n\tPaid Status = \"paid\" // done\n)\ntype Point struct{ X, Y int }\n"
	with := func(declaration string) string { return declaration + strings.ReplaceAll(methods, "NAME", "N") }
	for name, tt := range map[string]struct {
		declaration string
		value       string // of sql.Null; "" if the type is something else
	}{
		"sqlc":               {with("type N struct {\n\tStatus Status\n\tValid bool\n}\n"), "Status"},
		"sqlc with JSON":     {with("type N struct {\n\tStatus Status `json:\"status\"`\n\tValid bool `json:\"valid\"` // Valid is true if Status is not NULL\n}\n"), "Status"},
		"flag first":         {with("type N struct {\n\tValid bool\n\tStatus Status `db:\"s\"`\n}\n"), "Status"},
		"struct":             {with("type N struct {\n\tP Point\n\tValid bool\n}\n"), "Point"},
		"value method":       {"type N struct {\n\tV int\n\tValid bool\n}\nfunc (n *N) Scan(interface{}) error { return nil }\nfunc (n *N) Value() (driver.Value, error) { return nil, nil }\n", "int"},
		"generic":            {"type G[T any] struct {\n\tV T\n\tValid bool\n}\nfunc (n *G[T]) Scan(any) error { return nil }\nfunc (n G[T]) Value() (driver.Value, error) { return nil, nil }\ntype N = G[Status]\n", "Status"},
		"wrapper":            {"type N struct{ sql.NullString }\n", "string"},
		"wrapped generic":    {"type N struct{ sql.Null[Status] }\n", "Status"},
		"no Scan":            {"type N struct {\n\tV int\n\tValid bool\n}\nfunc (n N) Value() (driver.Value, error) { return nil, nil }\n", ""},
		"no Value":           {"type N struct {\n\tV int\n\tValid bool\n}\nfunc (n *N) Scan(any) error { return nil }\n", ""},
		"another Scan":       {"type N struct {\n\tV int\n\tValid bool\n}\nfunc (n *N) Scan(string) error { return nil }\nfunc (n N) Value() (driver.Value, error) { return nil, nil }\n", ""},
		"another Value":      {"type N struct {\n\tV int\n\tValid bool\n}\nfunc (n *N) Scan(any) error { return nil }\nfunc (n N) Value() (any, error) { return nil, nil }\n", ""},
		"three fields":       {with("type N struct {\n\tV int\n\tW int\n\tValid bool\n}\n"), ""},
		"unexported field":   {with("type N struct {\n\tv int\n\tValid bool\n}\n"), ""},
		"another flag":       {with("type N struct {\n\tV int\n\tValid int\n}\n"), ""},
		"constraint":         {with("type N struct {\n\tV int `validate:\"min=1\"`\n\tValid bool\n}\n"), ""},
		"flag left out":      {with("type N struct {\n\tV int\n\tValid bool `json:\"-\"`\n}\n"), ""},
		"embedded and field": {"type N struct {\n\tsql.NullString\n\tOther int\n}\n", ""},
		"name for embedded":  {"type N struct {\n\tsql.NullString `json:\"inner\"`\n}\n", ""},
		"text":               {with("type N struct {\n\tV int\n\tValid bool\n}\nfunc (N) MarshalText() ([]byte, error) { return nil, nil }\nfunc (*N) UnmarshalText([]byte) error { return nil }\n"), ""},
		"JSON":               {with("type N struct {\n\tV int\n\tValid bool\n}\nfunc (N) MarshalJSON() ([]byte, error) { return nil, nil }\nfunc (*N) UnmarshalJSON([]byte) error { return nil }\n"), ""},
	} {
		value := tt.value
		if value == "" {
			value = "int"
		}
		s := check(t, "import (\n\t\"database/sql\"\n\t\"database/sql/driver\"\n)\nvar _ driver.Value\n"+status+tt.declaration+`
type Own struct {
	F N
	P *N
	L []N
	M map[string]N
	O N `+"`json:\",omitzero\" jsonschema:\"nullable\"`"+`
}
type Same struct {
	F sql.Null[V]
	P *sql.Null[V]
	L []sql.Null[V]
	M map[string]sql.Null[V]
	O sql.Null[V] `+"`json:\",omitzero\" jsonschema:\"nullable\"`"+`
}
type V = `+value)
		if got := nullValue(s.typeOf(t, "N")) != nil; got != (tt.value != "") {
			t.Errorf("%s: read as a value or null: %v", name, got)
		}
		own, same := s.plan(t, "Own"), s.plan(t, "Same")
		equal := inputText(own) == inputText(same) && outputText(own) == outputText(same)
		if equal != (tt.value != "") {
			t.Errorf("%s: equal %v\n%s\n%s\n%s\n%s", name, equal, inputText(own), inputText(same), outputText(own), outputText(same))
		}
	}
}
