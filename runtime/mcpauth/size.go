package mcpauth

import "encoding/json"

// Estimated bytes of memory, which limit the caches. The estimates are rather too high than too
// low.
const (
	entryBytes  = 512 // of a result, without its strings
	stringBytes = 32  // of a string header, and of other values
)

// bytes returns the estimated memory of a verification's result. A token of 16 KiB can contain
// claims that need 50 times as much.
func (v *verified) bytes(token string) int {
	n := entryBytes + len(token) + sizeOf(v.identity.Claims)
	for _, list := range [][]string{v.identity.Scopes, v.identity.Roles, v.identity.Actors} {
		for _, s := range list {
			n += stringBytes + len(s)
		}
	}
	return n
}

// sizeOf returns the estimated memory of a value of readObject. Lists have capacity for up to twice
// their length, and maps for at least eight entries.
func sizeOf(v any) int {
	switch v := v.(type) {
	case string:
		return stringBytes + len(v)
	case json.Number:
		return stringBytes + len(v)
	case []any:
		n := stringBytes + 32*len(v)
		for _, e := range v {
			n += sizeOf(e)
		}
		return n
	case map[string]any:
		n := 64
		if len(v) > 0 {
			n += 320 + 80*len(v)
		}
		for name, e := range v {
			n += len(name) + sizeOf(e)
		}
		return n
	}
	return stringBytes
}
