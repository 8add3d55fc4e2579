package clients

import (
	"errors"
	"reflect"
)

// format changes the texts of files of clients. Every byte that is not part of the entry stays.
type format interface {
	// entries returns what a text has.
	entries(text []byte, container string) ([]Found, error)
	// emptiness returns what remove needs to return a text to what it was.
	emptiness(text []byte, container string) (Before, error)
	// set inserts or replaces an entry.
	set(text []byte, container, name string, value Fields) ([]byte, error)
	// remove deletes an entry, errMissing if there is none.
	remove(text []byte, container, name string, before Before) ([]byte, error)
}

// errMissing says that an entry is not there.
var errMissing = errors.New("there is no such entry")

// Found is an entry of a file.
type Found struct {
	Name  string
	value any    // see plain
	Text  string // as it is in the file
}

// Before is the form of what had no entries before the first one was added, so that removing the
// last one returns the same bytes.
type Before struct {
	Missing     bool    `json:"missing,omitempty"`     // there was no file
	File        *string `json:"file,omitempty"`        // the file, if it had no members
	NoContainer bool    `json:"noContainer,omitempty"` // there was no object of entries
	Container   *string `json:"container,omitempty"`   // the object of entries, if it was empty
}

// equal compares values that plain returns.
func equal(a, b any) bool { return reflect.DeepEqual(a, b) }
