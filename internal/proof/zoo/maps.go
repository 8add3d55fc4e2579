package zoo

import (
	"context"
	"net/netip"

	"github.com/mcpgen/mcpgen/internal/proof/zoo/identity"
)

// Keys has maps by every kind of key.
type Keys struct {
	String    map[string]int     `json:"string,omitempty"`
	Label     map[Label]int      `json:"label,omitempty"`
	Int       map[int]int        `json:"int,omitempty"`
	Int8      map[int8]int       `json:"int8,omitempty"`
	Int16     map[int16]int      `json:"int16,omitempty"`
	Int32     map[int32]int      `json:"int32,omitempty"`
	Int64     map[int64]int      `json:"int64,omitempty"`
	Uint      map[uint]int       `json:"uint,omitempty"`
	Uint8     map[uint8]int      `json:"uint8,omitempty"`
	Uint16    map[uint16]int     `json:"uint16,omitempty"`
	Uint32    map[uint32]int     `json:"uint32,omitempty"`
	Uint64    map[uint64]int     `json:"uint64,omitempty"`
	Count     map[Count]int      `json:"count,omitempty"`
	Addr      map[netip.Addr]int `json:"addr,omitempty"`
	Text      map[Upper]int      `json:"text,omitempty"`
	Pointered map[Degrees]int    `json:"pointered,omitempty"`
}

//mcp:tool
func EchoKeys(ctx context.Context, in Keys) Keys { return identity.Object(ctx, in) }

//mcp:tool
func EchoIntKeys(ctx context.Context, in Box[map[int]string]) Box[map[int]string] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoInt8Keys(ctx context.Context, in Box[map[int8]*string]) Box[map[int8]*string] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoUintKeys(ctx context.Context, in Box[map[uint64][]Point]) Box[map[uint64][]Point] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoAddrKeys(ctx context.Context, in Box[map[netip.Addr]bool]) Box[map[netip.Addr]bool] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoIntKeysRoot(ctx context.Context, value map[int]Point) map[int]Point {
	return identity.Value(ctx, value)
}

//mcp:tool
func EchoAddrKeysRoot(ctx context.Context, value map[netip.Addr]netip.Prefix) map[netip.Addr]netip.Prefix {
	return identity.Value(ctx, value)
}
