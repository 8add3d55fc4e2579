package main

import (
	"testing"

	"go.uber.org/fx"

	"github.com/mcpgen/mcpgen/examples/wiring/internal/check"
)

func TestParts(t *testing.T) {
	var both servers
	app := fx.New(parts, fx.NopLogger, fx.Invoke(func(in servers) { both = in }))
	if err := app.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	check.Shop(t, both.Public, both.Staff)
	if err := app.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}
