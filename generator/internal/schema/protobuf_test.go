package schema

import (
	"go/types"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/load"
)

// TestMessages refuses messages in a signature, by their names in the .proto file.
func TestMessages(t *testing.T) {
	pkgs, _, err := load.Load(t.Context(), load.Config{Patterns: []string{"../protofile/testdata/use"}})
	if err != nil {
		t.Fatal(err)
	}
	items := pkgs[0].Types.Scope().Lookup("Items").Type().Underlying().(*types.Struct)
	const want = "tool Put: type shop.Item is the protobuf message fixture.shop.Item of shop/shop.proto, " +
		"which encoding/json does not write as its JSON mapping requires\n\thint: structs and json.RawMessage are supported"
	for f := range items.Fields() {
		if f.Name() != "V1_31" && f.Name() != "Opaque" {
			continue
		}
		var diags diag.List
		if plan := New(pkgs[0], load.NewDocs(pkgs[0]), &diags).Type(f.Type(), Argument, diag.Place{Subject: "tool Put"}); plan != nil {
			t.Errorf("%s has a plan", f.Name())
		}
		var out strings.Builder
		diag.Print(&out, &diags, "")
		if !strings.HasPrefix(out.String(), want) {
			t.Errorf("%s: got\n%s\nwant\n%s", f.Name(), out.String(), want)
		}
	}
}
