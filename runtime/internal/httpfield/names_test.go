package httpfield

import "testing"

func TestIsJSON(t *testing.T) {
	for contentType, want := range map[string]bool{
		"application/json":                           true,
		"Application/JSON":                           true,
		" application/json ":                         true,
		"application/json;":                          true,
		"application/json; charset=utf-8":            true,
		`application/json;charset="UTF-8"`:           true,
		"application/json; profile=x; charset=utf-8": true,
		"application/json; charset=iso-8859-1":       false,
		"application/json; charset=utf-16":           false,
		"application/json; charset=":                 false,
		"application/json; charset=utf-8; charset=x": false,
		"application/json, text/plain":               false,
		"application/json-rpc":                       false,
		"application/jsonp":                          false,
		"application/vnd.api+json":                   false,
		"text/json":                                  false,
		"text/plain":                                 false,
		"text/plain; application/json":               false,
		"text/plain;charset=application/json":        false,
		"application/x-www-form-urlencoded":          false,
		"multipart/form-data; boundary=x":            false,
		"":                                           false,
		"application / json":                         false,
	} {
		if got := IsJSON(contentType); got != want {
			t.Errorf("%q: %v, want %v", contentType, got, want)
		}
	}
}

func TestIsJSONAllocations(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { IsJSON(JSON) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
