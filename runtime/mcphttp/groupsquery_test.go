package mcphttp_test

import (
	"strings"
	"testing"
)

// A query with a part that cannot be parsed is refused: that part may contain the groups.
func TestUnreadableGroups(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		for _, query := range []string{"?groups=orders;x=1", "?groups=%zz", "?%zz=orders", "?groups=orders&x=%", "?a;b"} {
			if c, err := openGrouped(t, newGrouped(), revision, query); err == nil {
				t.Errorf("%s: the client is connected, and lists %v", query, toolNames(t, c))
			} else if revision < "2026" && !strings.Contains(err.Error(), "the query of the URL cannot be read") {
				t.Errorf("%s: %v", query, err)
			}
		}
	}
}
