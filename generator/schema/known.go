package schema

import (
	"go/types"

	"github.com/mcpgen/mcpgen/generator/model"
)

// builtin are the plans of types that are not what their declaration says, by
// import path and name. Those of other modules are recognised without requiring
// them.
var builtin = map[string]model.Type{
	"time.Time":                {Kind: model.Time},
	"time.Duration":            {Kind: model.Int, Bits: 64}, // nanoseconds, as encoding/json has it
	"encoding/json.RawMessage": {Kind: model.RawJSON},
	"encoding/json.Number":     {Kind: model.Number},
	"math/big.Int":             {Kind: model.JSON, Schema: `{"type":"integer"}`},

	"github.com/google/uuid.UUID":    {Kind: model.Text, Format: "uuid"},
	"github.com/gofrs/uuid.UUID":     {Kind: model.Text, Format: "uuid"},
	"github.com/gofrs/uuid/v5.UUID":  {Kind: model.Text, Format: "uuid"},
	"github.com/satori/go.uuid.UUID": {Kind: model.Text, Format: "uuid"},
}

// refused are types whose encoding/json form nobody wants, with what to use
// instead.
var refused = map[string]string{
	"net/url.URL":              "use a string, and url.Parse",
	"database/sql.NullString":  "use a *string",
	"database/sql.NullBool":    "use a *bool",
	"database/sql.NullByte":    "use a *byte",
	"database/sql.NullInt16":   "use a *int16",
	"database/sql.NullInt32":   "use a *int32",
	"database/sql.NullInt64":   "use a *int64",
	"database/sql.NullFloat64": "use a *float64",
	"database/sql.NullTime":    "use a *time.Time",
	"database/sql.Null":        "use a pointer",
}

// knownType returns the plan of a type of the built-in tables, or the hint for
// one that is refused.
func knownType(t types.Type) (plan *model.Type, refusal string) {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return nil, ""
	}
	key := named.Obj().Pkg().Path() + "." + named.Obj().Name()
	if p, ok := builtin[key]; ok {
		return &p, ""
	}
	return nil, refused[key]
}
