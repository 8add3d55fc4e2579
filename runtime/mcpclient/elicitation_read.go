package mcpclient

import "github.com/mcpgen/mcpgen/runtime/wire"

// readElicitation reads the params of elicitation/create. It refers to data, like a tool result.
func readElicitation(data []byte) (*Elicitation, error) {
	v := new(Elicitation)
	return whole(v, read(data, &defaultLimits, nil, func(r *reader) { r.elicitation(v) }))
}

var elicitationFields = wire.Fields{
	{Name: "mode"}, {Must: "message"}, {Name: "requestedSchema"}, {Name: "url"}, {Name: "elicitationId"},
}

// elicitationModes are the values of mode (client/elicitation).
var elicitationModes = []string{"form", "url"}

func (r *reader) elicitation(e *Elicitation) {
	d := &r.d
	for o := d.Object(elicitationFields); o.Next(); {
		switch o.Name() {
		case "mode":
			wire.StringEnum(d, &e.Mode, elicitationModes)
		case "message":
			wire.String(d, &e.Message)
		case "requestedSchema":
			readObject(d, &e.Schema)
		case "url":
			wire.String(d, &e.URL)
		case "elicitationId":
			wire.String(d, &e.ID)
		}
	}
	switch {
	case d.Failed():
	case e.Mode == "url" && e.URL == "":
		d.Fail(wire.RuleRequired, "a link must have a url")
	case e.Mode != "url" && e.Schema == nil:
		d.Fail(wire.RuleRequired, "a form must have a requestedSchema")
	}
}
