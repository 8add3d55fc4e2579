// Package valid checks the values that a server publishes: URIs, media types, icons, names, scopes,
// keys of metadata. The generator checks a value with the same function as the runtime at
// registration, so that generated features can be registered.
//
// It imports only the standard library and package uritemplate.
package valid

import (
	"strings"
	"time"
)

// Fault describes the defect of a value, and how to correct it.
type Fault struct {
	Problem, Hint string
}

// Error returns problem and hint in one line.
func (f *Fault) Error() string { return f.Problem + ": " + f.Hint }

// Err returns the fault as an error, or nil without a fault.
func (f *Fault) Err() error {
	if f == nil {
		return nil
	}
	return f
}

// MaxName is the maximum length of a tool's name (server/tools, tool names).
const MaxName = 128

// IsName reports whether a name is valid for a tool or prompt: 1 to [MaxName] ASCII letters, digits
// and _ - .
func IsName(name string) bool {
	for i := range len(name) {
		if c := name[i]; !isAlphanumeric(c) && strings.IndexByte("_-.", c) < 0 {
			return false
		}
	}
	return name != "" && len(name) <= MaxName
}

// IsScope reports whether a text is a scope token (RFC 6749, section 3.3).
func IsScope(scope string) bool {
	for i := range len(scope) {
		if c := scope[i]; c < '!' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return scope != ""
}

// IsRole reports whether a word is a role of messages and annotations.
func IsRole(role string) bool { return role == "user" || role == "assistant" }

// IsFraction reports whether a number, such as a priority, is from 0 to 1.
func IsFraction(f float64) bool { return f >= 0 && f <= 1 }

// MinTaskTTL is the minimum time for which a task is kept: a client must be able to get its result.
const MinTaskTTL = time.Minute

// AreTaskTimes reports whether the times of a tool whose calls become tasks are valid. 0 means the
// default.
func AreTaskTimes(inline, ttl, poll time.Duration) bool {
	return inline >= 0 && poll >= 0 && (ttl == 0 || ttl >= MinTaskTTL)
}

// MaxHeaderInteger is the largest integer that every client writes exactly into a header field.
const MaxHeaderInteger int64 = 1<<53 - 1

// IsHeaderName reports whether a text is the name of a header field: a token (RFC 9110, section
// 5.6.2).
func IsHeaderName(name string) bool {
	for i := range len(name) {
		if c := name[i]; !isAlphanumeric(c) && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return name != ""
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isAlphanumeric(c byte) bool { return isLetter(c) || isDigit(c) }
