// Package staff is the server for those who work in the shop.
//
//mcp:server name=shop-staff
//mcp:defaults errors=declared
//mcp:from github.com/mcpgen/mcpgen/examples/wiring/catalogue group=staff
//mcp:from github.com/mcpgen/mcpgen/examples/wiring/orders group=staff prefix=orders
package staff

//go:generate go tool mcpgen
