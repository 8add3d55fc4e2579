// Package httpflags has flags of programs that serve over HTTP: for the programs, and for the
// command, which reports what is wrong with them before it builds one.
package httpflags

import (
	"errors"
	"flag"
)

// Error reports flags that are wrong, or contradict each other.
type Error struct {
	Problem string // names the flag
	Hint    string // says how to correct it
}

// Error returns the problem and the hint.
func (e *Error) Error() string { return e.Problem + ": " + e.Hint }

// define adds a flag with a text. An empty text is an error: a variable of the shell that is not
// set must not mean that the flag is not given. So is a second one: one of both would not count.
func define(set *flag.FlagSet, name, usage, empty string, to *string) {
	set.Func(name, usage, func(text string) error {
		switch {
		case text == "":
			return errors.New(empty)
		case *to != "":
			return errors.New("the flag is given twice, and there can be one")
		}
		*to = text
		return nil
	})
}
