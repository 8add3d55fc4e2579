package directive

import (
	"slices"
	"sync"
)

// Kind is the kind of a key's value.
type Kind int

const (
	KindFlag        Kind = iota // readonly, readonly=false
	KindWord                    // one of Values
	KindName                    // an identifier or a plain name, not empty
	KindString                  // any text, quoted if it contains spaces
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
	Values  []string // for KindWord
	Example string   // a value as it is written in the source; empty for flags
	// Built is false if the generator does not implement the key yet.
	Built bool
}

// isFlag reports whether the key can be written without a value.
func (k *Key) isFlag() bool { return k.Kind == KindFlag || k.Kind == KindFlagOrNames }

// Spec is one directive.
type Spec struct {
	Word string
	// Synopsis is the text behind the word in the help: "NAME", "[TEXT]".
	Synopsis string
	Help     string // one line
	On       []Target
	OnNote   string // a restriction that the list of targets does not express
	Note     string // one line more about the arguments
	Keys     []Key
	Example  string // a complete line
	Built    bool

	// MinWords and MaxWords limit the number of positional words; -1 means any number.
	MinWords, MaxWords int
	// WordName names a positional word in messages: "NAME".
	WordName string
	// TypeWord is set if the word is a type of another package: it must contain a dot, so that a
	// misspelt flag is not taken for a type.
	TypeWord bool
	// Description allows one positional "quoted string".
	Description bool
	// Text means that the rest of the line is the text, unchanged; TextNeeded refuses an empty
	// text.
	Text, TextNeeded bool
	// Repeat allows the directive several times on one declaration.
	Repeat bool
	// OncePerPackage allows the directive on one package comment only.
	OncePerPackage bool
	// FreeKeys allows keys outside the table, written like this: "NAME=text".
	FreeKeys string
	// Feature is set for directives whose declaration must exist in every build, since generated
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

// Table returns all directives in the order of the reference. They are shared and must not be
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

// exclusive lists pairs of keys that contradict each other if both are on.
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
