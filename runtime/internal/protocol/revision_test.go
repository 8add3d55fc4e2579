package protocol

import (
	"slices"
	"testing"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
)

func TestNegotiate(t *testing.T) {
	for asked, want := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25",
		"2026-07-28": "2025-11-25", "1999-01-01": "2025-11-25", "": "2025-11-25", "2025-11-25 ": "2025-11-25",
	} {
		if got := Negotiate(asked).Version; got != want {
			t.Errorf("Negotiate(%q) = %s, want %s", asked, got, want)
		}
	}
	for _, r := range All {
		got := PerRequest([]byte(r.Version))
		if (got != nil) != r.PerRequest || (got != nil && got != r) {
			t.Errorf("PerRequest(%s) = %v", r.Version, got)
		}
	}
}

// The table of methods, as in the fact sheet of the revisions.
func TestMethods(t *testing.T) {
	spec.Holds(t, "S006", "S007")
	for _, r := range All {
		for m := Initialize; m < MethodCount; m++ {
			want := true
			switch m {
			case Initialize, Ping, ResourcesSubscribe, ResourcesUnsubscribe, SetLevel:
				want = !r.PerRequest
			case Discover, Listen:
				want = r.PerRequest
			}
			if got := r.Methods[m.String()] == m; got != want {
				t.Errorf("%s: %s is there: %v, want %v", r.Version, m, got, want)
			}
		}
		if r.Methods["no/such"] != Unknown || r.Methods[""] != Unknown {
			t.Errorf("%s: unknown methods are known", r.Version)
		}
	}
}

func TestOrder(t *testing.T) {
	if !slices.IsSortedFunc(All, func(a, b *Revision) int {
		if a.Version < b.Version {
			return -1
		}
		return 1
	}) {
		t.Error("All is not in order of time")
	}
	if Versions[0] != "2026-07-28" || len(Versions) != len(All) {
		t.Errorf("Versions are %v", Versions)
	}
	for i, r := range All {
		if r.Index() != i {
			t.Errorf("%s has index %d", r.Version, r.Index())
		}
	}
}

func TestAuthorCode(t *testing.T) {
	for _, test := range []struct{ code, old, modern int }{
		{7, 7, 7}, {0, 0, 0}, {-1, -1, -1}, {-31999, -31999, -31999}, {-32769, -32769, -32769},
		{-32602, -32602, -32602}, {-32603, -32603, -32603}, {-32600, -32600, -32600},
		{-32002, -32002, -32602}, {-32700, -32603, -32603}, {-32022, -32603, -32603},
		{-32000, -32603, -32603}, {-32768, -32603, -32603}, {-32042, -32603, -32603},
	} {
		if got := All[0].AuthorCode(test.code); got != test.old {
			t.Errorf("%d becomes %d in %s, want %d", test.code, got, All[0].Version, test.old)
		}
		if got := All[4].AuthorCode(test.code); got != test.modern {
			t.Errorf("%d becomes %d in %s, want %d", test.code, got, All[4].Version, test.modern)
		}
	}
}

func TestKnown(t *testing.T) {
	for name, want := range map[string]bool{
		"tools/call": true, "subscriptions/listen": true, Cancelled: true, Acknowledged: true, ResourceUpdated: true,
		"": false, "search/run": false, "notifications/search": false,
	} {
		if Known(name) != want {
			t.Errorf("Known(%q) = %v", name, !want)
		}
	}
}
