package diag

import (
	"strings"
	"testing"
)

func TestDownloadHint(t *testing.T) {
	for text, want := range map[string]string{
		"x.org/m@v0.1.0: reading http://127.0.0.1:33431/x.org/m/@v/v0.1.0.zip: 403 Forbidden":                              "127.0.0.1:33431 refuses it: ",
		"a.go:2:8: x.org/m@v0.1.0: reading https://ada:xxxxx@proxy.example/m/@v/v1.mod: 451 Unavailable For Legal Reasons": "proxy.example refuses it: ",
		"module x.org/m: reading https://proxy.example/m/@v/list: 401 Unauthorized":                                        "proxy.example wants credentials: ",
		"reading https://proxy.example/m/@v/list: 407 Proxy Authentication Required":                                       "proxy.example wants credentials: ",
		"reading https://proxy.example/m/@v/list: 503 Service Unavailable":                                                 "proxy.example cannot serve it now: ",
		"reading https://proxy.example/m/@v/list: 429 Too Many Requests":                                                   "proxy.example cannot serve it now: ",
		"reading https://proxy.example/m/@v/list: 404 Not Found":                                                           "",
		"x.org/m@v0.1.0: Get \"https://proxy.example/m\": dial tcp 10.0.0.1:443: connect: connection refused":              "the source of modules cannot be reached: ",
		"module lookup disabled by GOPROXY=off":                                                                            "GOPROXY=off allows no download: ",
		"no required module provides package x.org/m; to add it:\n\tgo get x.org/m":                                        "",
		"reading /home/a/b.go: 403 lines":                                                                                  "", "": "",
	} {
		if got := DownloadHint(text); !strings.HasPrefix(got, want) || (got == "") != (want == "") || strings.Contains(got, "ada") {
			t.Errorf("%s: %q", text, got)
		}
	}
}
