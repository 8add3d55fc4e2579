package clients

import (
	"errors"
	"reflect"
)

// format edits clients' files. Every byte outside of the entry remains unchanged.
type format interface {
	// entries returns the entries in a text.
	entries(text []byte, container string) ([]Found, error)
	// emptiness returns the state that remove needs to restore the original text.
	emptiness(text []byte, container string) (Before, error)
	// set inserts or replaces an entry.
	set(text []byte, container, name string, value Fields) ([]byte, error)
	// remove deletes an entry. It returns errMissing if the entry does not exist.
	remove(text []byte, container, name string, before Before) ([]byte, error)
}

// errMissing is returned if an entry does not exist.
var errMissing = errors.New("there is no such entry")

// Found is an entry of a file.
type Found struct {
	Name  string
	value any    // see plain
	Text  string // as written in the file
}

// Before describes a file without entries before the first one was added, so that removing the last
// entry restores the same bytes.
type Before struct {
	Missing     bool    `json:"missing,omitempty"`     // the file did not exist
	File        *string `json:"file,omitempty"`        // the file's text, if it had no members
	NoContainer bool    `json:"noContainer,omitempty"` // the object of entries did not exist
	Container   *string `json:"container,omitempty"`   // the object of entries, if it was empty
}

// equal compares values that plain returns.
func equal(a, b any) bool { return reflect.DeepEqual(a, b) }
