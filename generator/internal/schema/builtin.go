package schema

import (
	"go/types"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// nullable texts and numbers, as types that may have no value write them.
const (
	stringOrNull   = `{"anyOf":[{"type":"string"},{"type":"null"}]}`
	dateTimeSchema = `{"type":"string","format":"date-time"}`
	durationSchema = `{"type":"string","pattern":"^[+-]?(0|(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$","description":"A duration such as \"1h30m\"."}`
)

// builtin are the plans of types that are not what their declaration says, by
// import path and name. Those of other modules are recognised without requiring
// them. Kinds with methods are read and written by the type's own.
var builtin = map[string]model.Type{
	"time.Time":                {Kind: model.Time},
	"time.Duration":            {Kind: model.Int, Bits: 64}, // nanoseconds, as encoding/json has it
	"encoding/json.RawMessage": {Kind: model.RawJSON},
	"encoding/json.Number":     {Kind: model.Number},
	"math/big.Int":             {Kind: model.JSON, Schema: `{"type":"integer"}`},
	"net/url.URL":              {Kind: model.Text, Format: "uri", Marshaler: "MarshalBinary", Unmarshaler: "UnmarshalBinary"},

	"github.com/google/uuid.UUID":    {Kind: model.Text, Format: "uuid"},
	"github.com/gofrs/uuid.UUID":     {Kind: model.Text, Format: "uuid"},
	"github.com/gofrs/uuid/v5.UUID":  {Kind: model.Text, Format: "uuid"},
	"github.com/satori/go.uuid.UUID": {Kind: model.Text, Format: "uuid"},

	// As text: what MarshalJSON writes depends on a variable of the package.
	"github.com/shopspring/decimal.Decimal": {Kind: model.Text, Schema: `{"type":"string","pattern":"^[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][+-]?[0-9]+)?$","description":"A decimal number in a string."}`},

	"github.com/jackc/pgx/v5/pgtype.UUID":        {Kind: model.JSON, Schema: `{"anyOf":[{"type":"string","format":"uuid"},{"type":"null"}]}`},
	"github.com/jackc/pgx/v5/pgtype.Date":        {Kind: model.JSON, Schema: stringOrNull},
	"github.com/jackc/pgx/v5/pgtype.Timestamp":   {Kind: model.JSON, Schema: stringOrNull},
	"github.com/jackc/pgx/v5/pgtype.Timestamptz": {Kind: model.JSON, Schema: stringOrNull},
	"github.com/jackc/pgx/v5/pgtype.Numeric":     {Kind: model.JSON, Schema: `{"anyOf":[{"type":"number"},{"type":"string"},{"type":"null"}]}`},

	"k8s.io/apimachinery/pkg/api/resource.Quantity":  {Kind: model.JSON, Schema: `{"type":"string","description":"A quantity such as \"500m\" or \"2Gi\"."}`},
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":      {Kind: model.JSON, Schema: dateTimeSchema, NullOut: true},
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime": {Kind: model.JSON, Schema: dateTimeSchema, NullOut: true},
	"k8s.io/apimachinery/pkg/apis/meta/v1.Duration":  {Kind: model.JSON, Schema: durationSchema},
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString": {Kind: model.JSON,
		Schema: `{"anyOf":[{"type":"integer","minimum":-2147483648,"maximum":2147483647},{"type":"string"}]}`},
}

// flagged are structs of a value and a flag Valid, with the field of the value.
// They travel as the value, or as nothing.
var flagged = map[string]string{
	"database/sql.Null":        "V",
	"database/sql.NullBool":    "Bool",
	"database/sql.NullByte":    "Byte",
	"database/sql.NullFloat64": "Float64",
	"database/sql.NullInt16":   "Int16",
	"database/sql.NullInt32":   "Int32",
	"database/sql.NullInt64":   "Int64",
	"database/sql.NullString":  "String",
	"database/sql.NullTime":    "Time",

	"github.com/google/uuid.NullUUID":           "UUID",
	"github.com/gofrs/uuid.NullUUID":            "UUID",
	"github.com/gofrs/uuid/v5.NullUUID":         "UUID",
	"github.com/shopspring/decimal.NullDecimal": "Decimal",
	"github.com/jackc/pgx/v5/pgtype.Bool":       "Bool",
	"github.com/jackc/pgx/v5/pgtype.Float4":     "Float32",
	"github.com/jackc/pgx/v5/pgtype.Float8":     "Float64",
	"github.com/jackc/pgx/v5/pgtype.Int2":       "Int16",
	"github.com/jackc/pgx/v5/pgtype.Int4":       "Int32",
	"github.com/jackc/pgx/v5/pgtype.Int8":       "Int64",
	"github.com/jackc/pgx/v5/pgtype.Text":       "String",
}

// knownType returns the plan of a type of the built-in table, nil if it is not
// in it.
func knownType(t types.Type) *model.Type {
	if p, ok := builtin[typeKey(t)]; ok {
		return &p
	}
	return nil
}

// flaggedValue returns the field that holds the value of a type of a value and a flag,
// nil if t is not such a type.
func flaggedValue(t types.Type) *types.Var {
	name, ok := flagged[typeKey(t)]
	if !ok {
		return nil
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	var value *types.Var
	hasFlag := false
	for f := range st.Fields() {
		switch {
		case f.Name() == name:
			value = f
		case f.Name() == "Valid":
			hasFlag = types.Identical(f.Type(), types.Typ[types.Bool])
		}
	}
	if !hasFlag {
		return nil
	}
	return value
}

// typeKey is the import path and the name of a declared type, "" for others.
func typeKey(t types.Type) string {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return ""
	}
	return named.Obj().Pkg().Path() + "." + named.Obj().Name()
}
