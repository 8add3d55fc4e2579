// Package taskcall defines the interfaces between packages mcp and mcptask: mcp implements
// [Server], mcptask [Tasks] and [Run]. Package mcp does not import mcptask, so that programs
// without tasks do not link it.
package taskcall

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Support configures how calls of one tool become tasks. It does not change.
type Support struct {
	Required bool
	Inline   time.Duration // 0 = at once
	TTL      time.Duration // 0 = the default of package mcptask
	Poll     time.Duration // 0 = depends on the age of the task
	Restart  bool
	Default  func(Server) Tasks // creates the tasks of a server without an option
}

// Server is the interface of a *mcp.Server that mcptask uses.
type Server interface {
	Name() string
	Log() *logs.Log
	// Memory returns the budget for clients, and its limit in bytes.
	Memory() (*membudget.Budget, int64)
	// Tools returns the names of the tools with Support.
	Tools() []string
	// Support returns the Support of a tool, or nil if there is no such tool.
	Support(tool string) *Support
	// Keys calls f with the state keys. For opening, f returns false if it needs other keys.
	Keys(ctx context.Context, f func(*seal.Keyring) bool) (bool, error)
	// Run runs the handler of a tool, and returns after the handler. It calls r.End.
	Run(ctx context.Context, w *Work, r Run)
	DrainTime() time.Duration
	GraceTime() time.Duration
}

// Tasks are the tasks of a server.
type Tasks interface {
	// Serve is called when the server begins to serve, any number of times.
	Serve()
	// Changed is called when the tools of the server have changed.
	Changed()
	// Accept creates a task. The error is for the log, unless it is a *mcp.ProtocolError for the
	// client.
	Accept(ctx context.Context, c *Call) (*Accepted, error)
	// Answer answers a method of tasks. Its error is ErrStore, or an error for the client.
	Answer(ctx context.Context, q Request) (json.RawMessage, error)
	// Known returns the ids that belong to tasks of the caller. Its error is ErrStore, or an error
	// for the client.
	Known(ctx context.Context, q Request, ids []string) ([]string, error)
	// Watch calls changed with the state of the task, at first and after each change, until ctx is
	// cancelled, the task ends, or changed returns false.
	Watch(ctx context.Context, c Caller, id string, changed func(tool string, task json.RawMessage) bool)
	// ParkAfter sets the time for which runs wait for an answer before they are parked.
	ParkAfter(d time.Duration)
	// Shutdown stops the runs of this process.
	Shutdown(ctx context.Context) error
}

// Request is a request for tasks.
type Request interface {
	Caller() Caller
	Method() protocol.Method
	Params() *jsonrpc.Params
	// Authorize returns an error if the caller may not use the tool of a task: ErrUnknown, or an
	// error for the client.
	Authorize(ctx context.Context, tool string) error
	// Send sends a request to the client, and waits for the answer. The error is a *mcp.ClientError
	// if the client refuses.
	Send(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// Pause stops the clock of the request until resume is called.
	Pause() (resume func())
}

// ErrStore is the error for a request that can be sent again when the store works. The log contains
// the cause.
var ErrStore = errors.New("the task store cannot be used now")

// ErrUnknown is the error for a task that does not belong to the caller.
var ErrUnknown = errors.New("no such task")

// Caller identifies the owner of a task.
type Caller struct {
	Principal string // "" if it is unknown
	Account   string // the unit by which tasks are counted
	Form      protocol.TaskForm
}

// Call is a call that becomes a task.
type Call struct {
	Caller  Caller
	Tool    string // the published name
	Support *Support
	Asked   json.RawMessage // the object task of the params in revision 2025-11-25; nil in others
	Work    *Work
	Context context.Context // context of the request, with the values of interceptors
	// Stop cancels the context of the handler if it is running already. Otherwise it is nil.
	Stop func(cause error)
	// Ended is the result of the handler if it has returned already; the task is then complete when
	// it is created.
	Ended *End
}

// Accepted is a task that was created.
type Accepted struct {
	ID               string
	Created, Expires time.Time
	Task             json.RawMessage // the members of the protocol, as an object
	Run              Run             // of a handler that is running already; otherwise nil
}

// Work contains the data of the call, and of earlier runs, that a run needs.
type Work struct {
	Revision     string                     `json:"v"`
	Transport    string                     `json:"w,omitempty"`
	Principal    string                     `json:"p,omitempty"`
	ID           json.RawMessage            `json:"i"` // of the request
	Client       json.RawMessage            `json:"c,omitempty"`
	Capabilities json.RawMessage            `json:"y,omitempty"`
	Params       json.RawMessage            `json:"r"` // name, arguments and _meta
	Header       map[string][]string        `json:"h,omitempty"`
	Context      []byte                     `json:"x,omitempty"` // from the first WithContextPropagator
	Contexts     [][]byte                   `json:"z,omitempty"` // from the others
	Answers      map[string]Answer          `json:"a,omitempty"`
	Tries        map[string]int             `json:"t,omitempty"` // numbers of invalid answers
	Once         map[string]json.RawMessage `json:"o,omitempty"`
	State        json.RawMessage            `json:"s,omitempty"` // mcp.InputRequired.State
}

// Size returns the bytes of answers and values.
func (w *Work) Size() int {
	size := len(w.State)
	for key, a := range w.Answers {
		size += len(key) + len(a.Value)
	}
	for key, value := range w.Once {
		size += len(key) + len(value)
	}
	return size
}

// Answer is an answer of the client.
type Answer struct {
	Digest []byte          `json:"d,omitempty"` // digest of its question; nil if the client sent it unasked
	Value  json.RawMessage `json:"v"`
}

// Question is a question of a handler.
type Question struct {
	Key    string            `json:"k"` // identifies it in the call
	Method string            `json:"m"`
	Params json.RawMessage   `json:"p"`
	Digest [sha256.Size]byte `json:"-"`
	Tries  int               `json:"-"` // number of invalid answers so far
}

// End is the result of a handler.
type End struct {
	Result json.RawMessage // nil if Error is set, or the run is parked
	Error  *jsonrpc.Error
	Parked bool
	// Questions become open questions of the task, and State is for the next run, if the handler
	// has returned them. The run is then parked.
	Questions []Question
	State     json.RawMessage
	Required  bool // the handler has returned Questions or State
}

// Run is one run of the handler of a task.
type Run interface {
	Info() Info
	// Ask asks a question and waits for its answer. Its error is ErrParked if the handler must
	// return, and go on in another run.
	Ask(ctx context.Context, q *Question) (json.RawMessage, error)
	// Store stores a value of Once.
	Store(ctx context.Context, key string, value json.RawMessage) error
	Progress(done, total float64, message string)
	// Start is called before the handler of a record, with a function that cancels its context.
	Start(stop func(cause error))
	// End is called once, after the handler returns, or when it takes too long.
	End(e End)
}

// Info describes the task of a run.
type Info struct {
	ID               string
	Attempt          int
	Created, Expires time.Time
}

// ErrParked is the error of Ask if the handler must return.
var ErrParked = errors.New("the run is parked")
