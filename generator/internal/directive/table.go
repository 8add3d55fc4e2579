package directive

import (
	"slices"
	"sync"
)

// Kind is the kind of value that a key takes.
type Kind int

const (
	KindFlag        Kind = iota // readonly, readonly=false
	KindWord                    // one of Values
	KindName                    // an identifier or a plain name, not empty
	KindString                  // any text, quoted where it has spaces
	KindDuration                // 30s, 1h30m
	KindSize                    // 64KiB
	KindNumber                  // a JSON number
	KindInteger                 // 0, 1, 2, ...
	KindJSON                    // JSON, or text for strings
	KindList                    // a,b,"c, d"
	KindNames                   // a,b or "a b"
	KindFlagOrNames             // omit, omit=false, omit=a,b
)

// Key is one argument that a directive takes.
type Key struct {
	Name    string
	Kind    Kind
	Help    string   // one line
	Values  []string // of KindWord
	Example string   // a value as it is written in the source; empty for flags
	// Built is false if the generator does not have it yet.
	Built bool
}

// isFlag reports whether the key can be written without a value.
func (k *Key) isFlag() bool { return k.Kind == KindFlag || k.Kind == KindFlagOrNames }

// Spec is one directive.
type Spec struct {
	Word string
	// Synopsis is what follows the word, for the help: "NAME", "[TEXT]".
	Synopsis string
	Help     string // one line
	On       []Target
	OnNote   string // what the targets must be, where the list does not say it
	Note     string // one line more about the arguments
	Keys     []Key
	Example  string // one whole line
	Built    bool

	// MinWords and MaxWords bound the positional words; -1 means any number.
	MinWords, MaxWords int
	// WordName is what a positional word is, for messages: "NAME".
	WordName string
	// TypeWord is set if the word is a type of another package: it has a dot, so that a misspelt
	// flag is not one.
	TypeWord bool
	// Description allows one positional "quoted string".
	Description bool
	// Text takes the rest of the line unchanged; TextNeeded refuses an empty one.
	Text, TextNeeded bool
	// Repeat allows several on one declaration.
	Repeat bool
	// OncePerPackage is for directives that one package comment alone may have.
	OncePerPackage bool
	// FreeKeys allows keys outside the table, written like this: "NAME=text".
	FreeKeys string
	// Feature is set for directives that need the declaration itself in every build, as generated
	// code names it.
	Feature bool
}

// Key returns the key with the name, or nil.
func (s *Spec) Key(name string) *Key {
	for i := range s.Keys {
		if s.Keys[i].Name == name {
			return &s.Keys[i]
		}
	}
	return nil
}

func (s *Spec) keyNames() []string {
	names := make([]string, len(s.Keys))
	for i, k := range s.Keys {
		names[i] = k.Name
	}
	return names
}

// Lookup returns the directive with the word, or nil.
func Lookup(word string) *Spec {
	for _, s := range table() {
		if s.Word == word {
			return s
		}
	}
	return nil
}

// Table returns every directive in the order of the reference. It is shared and must not be
// changed.
func Table() []*Spec { return slices.Clone(table()) }

var table = sync.OnceValue(newTable)

func words() []string {
	var all []string
	for _, s := range table() {
		all = append(all, s.Word)
	}
	return all
}

// exclusive are the keys that contradict each other if both are on.
var exclusive = [][2]string{
	{"readonly", "destructive"},
	{"destructive", "additive"},
	{"openworld", "closedworld"},
	{"required", "optional"},
	{"required", "omit"},
	{"closed", "open"},
	{"closed", "off"},
	{"open", "off"},
}
