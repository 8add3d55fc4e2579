package main

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/examples/bookstore"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

func TestReport(t *testing.T) {
	store, err := bookstore.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	site := httptest.NewServer(mcphttp.NewHandler(bookstore.NewServer(store)))
	defer site.Close()
	var local, remote strings.Builder
	if err := run(t.Context(), &local, ""); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), &remote, site.URL); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(local.String(), "\n"); len(lines) != 7 || !strings.HasPrefix(lines[1], "England  ") {
		t.Errorf("the report is\n%s", local.String())
	}
	if remote.String() != local.String() {
		t.Errorf("over HTTP the report is\n%swant\n%s", remote.String(), local.String())
	}
}
