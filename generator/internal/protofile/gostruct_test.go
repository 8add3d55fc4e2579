package protofile

import (
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// TestSameName compares names in the ways in which protoc-gen-go changes them.
func TestSameName(t *testing.T) {
	for _, test := range []struct {
		goName    string
		full, pkg protoreflect.FullName
		want      bool
	}{
		{"Item", "shop.Item", "shop", true},
		{"Item_Part", "shop.Item.Part", "shop", true},
		{"LowerCase", "shop.lower_case", "shop", true},
		{"Lower_1", "shop.lower_1", "shop", true},
		{"XHidden", "shop._hidden", "shop", true},
		{"Item_XHidden", "shop.Item._hidden", "shop", true},
		{"Item", "Item", "", true},
		{"Shop_Item", "shop.Item", "", true},
		{"Hidden", "shop._hidden", "shop", false},
		{"XItem", "shop.Item", "shop", false},
		{"Part", "shop.Item.Part", "shop", false},
		{"Item", "other.Item", "shop", false},
	} {
		if got := sameName(test.goName, test.full, test.pkg); got != test.want {
			t.Errorf("%s and %s in package %q: %v", test.goName, test.full, test.pkg, got)
		}
	}
}
