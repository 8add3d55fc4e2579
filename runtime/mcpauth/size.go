package mcpauth

import "encoding/json"

// Bytes of memory by which caches are bounded. They are rather too many than too few.
const (
	entryBytes  = 512 // of a result beside its texts
	stringBytes = 32  // of a text beside its characters, and of other values
)

// bytes returns how much memory the result of a verification needs. A token of 16 KiB can have
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

// sizeOf returns how much memory a value of readObject needs. Lists have room for up to twice as
// many values as they have, and maps for eight at least.
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
