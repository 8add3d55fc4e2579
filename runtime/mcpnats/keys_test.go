package mcpnats

import (
	"testing"
	"time"
)

// A new key opens at once and seals a while later; old keys are dropped after their lifetime.
func TestRenewKeys(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	keys := renewKeys(nil, now)
	if got := sealingFirst(keys, now); len(got) != 1 {
		t.Fatalf("%d keys at first", len(got))
	}
	seen := map[string]bool{}
	for day := 1; day <= 20; day++ {
		now = now.Add(keyPeriod)
		before := sealingFirst(keys, now)[0]
		if renewKeys(keys, now.Add(-time.Second)) != nil {
			t.Fatal("a key before its time")
		}
		keys = renewKeys(keys, now)
		if keys == nil || seen[string(keys[0].Key)] {
			t.Fatalf("day %d has no new key", day)
		}
		seen[string(keys[0].Key)] = true
		if got := sealingFirst(keys, now); string(got[0]) != string(before) || len(got) != min(day+1, int(keyLife/keyPeriod)) {
			t.Errorf("day %d: %d keys, the one before seals: %t", day, len(got), string(got[0]) == string(before))
		}
		if got := sealingFirst(keys, now.Add(keyDelay)); string(got[0]) != string(keys[0].Key) {
			t.Errorf("day %d: the new key does not seal", day)
		}
	}
}
