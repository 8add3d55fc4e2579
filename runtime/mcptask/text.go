package mcptask

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Intervals after which clients are asked to look at a task again, by its age.
const (
	pollYoung = time.Second
	pollOld   = 10 * time.Second
	oldAge    = time.Minute
)

// text returns a task in a form of the protocol: CreateTaskResult for a new task, otherwise
// DetailedTask, or Task in revision 2025-11-25.
func text(r *Record, c *content, form protocol.TaskForm, created bool) json.RawMessage {
	session := form == protocol.TaskSession
	b := append([]byte(nil), '{')
	status, ttl, poll := r.Status, `,"ttlMs":`, `,"pollIntervalMs":`
	if session {
		ttl, poll = `,"ttl":`, `,"pollInterval":`
		if status == Completed && c.IsError {
			status = Failed
		}
	}
	switch {
	case created && session:
		b = append(b, `"task":{`...)
	case created:
		b = append(b, `"resultType":"task",`...)
	}
	b = append(b, `"taskId":`...)
	b = wire.AppendString(b, r.Key.ID)
	b = append(b, `,"status":"`...)
	b = append(b, status.String()...)
	b = append(b, '"')
	if c.Message != "" {
		b = append(b, `,"statusMessage":`...)
		b = wire.AppendString(b, c.Message)
	}
	b = appendTime(b, "createdAt", r.Created)
	b = appendTime(b, "lastUpdatedAt", time.UnixMilli(c.Updated))
	b = append(b, ttl...)
	b = strconv.AppendInt(b, c.TTL, 10)
	b = append(b, poll...)
	b = strconv.AppendInt(b, c.poll(r), 10)
	switch {
	case created && session:
		b = append(b, '}')
	case !created && !session:
		b = c.appendDetail(b, r.Status)
	}
	return append(b, '}')
}

// isError reports whether a call with that result has failed. In revision 2025-11-25 the status of
// its task is failed.
func isError(text json.RawMessage) bool {
	var result struct{ IsError bool }
	return json.Unmarshal(text, &result) == nil && result.IsError
}

// poll returns the interval in milliseconds.
func (c *content) poll(r *Record) int64 {
	switch {
	case c.Poll > 0:
		return c.Poll
	case time.Since(r.Created) > oldAge:
		return pollOld.Milliseconds()
	}
	return pollYoung.Milliseconds()
}

// appendDetail writes the members that depend on the status.
func (c *content) appendDetail(b []byte, s Status) []byte {
	switch {
	case s == InputRequired:
		b = append(b, `,"inputRequests":{`...)
		for i, q := range c.Open {
			if i > 0 {
				b = append(b, ',')
			}
			b = wire.AppendString(b, q.Name)
			b = append(b, `:{"method":`...)
			b = wire.AppendString(b, q.Method)
			b = append(b, `,"params":`...)
			b = append(b, q.Params...)
			b = append(b, '}')
		}
		b = append(b, '}')
	case s == Completed && c.Result != nil:
		b = append(b, `,"result":`...)
		b = append(b, c.Result...)
	case s == Failed && c.Error != nil:
		b = append(b, `,"error":{"code":`...)
		b = strconv.AppendInt(b, int64(c.Error.Code), 10)
		b = append(b, `,"message":`...)
		b = wire.AppendString(b, c.Error.Message)
		if len(c.Error.Data) > 0 {
			b = append(b, `,"data":`...)
			b = append(b, c.Error.Data...)
		}
		b = append(b, '}')
	}
	return b
}

// appendTime writes a time in the form of RFC 3339, in UTC with milliseconds.
func appendTime(b []byte, name string, at time.Time) []byte {
	b = append(append(append(b, `,"`...), name...), `":"`...)
	b = at.UTC().AppendFormat(b, "2006-01-02T15:04:05.000Z")
	return append(b, '"')
}

// progressText returns a report of progress as the message of a task: "3 of 10: reading".
func progressText(done, total float64, message string) string {
	text := strconv.FormatFloat(done, 'f', -1, 64)
	if total > 0 {
		text += " of " + strconv.FormatFloat(total, 'f', -1, 64)
	}
	if message != "" {
		text += ": " + message
	}
	return text
}
