package zoo

import (
	"context"

	"github.com/mcpgen/mcpgen/internal/proof/zoo/identity"
)

// Singles has rules that a float32 cannot hold exactly.
type Singles struct {
	Least  float32    `json:"least" jsonschema:"minimum=16777217"`
	Most   float32    `json:"most" jsonschema:"maximum=16777217"`
	Above  float32    `json:"above" jsonschema:"exclusiveMinimum=16777217"`
	Below  float32    `json:"below" jsonschema:"exclusiveMaximum=0.100000001"`
	Step   float32    `json:"step" jsonschema:"multipleOf=16777217"`
	Choice float32    `json:"choice" jsonschema:"enum=16777217,enum=0.1,enum=-0.5"`
	Unique []float32  `json:"unique" jsonschema:"uniqueItems"`
	Pair   [2]float32 `json:"pair" jsonschema:"uniqueItems"`
	Texts  []float32  `json:"texts" jsonschema:"minimum=0.3,uniqueItems"`
}

// EchoSingles returns what it is given.
//
//mcp:tool readonly
func EchoSingles(ctx context.Context, in Singles) Singles { return identity.Object(ctx, in) }

// Blanks has patterns with sets that the two dialects have by different names.
type Blanks struct {
	Blank string   `json:"blank" jsonschema:"pattern=^\\s+$"`
	Any   string   `json:"any" jsonschema:"pattern=^.{1\\,3}$"`
	Words string   `json:"words" jsonschema:"pattern=^\\S+(\\s\\S+)*$"`
	Rest  []string `json:"rest" jsonschema:"pattern=^[^\\s.]*[\\S-]$"`
}

// EchoBlanks returns what it is given.
//
//mcp:tool readonly
func EchoBlanks(ctx context.Context, in Blanks) Blanks { return identity.Object(ctx, in) }
