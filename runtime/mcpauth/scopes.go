package mcpauth

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// checkScopes checks names of scopes (RFC 6749, section 3.3).
func checkScopes(scopes []string) error {
	for n, s := range scopes {
		switch {
		case !isScope(s):
			return fmt.Errorf("has %q: a scope has visible ASCII characters without quotes and backslashes", s)
		case s == "offline_access":
			return errors.New("has offline_access: it is about the tokens of the client, which asks for it itself")
		case slices.Contains(scopes[:n], s):
			return fmt.Errorf("has %q twice", s)
		}
	}
	return nil
}

// isScope reports whether s is a scope-token.
func isScope(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return s != ""
}

// hierarchy contains all scopes that a scope includes.
type hierarchy map[string][]string

// closeHierarchy adds indirectly included scopes. A cycle is an error, since its scopes would all
// be equivalent.
func closeHierarchy(given map[string][]string) (hierarchy, error) {
	closed := hierarchy{}
	var visit func(scope string, within []string) ([]string, error)
	visit = func(scope string, within []string) ([]string, error) {
		if slices.Contains(within, scope) {
			return nil, fmt.Errorf("has a cycle: %q includes itself", scope)
		}
		if all, done := closed[scope]; done {
			return all, nil
		}
		var all []string
		for _, below := range given[scope] {
			more, err := visit(below, append(within, scope))
			if err != nil {
				return nil, err
			}
			all = append(append(all, below), more...)
		}
		slices.Sort(all)
		all = slices.Compact(all)
		closed[scope] = all
		return all, nil
	}
	for _, scope := range slices.Sorted(maps.Keys(given)) {
		if !isScope(scope) || slices.ContainsFunc(given[scope], func(s string) bool { return !isScope(s) }) {
			return nil, fmt.Errorf("has a name that is not a scope, at %q", scope)
		}
		if _, err := visit(scope, nil); err != nil {
			return nil, err
		}
	}
	return closed, nil
}

// missing returns the wanted scopes that are neither granted nor included in a granted scope, or
// nil.
func (h hierarchy) missing(granted, wanted []string) (missing []string) {
	for _, s := range wanted {
		if !slices.Contains(granted, s) && !h.includes(granted, s) {
			missing = append(missing, s)
		}
	}
	return missing
}

func (h hierarchy) includes(granted []string, scope string) bool {
	for _, g := range granted {
		if slices.Contains(h[g], scope) {
			return true
		}
	}
	return false
}
