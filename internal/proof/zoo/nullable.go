package zoo

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"github.com/mcpgen/mcpgen/internal/proof/zoo/identity"
)

// Season is an enumeration.
type Season string

const (
	Summer Season = "summer"
	Winter Season = "winter"
)

// NullSeason is what sqlc generates for a nullable column of an enumeration.
type NullSeason struct {
	Season Season `json:"season"`
	Valid  bool   `json:"valid"` // Valid is true if Season is not NULL
}

// Scan implements the Scanner interface.
func (ns *NullSeason) Scan(value any) error {
	if value == nil {
		ns.Season, ns.Valid = "", false
		return nil
	}
	ns.Valid = true
	ns.Season = Season(value.(string))
	return nil
}

// Value implements the driver Valuer interface.
func (ns NullSeason) Value() (driver.Value, error) {
	if !ns.Valid {
		return nil, nil
	}
	return string(ns.Season), nil
}

// SQLNulls have values with a flag of types that are not the standard library's.
type SQLNulls struct {
	Own     NullSeason                 `json:"own"`
	Theirs  sql.Null[Season]           `json:"theirs"`
	List    []NullSeason               `json:"list"`
	Map     map[string]NullSeason      `json:"map"`
	Pointer *NullSeason                `json:"pointer"`
	Inner   sql.Null[NullSeason]       `json:"inner"`
	Narrow  NullSeason                 `json:"narrow,omitempty" jsonschema:"enum=summer"`
	Default NullSeason                 `json:"default" jsonschema:"default=winter"`
	Kept    NullSeason                 `json:"kept" jsonschema:"nullable"`
	Wrapped struct{ V NullWrapped }    `json:"wrapped"`
	Array   [2]NullSeason              `json:"array"`
	Boxes   map[string]Box[NullSeason] `json:"boxes,omitempty"`
}

// NullWrapped embeds a type with a flag, and nothing else.
type NullWrapped struct{ sql.NullInt64 }

//mcp:tool name=own_sql_nulls
func EchoOwnSQLNulls(ctx context.Context, in SQLNulls) SQLNulls { return identity.Object(ctx, in) }

//mcp:tool name=own_null_season
func EchoOwnNullSeason(ctx context.Context, value NullSeason) NullSeason {
	return identity.Value(ctx, value)
}
