package spec

import (
	"strings"
	"sync"
)

var (
	invalidMu sync.Mutex
	invalid   = map[string]bool{}
)

// Invalid marks a message that deliberately violates the schema, so that taps accept it. A marked
// message that is valid fails the test.
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
