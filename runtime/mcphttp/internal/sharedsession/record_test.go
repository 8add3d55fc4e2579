package sharedsession

import (
	"testing"
	"time"
)

// The time at which another replica has written a record is ignored if its clock is ahead.
func TestWrittenByWrongClock(t *testing.T) {
	now := time.Now()
	for ahead, known := range map[time.Duration]bool{
		-time.Hour: true, 0: true, 10 * time.Second: true, 90 * time.Second: false, time.Hour: false, 30 * 24 * time.Hour: false,
	} {
		got := writtenBy(now.Add(ahead), now)
		if got.IsZero() == known || known && !got.Equal(now.Add(ahead)) {
			t.Errorf("%s ahead: written at %s", ahead, got)
		}
	}
}
