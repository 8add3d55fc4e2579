package spec

import (
	"strings"
	"sync"
)

var (
	invalidMu sync.Mutex
	invalid   = map[string]bool{}
)

// Invalid returns a message that a test sends although it is against the schema, and
// has taps let it pass. A marked message that fits the schema fails the test.
func Invalid(text string) string {
	invalidMu.Lock()
	defer invalidMu.Unlock()
	invalid[strings.TrimSpace(text)] = true
	return text
}

func isInvalid(text string) bool {
	invalidMu.Lock()
	defer invalidMu.Unlock()
	return invalid[text]
}
