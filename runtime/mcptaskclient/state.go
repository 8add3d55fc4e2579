package mcptaskclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Status is the status of a task.
type Status string

// The statuses of both forms. The last three are final.
const (
	Working       Status = "working"
	InputRequired Status = "input_required"
	Completed     Status = "completed"
	Failed        Status = "failed"
	Cancelled     Status = "cancelled"
)

// Ended reports whether the status is final.
func (s Status) Ended() bool { return s == Completed || s == Failed || s == Cancelled }

// State is the server's description of a task.
type State struct {
	ID      string
	Status  Status
	Message string // progress, or the reason of a failure, for persons; may be ""
	// Created and Updated are the zero time if the server has not sent a time.
	Created, Updated time.Time
	// TTL is the time for which the server keeps the task, from its creation. 0 means unlimited or
	// unknown.
	TTL time.Duration
	// Poll is the interval that the server suggests, or 0.
	Poll time.Duration

	questions []question
	result    json.RawMessage
	failure   *jsonrpc.Error
}

// question is a question of a task.
type question struct {
	key, method string
	params      json.RawMessage
}

// Limits of the data that a server may send for a task, in addition to Limits of the client.
const (
	maxID      = 1 << 10 // bytes of an id
	maxKey     = 1 << 10 // bytes of the key of a question
	maxMessage = 4 << 10 // bytes of a stored message
)

var (
	stateFields = wire.Fields{
		{Must: "taskId"}, {Must: "status"}, {Name: "statusMessage"}, {Name: "createdAt"}, {Name: "lastUpdatedAt"},
		{Name: "ttlMs"}, {Name: "pollIntervalMs"}, {Name: "ttl"}, {Name: "pollInterval"},
		{Name: "inputRequests"}, {Name: "result"}, {Name: "error"}, {Name: "resultType"},
	}
	questionFields = wire.Fields{{Must: "method"}, {Name: "params"}}
	errorFields    = wire.Fields{{Must: "code"}, {Name: "message"}, {Name: "data"}}
)

// violation returns the error for a violation of the protocol by a server.
func violation(method, text string, data []byte) error {
	return &mcpclient.ProtocolViolationError{Method: method, Text: text, Bytes: append([]byte(nil), data[:min(len(data), 256)]...)}
}

// decoder returns a decoder for a part of a message whose limits the client has checked. Decoded
// values refer to data.
func decoder(data []byte) *wire.Decoder {
	return wire.NewDecoder(data, wire.Options{SkipUnknown: true, Alias: true, MaxDepth: math.MaxInt32})
}

// readState reads a task: CreateTaskResult and DetailedTask of the extension, or Task of revision
// 2025-11-25. want is the required id, or "" for any.
func readState(data json.RawMessage, form protocol.TaskForm, method, want string) (*State, error) {
	s := new(State)
	d := decoder(data)
	var status, created, updated string
	var ttl, poll json.RawMessage
	session := form == protocol.TaskSession
	for o := d.Object(stateFields); o.Next(); {
		switch name := o.Name(); name {
		case "taskId":
			wire.String(d, &s.ID)
		case "status":
			wire.String(d, &status)
		case "statusMessage":
			wire.String(d, &s.Message)
		case "createdAt":
			wire.String(d, &created)
		case "lastUpdatedAt":
			wire.String(d, &updated)
		case "ttlMs", "ttl":
			readFor(d, &ttl, session == (name == "ttl"))
		case "pollIntervalMs", "pollInterval":
			readFor(d, &poll, session == (name == "pollInterval"))
		case "inputRequests":
			s.readQuestions(d)
		case "result":
			wire.Raw(d, &s.result)
		case "error":
			s.failure = readError(d)
		case "resultType":
			var other string
			wire.String(d, &other)
		}
	}
	if err := d.Finish(); err != nil {
		return nil, violation(method, "a task that cannot be read: "+err.Error(), data)
	}
	s.Status = Status(status)
	s.Message = strings.ToValidUTF8(s.Message[:min(len(s.Message), maxMessage)], "") // it may be cut inside of a character
	s.Created, s.Updated = timeOf(created), timeOf(updated)
	s.TTL, s.Poll = millis(ttl), millis(poll)
	return s, s.check(form, method, want, data)
}

// readFor reads a value of one form, and skips a value of the other.
func readFor(d *wire.Decoder, to *json.RawMessage, own bool) {
	var value json.RawMessage
	if wire.Raw(d, &value); own {
		*to = value
	}
}

func (s *State) readQuestions(d *wire.Decoder) {
	var all json.RawMessage
	wire.Raw(d, &all)
	if d.Failed() {
		return
	}
	if all[0] != '{' {
		d.Fail("type", "inputRequests must be an object")
		return
	}
	jsonrpc.Members(all, func(key, value []byte) bool {
		q := question{key: string(key)}
		of := decoder(value)
		for o := of.Object(questionFields); o.Next(); {
			switch o.Name() {
			case "method":
				wire.String(of, &q.method)
			case "params":
				wire.Raw(of, &q.params)
			}
		}
		if err := of.Finish(); err != nil || len(q.key) > maxKey {
			d.Fail("type", fmt.Sprintf("the question %.100q has a key of %d bytes, or cannot be read", q.key, len(q.key)))
			return false
		}
		s.questions = append(s.questions, q)
		return len(s.questions) <= maxOpen // the caller detects one too many
	})
}

func readError(d *wire.Decoder) *jsonrpc.Error {
	e := new(jsonrpc.Error)
	for o := d.Object(errorFields); o.Next(); {
		switch o.Name() {
		case "code":
			wire.Int(d, &e.Code)
		case "message":
			wire.String(d, &e.Message)
		case "data":
			wire.Raw(d, &e.Data)
		}
	}
	return e
}

// check returns an error if a task is invalid.
func (s *State) check(form protocol.TaskForm, method, want string, data []byte) error {
	switch s.Status {
	case Working, InputRequired, Completed, Failed, Cancelled:
	default:
		return violation(method, fmt.Sprintf("a task has the status %.100q", string(s.Status)), data)
	}
	switch {
	case s.ID == "" || len(s.ID) > maxID:
		return violation(method, fmt.Sprintf("the id of a task has %d bytes", len(s.ID)), data)
	case want != "" && s.ID != want:
		return violation(method, fmt.Sprintf("the task %.100q, asked for %q", s.ID, want), data)
	case form != protocol.TaskExtension || method == protocol.ToolsCall.String():
	case s.Status == Completed && s.result == nil:
		return violation(method, "a completed task without result", data)
	case s.Status == Failed && s.failure == nil:
		return violation(method, "a failed task without error", data)
	case s.Status == InputRequired && len(s.questions) == 0:
		return violation(method, "a task that requires input, without inputRequests", data)
	}
	if s.result != nil {
		if kind, _ := jsonrpc.String(member(s.result, "resultType")); s.result[0] != '{' || kind != "" && kind != "complete" {
			return violation(method, "the result of a task is not one of a call", data)
		}
	}
	return nil
}

// timeOf parses an RFC 3339 time. It returns the zero time for other texts.
func timeOf(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}
	}
	return t
}

// millis reads a number of milliseconds. It returns 0 for any other value, and at most the maximum
// of time.Duration.
func millis(data json.RawMessage) time.Duration {
	n, err := strconv.ParseFloat(string(data), 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange), !(n > 0):
		return 0
	case n > float64(math.MaxInt64/int64(time.Millisecond)):
		return math.MaxInt64
	}
	return time.Duration(n * float64(time.Millisecond))
}

// member returns a member of an object, or nil.
func member(object []byte, name string) (value []byte) {
	jsonrpc.Members(object, func(n, v []byte) bool {
		if string(n) == name {
			value = v
		}
		return value == nil
	})
	return value
}
