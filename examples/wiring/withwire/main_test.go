package main

import (
	"testing"

	"github.com/mcpgen/mcpgen/examples/wiring/internal/check"
)

func TestConnect(t *testing.T) {
	servers, closeAll, err := connect()
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll()
	check.Shop(t, servers.Public.Server, servers.Staff.Server)
}
