package protofile_test

import (
	"errors"
	"go/types"
	"os"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgen/mcpgen/generator/internal/load"
	"github.com/mcpgen/mcpgen/generator/internal/protofile"
)

// TestSource reads the descriptors of packages that are loaded as source.
func TestSource(t *testing.T) {
	_, compiled := set(t)
	for _, v := range variants {
		t.Run(v, func(t *testing.T) {
			pkg := shop(t, v)
			find := protofile.New(pkg)
			names := map[string]protoreflect.FullName{
				"Item": "fixture.shop.Item", "Item_Part": "fixture.shop.Item.Part", "Old": "fixture.shop.Old", "Old_Box": "fixture.shop.Old.Box",
				"LowerCase": "fixture.shop.lower_case", "LowerCaseInnerOne": "fixture.shop.lower_case.inner_one",
			}
			if v != "v1_31" {
				names["Modern"] = "fixture.shop.Modern"
			}
			if pkg.Types.Scope().Lookup("LowerCaseInnerOne") == nil {
				delete(names, "LowerCaseInnerOne")
				names["LowerCase_InnerOne"] = "fixture.shop.lower_case.inner_one"
			}
			for name, want := range names {
				md, err := find.Message(typeIn(t, pkg, name))
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if md.FullName() != want {
					t.Errorf("type %s is %s", name, md.FullName())
				}
				checkFiles(t, md.ParentFile(), compiled)
			}
		})
	}
}

// TestImported reads the descriptors of packages whose types come from export data.
func TestImported(t *testing.T) {
	_, compiled := set(t)
	for _, flags := range []string{"", "-trimpath"} {
		pkg := loaded(t, load.Config{Patterns: []string{"./testdata/use"}, Env: append(os.Environ(), "GOFLAGS="+flags)})[0]
		items := typeIn(t, pkg, "Items").Underlying().(*types.Struct)
		for f := range items.Fields() {
			if f.Name() == "Text" {
				continue
			}
			if !protofile.IsMessage(f.Type()) {
				t.Errorf("%s is not found to be a message", f.Name())
			}
			md, err := protofile.New(pkg).Message(f.Type())
			if err != nil {
				t.Fatalf("%s: %v", f.Name(), err)
			}
			checkFiles(t, md.ParentFile(), compiled)
		}
	}
}

// TestOneName refuses the second of two messages with one name.
func TestOneName(t *testing.T) {
	pkg := loaded(t, load.Config{Patterns: []string{"./testdata/use"}})[0]
	items := typeIn(t, pkg, "Items").Underlying().(*types.Struct)
	find := protofile.New(pkg)
	for range 2 { // the same type twice is no problem
		if _, err := find.Message(items.Field(0).Type()); err != nil {
			t.Fatal(err)
		}
	}
	_, err := find.Message(items.Field(1).Type())
	want := "types " + module + "v1_31/shop.Item and " + module + "v1_34/shop.Item are both generated from a message fixture.shop.Item"
	checkError(t, err, "v1_34/shop/shop.pb.go", want)
}

// checkError checks the position and the message of an error.
func checkError(t *testing.T, err error, file, want string) {
	t.Helper()
	e, ok := errors.AsType[*protofile.Error](err)
	if !ok {
		t.Fatalf("got error %v, want %s", err, want)
	}
	if e.Message != want {
		t.Errorf("got  %s\nwant %s", e.Message, want)
	}
	if !strings.HasSuffix(e.Pos.Filename, file) || e.Pos.Line == 0 || e.Hint == "" {
		t.Errorf("position %v, hint %q", e.Pos, e.Hint)
	}
}
