package contract

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/internal/jsontree"
)

// Kind is a kind of feature.
type Kind string

// The kinds, as [Change] names them. Server stands for the server itself.
const (
	Server   Kind = "server"
	Tool     Kind = "tool"
	Resource Kind = "resource"
	Template Kind = "resource template"
	Prompt   Kind = "prompt"
	Skill    Kind = "skill"
)

// lists contains, for each kind of feature, the member of a list result, and the member that
// identifies a feature.
var lists = []struct {
	kind        Kind
	member, key string
}{
	{Tool, "tools", "name"},
	{Resource, "resources", "uri"},
	{Template, "resourceTemplates", "uriTemplate"},
	{Prompt, "prompts", "name"},
	{Skill, "skills", "uri"},
}

// Contract is everything that a server publishes. The zero value is an unknown contract, without
// even empty lists.
type Contract struct {
	server   *jsontree.Value // nil if unknown
	whole    bool            // a whole contract instead of single results of a server
	known    map[Kind]bool
	features map[Kind][]*feature // sorted by key
	notes    []string
}

// feature is one entry of a list.
type feature struct {
	kind  Kind
	key   string
	value *jsontree.Value // an object, without the members that mcpgen list adds
}

// New returns the contract of a server with that identity, a JSON object. Its lists are known and
// empty. It omits the version, since every release changes it.
func New(identity []byte) (*Contract, error) {
	v, err := one(identity)
	if err != nil {
		return nil, fmt.Errorf("read server: %w", err)
	}
	c := &Contract{}
	c.setServer(v)
	return c, nil
}

// Empty returns the contract of an unknown server without features.
func Empty() *Contract {
	c := &Contract{whole: true}
	for _, l := range lists {
		c.know(l.kind)
	}
	return c
}

func one(data []byte) (*jsontree.Value, error) {
	all, err := jsontree.Read(data)
	if err != nil {
		return nil, err
	}
	if len(all) != 1 || all[0].Kind != jsontree.Object {
		return nil, errors.New("it is not a JSON object")
	}
	return all[0], nil
}

func (c *Contract) setServer(v *jsontree.Value) {
	c.server, c.whole = v.Without("version"), true
	for _, l := range lists {
		c.know(l.kind)
	}
}

// answer reports whether the contract was read from results of a server, in any revision.
func (c *Contract) answer() bool { return !c.whole }

func (c *Contract) know(k Kind) {
	if c.known == nil {
		c.known, c.features = map[Kind]bool{}, map[Kind][]*feature{}
	}
	c.known[k] = true
}

// Add adds a feature as the protocol lists it (revision 2026-07-28: server/tools, server/resources,
// server/prompts; skills as skills/list does), a JSON object. It returns an error if the contract
// already contains a feature with that name, URI or URI template.
func (c *Contract) Add(k Kind, listing json.RawMessage) error {
	v, err := one(listing)
	if err != nil {
		return fmt.Errorf("read %s: %w", k, err)
	}
	return c.add(k, v)
}

// Alias adds further names to a tool of the contract, if it exists. Lists do not contain them.
func (c *Contract) Alias(tool string, aliases ...string) {
	if len(aliases) == 0 {
		return
	}
	for _, f := range c.features[Tool] {
		if f.key == tool {
			f.set(aliasesMember, aliases)
		}
	}
}

// Scopes sets the scopes that a caller of a feature must have, if the feature exists. key is its
// name, URI or URI template. Lists do not contain them.
func (c *Contract) Scopes(k Kind, key string, scopes ...string) {
	if len(scopes) == 0 {
		return
	}
	for _, f := range c.features[k] {
		if f.key == key {
			f.set(scopesMember, scopes)
		}
	}
}

// Task sets whether calls of a tool may, or must, run as tasks: optional or required; "" changes
// nothing. The lists of revision 2026-07-28 do not contain it.
func (c *Contract) Task(tool, support string) {
	if support == "" {
		return
	}
	for _, f := range c.features[Tool] {
		if f.key == tool {
			task := &jsontree.Value{Kind: jsontree.Object, Members: []jsontree.Member{{Name: "taskSupport", Value: &jsontree.Value{Kind: jsontree.Text, Text: support}}}}
			f.value = f.value.Without("execution")
			f.value = &jsontree.Value{Kind: jsontree.Object, Members: append(slices.Clip(f.value.Members), jsontree.Member{Name: "execution", Value: task})}
		}
	}
}

// set sets a member that the protocol does not define, a list of strings.
func (f *feature) set(name string, texts []string) {
	list := &jsontree.Value{Kind: jsontree.Array}
	for _, t := range texts {
		list.Items = append(list.Items, &jsontree.Value{Kind: jsontree.Text, Text: t})
	}
	f.value = f.value.Without(name)
	f.value = &jsontree.Value{Kind: jsontree.Object, Members: append(slices.Clip(f.value.Members), jsontree.Member{Name: name, Value: list})}
}

// scopesMember is a member of features in contracts that the protocol does not define.
const scopesMember = "scopes"

// aliasesMember is a member of tools in contracts that the protocol does not define.
const aliasesMember = "aliases"

func (c *Contract) add(k Kind, v *jsontree.Value) error {
	key := ""
	for _, l := range lists {
		if l.kind == k {
			key = l.key
		}
	}
	name := v.Str(key)
	if name == "" {
		return fmt.Errorf("a %s has no %s: %s", k, key, shorten(v.Compact(), 100))
	}
	c.know(k)
	// Clients do not get the members that mcpgen list -json adds.
	f := &feature{k, name, v.Without("symbol", "position", "tokens")}
	at, there := slices.BinarySearchFunc(c.features[k], f, func(a, b *feature) int { return cmp.Compare(a.key, b.key) })
	if there {
		return fmt.Errorf("there are two %ss %s", k, name)
	}
	c.features[k] = slices.Insert(c.features[k], at, f)
	return nil
}

// Count returns the number of features of a kind.
func (c *Contract) Count(k Kind) int { return len(c.features[k]) }

// Notes returns remarks from reading the contract, for instance that a list is incomplete.
func (c *Contract) Notes() []string { return c.notes }

// aliases returns the further names of a tool.
func (f *feature) aliases() []string { return f.texts(aliasesMember) }

// texts returns the strings in a member that is a list of strings.
func (f *feature) texts(name string) []string {
	list := f.value.Get(name)
	if !list.Is(jsontree.Array) {
		return nil
	}
	var all []string
	for _, item := range list.Items {
		if item.Kind == jsontree.Text {
			all = append(all, item.Text)
		}
	}
	return all
}

// shorten truncates a text for display.
func shorten(s string, limit int) string {
	s = strings.Join(strings.Fields(s), " ")
	runes := []rune(s)
	if len(runes) <= limit {
		return s
	}
	return string(runes[:limit-1]) + "…"
}
