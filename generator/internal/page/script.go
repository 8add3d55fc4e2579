package page

import (
	"slices"
	"strings"
)

// This file finds the literal addresses in scripts: the arguments of functions that fetch, the
// modules of import and export, and what is assigned to src.

// connecting and loading are the functions whose first argument is an address.
var (
	connecting = set("fetch WebSocket EventSource WebTransport Request sendBeacon")
	loading    = set("import Worker SharedWorker importScripts Audio addModule")
	methods    = set("GET HEAD POST PUT DELETE PATCH OPTIONS")
)

// script adds the addresses in a script.
func (c *collector) script(text string) {
	tokens := scriptTokens(text)
	at := func(i int) token {
		if i < 0 || i >= len(tokens) {
			return token{}
		}
		return tokens[i]
	}
	take := func(i int, use Use, module bool) {
		t := at(i)
		if t.kind != literal {
			return
		}
		part := t.part || at(i+1).is("+")
		if part && t.text == "" {
			return
		}
		c.add(Reference{URL: t.text, Use: use, Module: module, Part: part, Data: !module})
	}
	for i, t := range tokens {
		member := at(i - 1).is(".")
		switch {
		case t.kind == literal && strings.Contains(strings.ToLower(t.text), "url("):
			for _, url := range styleURLs(t.text) {
				if parse(url).kind == absolute {
					c.add(Reference{URL: url, Use: Load, Data: true, Part: t.part})
				}
			}
		case t.kind != word:
		case t.text == "import" && !member && at(i+1).kind == literal, t.text == "from" && !member && at(i+1).kind == literal:
			take(i+1, Load, true)
		case at(i+1).is("(") && (connecting[t.text] || loading[t.text]):
			first := at(i + 2)
			if first.kind != literal || member && !global(at(i-2)) && parse(first.text).kind != absolute {
				continue // a method of the same name
			}
			use := Connect
			if loading[t.text] {
				use = Load
			}
			take(i+2, use, t.text == "import")
		case t.text == "open" && member && at(i+1).is("(") && methods[strings.ToUpper(at(i+2).text)] && at(i+3).is(","):
			take(i+4, Connect, false)
		case t.text == "src" && member && at(i+1).is("=") && !at(i+2).is("="):
			take(i+2, Load, false)
		case t.text == "setAttribute" && at(i+1).is("(") && slices.Contains([]string{"src", "srcset", "poster"}, at(i+2).text) && at(i+3).is(","):
			take(i+4, Load, false)
		}
	}
}

// global reports whether a word is the global object, so that its members are functions of the
// browser.
func global(t token) bool {
	return t.kind == word && slices.Contains([]string{"window", "self", "globalThis", "navigator"}, t.text)
}

type tokenKind int

const (
	punctuation tokenKind = iota
	word
	literal // a string, or a template up to its first substitution
	other   // a number or a regular expression
)

type token struct {
	kind tokenKind
	text string
	part bool // a substitution follows
}

func (t token) is(punct string) bool { return t.kind == punctuation && t.text == punct }

// beforeRegexp are the words after which a slash begins a regular expression.
var beforeRegexp = set("return typeof case in of delete void throw new else do instanceof yield await")
