package contract

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Class is the effect of a change on the clients of a server.
type Class int

const (
	None       Class = iota // no change
	Wording                 // titles, descriptions, instructions, icons
	Compatible              // requests that worked still work
	Breaking                // a client may fail, or the effect is unknown
)

var classNames = []string{"none", "wording", "compatible", "breaking"}

// String returns the class in lower case: "breaking".
func (c Class) String() string { return classNames[c] }

// MarshalText makes the class a string in JSON.
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Change is a difference between two contracts.
type Change struct {
	Class Class  `json:"class"`
	Kind  Kind   `json:"kind"`
	Name  string `json:"name,omitempty"` // of the feature: name, URI or URI template
	// Names contains the tools that now refuse further arguments, if there are several: they are
	// one change of the server.
	Names []string `json:"names,omitempty"`
	Place string   `json:"place,omitempty"` // "argument" or "result", "" for the feature itself
	// Path of the argument or of the member of the result, "" for the whole: filters[].field,
	// labels.* for the values of a map, shape(circle).radius for an alternative.
	Path string `json:"path,omitempty"`
	// Rule names the change: a JSON Schema keyword ("maximum"), a member of the listing
	// ("description"), "feature" for the feature as a whole.
	Rule string `json:"rule"`
	// Old and New are the values before and after, null if absent or not a single value.
	Old  json.RawMessage `json:"old,omitempty"`
	New  json.RawMessage `json:"new,omitempty"`
	Text string          `json:"text"` // for people, without kind, name and path
}

// String returns the change as a line of text, without its class: "tool search_books: argument
// limit: maximum 100 -> 50".
func (c *Change) String() string {
	line := string(c.Kind)
	if c.Name != "" {
		line += " " + c.Name
	}
	if n := len(c.Names); n > 0 {
		line += "s " + strings.Join(c.Names[:min(n, shownNames)], ", ")
		if n > shownNames {
			line += fmt.Sprintf(" and %d more", n-shownNames)
		}
	}
	switch {
	case c.Place == "argument" && c.Path == "":
		line += ": arguments"
	case c.Place == "argument":
		line += ": argument " + c.Path
	case c.Place == "result" && c.Path == "":
		line += ": result"
	case c.Place == "result" && (c.Path[0] == '[' || c.Path[0] == '(' || c.Path[0] == '.' || c.Path[0] == '{'):
		line += ": result" + c.Path
	case c.Place == "result":
		line += ": result field " + c.Path
	}
	return line + ": " + c.Text
}

// shownNames limits the names on a line.
const shownNames = 5

// joinClosed makes one change of those by which tools refuse arguments that are not in their
// schema: generated servers do it for every tool.
func (d *Difference) joinClosed() {
	first := -1
	var kept []Change
	for _, c := range d.Changes {
		if c.Kind != Tool || c.Place != "argument" || c.Path != "" || c.Rule != "additionalProperties" || string(c.New) != "false" || c.Class != Breaking {
			kept = append(kept, c)
			continue
		}
		if first < 0 {
			first, kept = len(kept), append(kept, c)
			continue
		}
		one := &kept[first]
		if len(one.Names) == 0 {
			one.Name, one.Names = "", []string{one.Name}
		}
		one.Names = append(one.Names, c.Name)
	}
	d.Changes = kept
}

// Difference is the difference between two contracts.
type Difference struct {
	// Changes are sorted by class, breaking ones first, and then in the order of the features.
	Changes []Change
	// Notes are remarks for readers, such as lists that could not be compared because one contract
	// does not contain them.
	Notes []string
}

// Class returns the highest class among the changes.
func (d *Difference) Class() Class {
	if len(d.Changes) == 0 {
		return None
	}
	return d.Changes[0].Class
}

// Count returns the number of changes in a class.
func (d *Difference) Count(c Class) int {
	n := 0
	for i := range d.Changes {
		if d.Changes[i].Class == c {
			n++
		}
	}
	return n
}

// Summary counts the changes: "2 breaking, 1 wording", or "no difference".
func (d *Difference) Summary() string {
	text := ""
	for _, c := range []Class{Breaking, Compatible, Wording} {
		if n := d.Count(c); n > 0 {
			if text != "" {
				text += ", "
			}
			text += fmt.Sprintf("%d %v", n, c)
		}
	}
	if text == "" {
		return "no difference"
	}
	return text
}

// Lines returns the changes as text, each with its class, and an empty line between the classes.
func (d *Difference) Lines() []string {
	var lines []string
	for i := range d.Changes {
		c := &d.Changes[i]
		if i > 0 && c.Class != d.Changes[i-1].Class {
			lines = append(lines, "")
		}
		lines = append(lines, fmt.Sprintf("%s (%v)", c, c.Class))
	}
	return lines
}

// Compare returns the changes from one contract to another.
func Compare(before, after *Contract) *Difference {
	d := &differ{before: before, after: after}
	d.server()
	for _, l := range lists {
		switch inOld, inNew := before.known[l.kind], after.known[l.kind]; {
		case inOld && inNew:
			d.list(l.kind)
		case inOld && before.Count(l.kind) > 0:
			d.Notes = append(d.Notes, l.member+" are not in the new contract, and were not compared")
		case inNew && after.Count(l.kind) > 0:
			d.Notes = append(d.Notes, l.member+" are not in the old contract, and were not compared")
		}
	}
	d.joinClosed()
	slices.SortStableFunc(d.Changes, func(a, b Change) int { return int(b.Class) - int(a.Class) })
	return &d.Difference
}
