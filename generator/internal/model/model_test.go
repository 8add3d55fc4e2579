package model

import "testing"

func TestServerName(t *testing.T) {
	for path, want := range map[string]string{
		"example.com/shop": "shop", "example.com/shop/v2": "shop", "v2": "v2", "gopkg.in/yaml.v3": "yaml.v3",
		"example.com/v2x": "v2x", "example.com/shop/v10/books": "books",
	} {
		if got := ServerName(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
