package mcpclient

import (
	"bytes"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// readProgress reads the params of a progress notification. The result does not refer to data.
func readProgress(data []byte) (*Progress, error) {
	v := new(Progress)
	return whole(v, read(bytes.Clone(data), &defaultLimits, nil, func(r *reader) { r.progress(v) }))
}

var progressFields = wire.Fields{{Must: "progress"}, {Name: "total"}, {Name: "message"}}

func (r *reader) progress(p *Progress) {
	d := &r.d
	for o := d.Object(progressFields); o.Next(); {
		switch o.Name() {
		case "progress":
			wire.Float(d, &p.Done)
		case "total":
			wire.Float(d, &p.Total)
		case "message":
			wire.String(d, &p.Message)
		}
	}
}

// readLogMessage reads the params of a log message. The result does not refer to data.
func readLogMessage(data []byte) (*LogMessage, error) {
	v := new(LogMessage)
	return whole(v, read(bytes.Clone(data), &defaultLimits, nil, func(r *reader) { r.logMessage(v) }))
}

var logFields = wire.Fields{{Must: "level"}, {Name: "logger"}, {Must: "data", Null: true}}

func (r *reader) logMessage(m *LogMessage) {
	d := &r.d
	for o := d.Object(logFields); o.Next(); {
		switch o.Name() {
		case "level":
			wire.String(d, &m.Level)
		case "logger":
			wire.String(d, &m.Logger)
		case "data":
			wire.Raw(d, &m.Data)
		}
	}
}
