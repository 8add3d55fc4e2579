package schema

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"go/types"
	"log/slog"
	"math/big"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"time"

	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// readers are the types of the standard library that read values with their own method, which the
// generator can try. Methods of other packages are tried when the program registers its features.
var readers = map[string]func() any{
	"log/slog.Level":     func() any { return new(slog.Level) },
	"log/slog.LevelVar":  func() any { return new(slog.LevelVar) },
	"math/big.Float":     func() any { return new(big.Float) },
	"math/big.Int":       func() any { return new(big.Int) },
	"math/big.Rat":       func() any { return new(big.Rat) },
	"net.IP":             func() any { return new(net.IP) },
	"net/netip.Addr":     func() any { return new(netip.Addr) },
	"net/netip.AddrPort": func() any { return new(netip.AddrPort) },
	"net/netip.Prefix":   func() any { return new(netip.Prefix) },
	"net/url.URL":        func() any { return new(url.URL) },
	"regexp.Regexp":      func() any { return new(regexp.Regexp) },
	"time.Time":          func() any { return new(time.Time) },
}

// refusedByMethod returns the reason why the method that reads a type refuses a decoded JSON value,
// or "" if it accepts it or does not belong to the standard library.
func refusedByMethod(t *model.Type, v any) string {
	name := "UnmarshalJSON"
	if t.Kind == model.Text {
		name = cmp.Or(t.Unmarshaler, "UnmarshalText")
	}
	obj, _, _ := types.LookupFieldOrMethod(t.Go, true, nil, name)
	fn, ok := obj.(*types.Func)
	if !ok {
		return ""
	}
	owner := pointedTo(fn.Signature().Recv().Type()) // another type if the method is promoted
	reader := readers[typeKey(owner)]
	if reader == nil {
		return ""
	}
	text, err := json.Marshal(v)
	if err != nil {
		return "" // it was read from JSON
	}
	s, _ := v.(string)
	switch r := reader(); name {
	case "UnmarshalJSON":
		err = r.(json.Unmarshaler).UnmarshalJSON(text)
	case "UnmarshalBinary":
		err = r.(encoding.BinaryUnmarshaler).UnmarshalBinary([]byte(s))
	default:
		err = r.(encoding.TextUnmarshaler).UnmarshalText([]byte(s))
	}
	if err == nil {
		return ""
	}
	return fmt.Sprintf("%s is refused by %s: %s", text, types.TypeString(owner, (*types.Package).Name), err)
}
