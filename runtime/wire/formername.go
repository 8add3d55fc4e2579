package wire

import (
	"slices"
	"strings"
)

// findAlias returns the index of the field with a former name, or -1.
func (o *Object) findAlias(key []byte) int {
	return slices.IndexFunc(o.fields, func(field Field) bool {
		return slices.ContainsFunc(field.Aliases, func(alias string) bool { return alias == string(key) })
	})
}

// hasAlias reports whether the current object contained a former name of a field.
func (d *Decoder) hasAlias(o *Object, i int) bool {
	return slices.ContainsFunc(d.keys.names[o.keys:], func(name keyName) bool {
		return slices.Contains(o.fields[i].Aliases, string(name.text))
	})
}

// twice records that an object has two names of one field, and skips the second value.
func (o *Object) twice(field *Field) (found, ok bool) {
	d := o.d
	if d.colon() == 0 {
		return false, false
	}
	o.value, o.optional = d.pos, false
	var names []string
	for _, alias := range field.Aliases {
		names = append(names, quote(alias))
	}
	d.violate(RuleUnknown, quote(field.name())+" is given twice: its former name is "+strings.Join(names, " or "))
	d.skip()
	return false, d.err == nil
}
