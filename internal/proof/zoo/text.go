package zoo

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math/big"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/internal/proof/zoo/identity"
)

// Upper is a text in capitals, by methods of its value and its pointer.
type Upper struct{ s string }

// MarshalText writes small letters.
func (u Upper) MarshalText() ([]byte, error) { return []byte(strings.ToLower(u.s)), nil }

// UnmarshalText reads letters of any size.
func (u *Upper) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		return errors.New("no letters")
	}
	u.s = strings.ToUpper(string(b))
	return nil
}

// Degrees is an integer that is text in JSON.
type Degrees int

// MarshalText writes the number with a unit.
func (d Degrees) MarshalText() ([]byte, error) { return []byte(strconv.Itoa(int(d)) + "deg"), nil }

// UnmarshalText reads the number with or without its unit.
func (d *Degrees) UnmarshalText(b []byte) error {
	n, err := strconv.Atoi(strings.TrimSuffix(string(b), "deg"))
	*d = Degrees(n)
	return err
}

// Secret writes itself by its pointer only.
type Secret struct{ N int }

// MarshalText writes N.
func (s *Secret) MarshalText() ([]byte, error) { return []byte("secret " + strconv.Itoa(s.N)), nil }

// UnmarshalText reads N.
func (s *Secret) UnmarshalText(b []byte) error {
	n, err := strconv.Atoi(strings.TrimPrefix(string(b), "secret "))
	s.N = n
	return err
}

// Tally has a JSON form of its own: an array of so many ones.
type Tally int

// MarshalJSON writes an array.
func (t Tally) MarshalJSON() ([]byte, error) {
	ones := make([]int, max(0, int(t))%10)
	for i := range ones {
		ones[i] = 1
	}
	return json.Marshal(ones)
}

// UnmarshalJSON reads an array.
func (t *Tally) UnmarshalJSON(b []byte) error {
	var ones []int
	err := json.Unmarshal(b, &ones)
	*t = Tally(len(ones) % 10)
	return err
}

// Spaced writes JSON with white space and line breaks.
type Spaced struct{ N int }

// MarshalJSON writes an object over several lines.
func (s Spaced) MarshalJSON() ([]byte, error) {
	return []byte("{\n\t\"n\" : " + strconv.Itoa(s.N) + "\n}"), nil
}

// UnmarshalJSON reads the object.
func (s *Spaced) UnmarshalJSON(b []byte) error {
	var v struct{ N int }
	err := json.Unmarshal(b, &v)
	s.N = v.N
	return err
}

//mcp:tool
func EchoUpper(ctx context.Context, in Box[Upper]) Box[Upper] { return identity.Object(ctx, in) }

//mcp:tool
func EchoDegrees(ctx context.Context, in Box[Degrees]) Box[Degrees] { return identity.Object(ctx, in) }

//mcp:tool
func EchoSecret(ctx context.Context, in Box[Secret]) Box[Secret] { return identity.Object(ctx, in) }

//mcp:tool
func EchoAddr(ctx context.Context, in Box[netip.Addr]) Box[netip.Addr] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoPrefix(ctx context.Context, in Box[netip.Prefix]) Box[netip.Prefix] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoAddrPort(ctx context.Context, in Box[netip.AddrPort]) Box[netip.AddrPort] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoIP(ctx context.Context, in Box[net.IP]) Box[net.IP] { return identity.Object(ctx, in) }

//mcp:tool
func EchoSlogLevel(ctx context.Context, in Box[slog.Level]) Box[slog.Level] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoBigInt(ctx context.Context, in Box[big.Int]) Box[big.Int] { return identity.Object(ctx, in) }

//mcp:tool
func EchoBigIntPointer(ctx context.Context, in Box[*big.Int]) Box[*big.Int] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoBigFloat(ctx context.Context, in Box[big.Float]) Box[big.Float] {
	return identity.Object(ctx, in)
}

//mcp:tool
func EchoTally(ctx context.Context, in Box[Tally]) Box[Tally] { return identity.Object(ctx, in) }

//mcp:tool
func EchoSpaced(ctx context.Context, in Box[Spaced]) Box[Spaced] { return identity.Object(ctx, in) }

//mcp:tool
func EchoAddrs(ctx context.Context, value []netip.Addr) []netip.Addr {
	return identity.Value(ctx, value)
}

//mcp:tool
func EchoIPRoot(ctx context.Context, value net.IP) net.IP { return identity.Value(ctx, value) }

// BigNumbers are integers of any size with constraints.
type BigNumbers struct {
	Value   big.Int             `json:"value" jsonschema:"minimum=-5,maximum=1e30,multipleOf=3"`
	Pointer *big.Int            `json:"pointer" jsonschema:"exclusiveMinimum=0,exclusiveMaximum=123456789012345678901234567890"`
	List    []big.Int           `json:"list,omitempty" jsonschema:"minimum=-2.5,maxItems=3"`
	Map     map[string]*big.Int `json:"map,omitempty" jsonschema:"maximum=7"`
	Default big.Int             `json:"default" jsonschema:"default=1e2,minimum=1"`
}

//mcp:tool
func EchoBigNumbers(ctx context.Context, in BigNumbers) BigNumbers {
	return identity.Object(ctx, in)
}
