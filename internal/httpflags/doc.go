// Package httpflags contains flags of programs that serve over HTTP: for the programs, and for the
// command, which reports invalid flags before it builds a program.
package httpflags

import (
	"errors"
	"flag"
)

// Error reports invalid or contradictory flags.
type Error struct {
	Problem string // names the flag
	Hint    string // explains how to correct it
}

// Error returns the problem and the hint.
func (e *Error) Error() string { return e.Problem + ": " + e.Hint }

// define adds a flag with a string value. An empty value is an error: an unset shell variable must
// not mean that the flag is unset. So is a second value: only one of both would apply.
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
