package contract

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Kind is a kind of feature.
type Kind string

// The kinds, as [Change] names them. Server is the identity of the server.
const (
	Server   Kind = "server"
	Tool     Kind = "tool"
	Resource Kind = "resource"
	Template Kind = "resource template"
	Prompt   Kind = "prompt"
)

// lists says how each kind of feature is listed: as which member of an answer,
// and which member of a feature it is known by.
var lists = []struct {
	kind        Kind
	member, key string
}{
	{Tool, "tools", "name"},
	{Resource, "resources", "uri"},
	{Template, "resourceTemplates", "uriTemplate"},
	{Prompt, "prompts", "name"},
}

// Contract is what a server publishes. The zero value is the contract of which
// nothing is known: not even that a list is empty.
type Contract struct {
	server   *value // nil if not known
	whole    bool   // it is all of a contract, not some answers
	known    map[Kind]bool
	features map[Kind][]*feature // in order of key
	notes    []string
}

// feature is one entry of a list.
type feature struct {
	kind  Kind
	key   string
	value *value // an object, without what the command adds to a listing
}

// New returns the contract of a server with that identity, a JSON object, which
// so far has no features. Its lists are known. The version is left out: it
// changes by itself.
func New(identity []byte) (*Contract, error) {
	v, err := one(identity)
	if err != nil {
		return nil, fmt.Errorf("read server: %w", err)
	}
	c := &Contract{}
	c.setServer(v)
	return c, nil
}

// Empty returns the contract of a server that is not known and has no features.
func Empty() *Contract {
	c := &Contract{whole: true}
	for _, l := range lists {
		c.know(l.kind)
	}
	return c
}

func one(data []byte) (*value, error) {
	all, err := readValues(data)
	if err != nil {
		return nil, err
	}
	if len(all) != 1 || all[0].kind != object {
		return nil, errors.New("it is no JSON object")
	}
	return all[0], nil
}

func (c *Contract) setServer(v *value) {
	c.server, c.whole = v.without("version"), true
	for _, l := range lists {
		c.know(l.kind)
	}
}

// answer reports whether the contract was made from answers of a server, in
// whichever revision it answered.
func (c *Contract) answer() bool { return !c.whole }

func (c *Contract) know(k Kind) {
	if c.known == nil {
		c.known, c.features = map[Kind]bool{}, map[Kind][]*feature{}
	}
	c.known[k] = true
}

// Add adds a feature as the protocol lists it (revision 2026-07-28, server/tools
// and its kin), a JSON object. It is an error if the contract has a feature of that
// name, URI or URI template.
func (c *Contract) Add(k Kind, listing json.RawMessage) error {
	v, err := one(listing)
	if err != nil {
		return fmt.Errorf("read %s: %w", k, err)
	}
	return c.add(k, v)
}

// Alias says that the contract's tool of that name, if there is one, answers to
// further names. Lists do not show them.
func (c *Contract) Alias(tool string, aliases ...string) {
	if len(aliases) == 0 {
		return
	}
	for _, f := range c.features[Tool] {
		if f.key != tool {
			continue
		}
		list := &value{kind: array}
		for _, alias := range aliases {
			list.items = append(list.items, &value{kind: text, text: alias})
		}
		f.value = f.value.without(aliasesMember)
		f.value = &value{kind: object, members: append(slices.Clip(f.value.members), member{aliasesMember, list})}
	}
}

// aliasesMember is what a contract says of a tool that the protocol does not list.
const aliasesMember = "aliases"

func (c *Contract) add(k Kind, v *value) error {
	key := ""
	for _, l := range lists {
		if l.kind == k {
			key = l.key
		}
	}
	name := v.str(key)
	if name == "" {
		return fmt.Errorf("a %s has no %s: %s", k, key, shorten(v.compact(), 100))
	}
	c.know(k)
	// What mcpgen list -json adds does not reach a client.
	f := &feature{k, name, v.without("symbol", "position", "tokens")}
	at, there := slices.BinarySearchFunc(c.features[k], f, func(a, b *feature) int { return cmp.Compare(a.key, b.key) })
	if there {
		return fmt.Errorf("there are two %ss %s", k, name)
	}
	c.features[k] = slices.Insert(c.features[k], at, f)
	return nil
}

// Count returns how many features of a kind there are.
func (c *Contract) Count(k Kind) int { return len(c.features[k]) }

// Notes are remarks about how the contract was read, for people: that a list is
// not whole, for instance.
func (c *Contract) Notes() []string { return c.notes }

// aliases are the further names of a tool.
func (f *feature) aliases() []string {
	list := f.value.get(aliasesMember)
	if !list.is(array) {
		return nil
	}
	var all []string
	for _, item := range list.items {
		if item.kind == text {
			all = append(all, item.text)
		}
	}
	return all
}

// shorten cuts a text for people.
func shorten(s string, limit int) string {
	s = strings.Join(strings.Fields(s), " ")
	runes := []rune(s)
	if len(runes) <= limit {
		return s
	}
	return string(runes[:limit-1]) + "…"
}
