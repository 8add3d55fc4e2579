package contract

import "github.com/mcpgen/mcpgen/internal/jsontree"

func (d *differ) tool(old, now *jsontree.Value) {
	d.metadata(old, now, d.toolUI)
	d.members(old, now, []string{"title", "description", "icons"}, nil,
		[]string{"_meta", "name", "inputSchema", "outputSchema", "annotations", "execution", aliasesMember, argumentAliasesMember, scopesMember})
	before, after := old.Get("inputSchema"), now.Get("inputSchema")
	d.input(d.argumentNames(old, now, before, after), after)
	d.output(old.Get("outputSchema"), now.Get("outputSchema"))
	d.hints(old.Get("annotations"), now.Get("annotations"))
	d.execution(old.Get("execution"), now.Get("execution"))
}

func (d *differ) input(old, now *jsontree.Value) {
	// A tool without a schema has no arguments.
	none := &jsontree.Value{Kind: jsontree.Object, Members: []jsontree.Member{{Name: "type", Value: &jsontree.Value{Kind: jsontree.Text, Text: "object"}}}}
	if old == nil {
		old = none
	}
	if now == nil {
		now = none
	}
	d.schema("argument", compareSchemas(old, now, false), narrows)
}

func (d *differ) output(old, now *jsontree.Value) {
	switch {
	case old == nil && now == nil:
	case old == nil:
		d.add(Compatible, "outputSchema", nil, nil, "output schema added")
	case now == nil:
		d.add(Breaking, "outputSchema", nil, nil, "output schema removed")
	default:
		o, n := newDocument(old).node(old), newDocument(now).node(now)
		// A result may be from a revision whose schemas are always objects.
		if d.before.answer() != d.after.answer() {
			if d.before.answer() && wraps(old) && now.Str("type") != "object" {
				o = o.doc.node(old.Get("properties").Get(wrapped))
			}
			if d.after.answer() && wraps(now) && old.Str("type") != "object" {
				n = n.doc.node(now.Get("properties").Get(wrapped))
			}
		}
		d.schema("result", compareNodes(o, n, true), widens)
	}
}

// wrapped is the only member of the object that wraps other values, for revisions before
// 2026-07-28.
const wrapped = "result"

// wraps reports whether a schema may describe such an object.
func wraps(v *jsontree.Value) bool {
	properties, required := v.Get("properties"), v.Get("required")
	return v.Str("type") == "object" && properties.Get(wrapped) != nil && len(properties.Members) == 1 &&
		required.Is(jsontree.Array) && len(required.Items) == 1 && required.Items[0].Text == wrapped
}

// schema adds the differences between two schemas; those with the effect breaks are breaking.
func (d *differ) schema(place string, all []finding, breaks effect) {
	for _, f := range all {
		class := Compatible
		switch {
		case f.effect&breaks != 0:
			class = Breaking
		case f.effect == wording:
			class = Wording
		}
		d.Changes = append(d.Changes, Change{
			Class: class, Kind: d.kind, Name: d.name, Place: place, Path: f.path, Rule: f.rule,
			Old: f.old.JSON(), New: f.new.JSON(), Text: f.text,
		})
	}
}

// hints compares the annotations of a tool, by which clients decide whether to ask their user. It
// compares them as clients read them: with the defaults of the specification (ToolAnnotations), and
// without the hints about changes if the tool is read-only.
func (d *differ) hints(old, now *jsontree.Value) {
	said := func(v *jsontree.Value, name string, otherwise bool) bool {
		if h := v.Get(name); h.Is(jsontree.Boolean) {
			return h.Text == "true"
		}
		return otherwise
	}
	type hints struct{ readOnly, destructive, idempotent, openWorld bool }
	read := func(v *jsontree.Value) hints {
		h := hints{said(v, "readOnlyHint", false), said(v, "destructiveHint", true), said(v, "idempotentHint", false), said(v, "openWorldHint", true)}
		if h.readOnly {
			h.destructive, h.idempotent = false, true
		}
		return h
	}
	a, b := read(old), read(now)
	compare := func(name string, was, is, loose bool, now string) {
		if was == is {
			return
		}
		class := Compatible
		if is == loose {
			class = Breaking
		}
		text := now + " now"
		if !is {
			text = "no longer " + now
		}
		d.add(class, name, truth(was), truth(is), "%s", text)
	}
	compare("readOnlyHint", a.readOnly, b.readOnly, false, "readonly")
	// A change of readonly also adds or removes these hints.
	if a.readOnly == b.readOnly || b.destructive && !a.destructive {
		compare("destructiveHint", a.destructive, b.destructive, true, "destructive")
	}
	if a.readOnly == b.readOnly {
		compare("idempotentHint", a.idempotent, b.idempotent, false, "idempotent")
	}
	compare("openWorldHint", a.openWorld, b.openWorld, true, "openworld")
	if old == nil {
		old = &jsontree.Value{Kind: jsontree.Object}
	}
	if now == nil {
		now = &jsontree.Value{Kind: jsontree.Object}
	}
	d.members(old, now, []string{"title"}, nil, []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"})
}

func truth(b bool) *jsontree.Value {
	if b {
		return jsontree.True
	}
	return jsontree.False
}

// execution compares whether a tool may, must or cannot be called as a task (revision 2025-11-25,
// basic/utilities/tasks).
func (d *differ) execution(old, now *jsontree.Value) {
	support := func(v *jsontree.Value) string {
		if s := v.Str("taskSupport"); s != "" {
			return s
		}
		return "forbidden"
	}
	a, b := support(old), support(now)
	switch {
	case a == b:
	case b == "optional":
		d.add(Compatible, "taskSupport", old.Get("taskSupport"), now.Get("taskSupport"), "calls as a task: %s -> %s", a, b)
	default:
		d.add(Breaking, "taskSupport", old.Get("taskSupport"), now.Get("taskSupport"), "calls as a task: %s -> %s", a, b)
	}
	if old == nil {
		old = &jsontree.Value{Kind: jsontree.Object}
	}
	if now == nil {
		now = &jsontree.Value{Kind: jsontree.Object}
	}
	d.members(old, now, nil, nil, []string{"taskSupport"})
}
