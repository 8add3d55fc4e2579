package protofile_test

import (
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/mcpgen/mcpgen/generator/internal/protofile"
)

// TestOptions reads extensions that are declared in a file that another one imports publicly.
func TestOptions(t *testing.T) {
	for _, v := range variants {
		t.Run(v, func(t *testing.T) {
			pkg := shop(t, v)
			md, err := protofile.New(pkg).Message(typeIn(t, pkg, "Item"))
			if err != nil {
				t.Fatal(err)
			}
			option := func(d protoreflect.Descriptor, name protoreflect.FullName) protoreflect.Value {
				t.Helper()
				v, ok, err := protofile.Option(d, name)
				if err != nil || ok != v.IsValid() {
					t.Fatal(ok, err)
				}
				return v
			}
			var behavior []protoreflect.EnumNumber
			list := option(md.Fields().ByName("title"), "fixture.common.behavior").List()
			for i := range list.Len() {
				behavior = append(behavior, list.Get(i).Enum())
			}
			if len(behavior) != 2 || behavior[0] != 1 || behavior[1] != 2 {
				t.Errorf("the behavior of title is %v", behavior)
			}
			bounds := option(md.Fields().ByName("sku"), "fixture.common.bounds").Message()
			if max := bounds.Get(bounds.Descriptor().Fields().ByName("maximum")).Float(); max != 10 {
				t.Errorf("the maximum of sku is %v", max)
			}
			find := md.ParentFile().Services().ByName("Shop").Methods().ByName("Find")
			if path := option(find, "fixture.common.path").String(); path != "/items/{query}" {
				t.Errorf("the path of Find is %q", path)
			}
			if level := find.Options().(*descriptorpb.MethodOptions).GetIdempotencyLevel(); level != descriptorpb.MethodOptions_NO_SIDE_EFFECTS {
				t.Errorf("the level of Find is %v", level)
			}
			for _, absent := range []struct {
				d    protoreflect.Descriptor
				name protoreflect.FullName
			}{
				{md.Fields().ByName("price"), "fixture.common.behavior"}, // not set
				{md.Fields().ByName("title"), "fixture.common.path"},     // of methods
				{md.Fields().ByName("title"), "fixture.common.nothing"},  // not declared
				{md, "fixture.common.behavior"},
			} {
				if v := option(absent.d, absent.name); v.IsValid() {
					t.Errorf("%s of %s is %v", absent.name, absent.d.FullName(), v)
				}
			}
		})
	}
}
