// Package taskcall is what packages mcp and mcptask are to each other: mcp implements [Server],
// mcptask [Tasks] and [Run]. Package mcp does not import mcptask, so that programs without tasks do
// not link it.
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

// Support is how calls of one tool become tasks. It does not change.
type Support struct {
	Required bool
	Inline   time.Duration // 0 = at once
	TTL      time.Duration // 0 = the default of package mcptask
	Poll     time.Duration // 0 = by the age of the task
	Restart  bool
	Default  func(Server) Tasks // makes the tasks of a server without an option
}

// Server is a *mcp.Server as mcptask uses it.
type Server interface {
	Name() string
	Log() *logs.Log
	// Memory returns the budget for clients, and its limit in bytes.
	Memory() (*membudget.Budget, int64)
	// Tools returns the names of the tools with Support.
	Tools() []string
	// Support returns that of a tool, nil if there is no such tool.
	Support(tool string) *Support
	// Keys calls f with the state keys. For opening, f returns false if it needs other keys.
	Keys(ctx context.Context, f func(*seal.Keyring) bool) (bool, error)
	// Run runs the handler of a tool, and returns when that has returned. It calls r.End.
	Run(ctx context.Context, w *Work, r Run)
	DrainTime() time.Duration
	GraceTime() time.Duration
}

// Tasks are the tasks of a server.
type Tasks interface {
	// Serve is called when the server begins to serve, any number of times.
	Serve()
	// Changed is called when the server has other tools.
	Changed()
	// Accept creates a task. The error is for the log, unless it is a *mcp.ProtocolError for the client.
	Accept(ctx context.Context, c *Call) (*Accepted, error)
	// Answer answers a method of tasks. Its error is ErrStore, or one for the client.
	Answer(ctx context.Context, q Request) (json.RawMessage, error)
	// Known returns which of the ids are tasks that the caller may use. Its error is ErrStore, or one for
	// the client.
	Known(ctx context.Context, q Request, ids []string) ([]string, error)
	// Watch calls changed with the task as it is, and after changes, until ctx ends, the task
	// does, or changed returns false.
	Watch(ctx context.Context, c Caller, id string, changed func(tool string, task json.RawMessage) bool)
	// ParkAfter says how long runs wait for an answer before they end.
	ParkAfter(d time.Duration)
	// Shutdown ends the runs of this process.
	Shutdown(ctx context.Context) error
}

// Request is a request for tasks.
type Request interface {
	Caller() Caller
	Method() protocol.Method
	Params() *jsonrpc.Params
	// Authorize returns the error for a caller that may not use the tool of a task: ErrUnknown, or one
	// for the client.
	Authorize(ctx context.Context, tool string) error
	// Send sends a request to the client, and waits for the answer. The error is a *mcp.ClientError if the
	// client refuses.
	Send(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// Pause stops the clock of the request until resume is called.
	Pause() (resume func())
}

// ErrStore is the error for a request that can be sent again when the store works. The cause is in the log.
var ErrStore = errors.New("the task store cannot be used now")

// ErrUnknown is the error for a task that the caller does not have.
var ErrUnknown = errors.New("no such task")

// Caller is whose a task is.
type Caller struct {
	Principal string // "" if it is unknown
	Account   string // by which tasks are counted
	Form      protocol.TaskForm
}

// Call is a call that becomes a task.
type Call struct {
	Caller  Caller
	Tool    string // the published name
	Support *Support
	Asked   json.RawMessage // the object task of the params, of revision 2025-11-25; nil in others
	Work    *Work
	Context context.Context // of the request, with the values of interceptors
	// Stop ends the context of the handler, which runs already. Nil if it does not.
	Stop func(cause error)
	// Ended is the end of the handler if it has returned already, and the task is complete
	// when it is created.
	Ended *End
}

// Accepted is a task that has been created.
type Accepted struct {
	ID               string
	Created, Expires time.Time
	Task             json.RawMessage // the members of the protocol, as an object
	Run              Run             // of the handler that runs already; nil without one
}

// Work is what a run needs of the call, and of runs before.
type Work struct {
	Revision     string                     `json:"v"`
	Transport    string                     `json:"w,omitempty"`
	Principal    string                     `json:"p,omitempty"`
	ID           json.RawMessage            `json:"i"` // of the request
	Client       json.RawMessage            `json:"c,omitempty"`
	Capabilities json.RawMessage            `json:"y,omitempty"`
	Params       json.RawMessage            `json:"r"` // name, arguments and _meta
	Header       map[string][]string        `json:"h,omitempty"`
	Context      []byte                     `json:"x,omitempty"` // of the first WithContextPropagator
	Contexts     [][]byte                   `json:"z,omitempty"` // of the others
	Answers      map[string]Answer          `json:"a,omitempty"`
	Tries        map[string]int             `json:"t,omitempty"` // answers that were not valid
	Once         map[string]json.RawMessage `json:"o,omitempty"`
	State        json.RawMessage            `json:"s,omitempty"` // mcp.InputRequired.State
}

// Size is how many bytes answers and values have.
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
	Digest []byte          `json:"d,omitempty"` // of its question; nil if the client sent it unasked
	Value  json.RawMessage `json:"v"`
}

// Question is a question of a handler.
type Question struct {
	Key    string            `json:"k"` // in the call
	Method string            `json:"m"`
	Params json.RawMessage   `json:"p"`
	Digest [sha256.Size]byte `json:"-"`
	Tries  int               `json:"-"` // answers so far that were not valid
}

// End is how a handler has ended.
type End struct {
	Result json.RawMessage // nil if Error is set, or the handler has parked
	Error  *jsonrpc.Error
	Parked bool
	// Questions are in the task from now on, and State for the next run, if the handler has
	// returned them. It has then parked.
	Questions []Question
	State     json.RawMessage
	Required  bool // the handler has returned Questions or State
}

// Run is one run of the handler of a task.
type Run interface {
	Info() Info
	// Ask asks a question and waits for its answer. Its error is ErrParked if the handler must
	// end, and go on in another run.
	Ask(ctx context.Context, q *Question) (json.RawMessage, error)
	// Store stores a value of Once.
	Store(ctx context.Context, key string, value json.RawMessage) error
	Progress(done, total float64, message string)
	// Start is called before the handler of a record, with what ends its context.
	Start(stop func(cause error))
	// End is called once. The handler has returned, or takes too long.
	End(e End)
}

// Info describes the task of a run.
type Info struct {
	ID               string
	Attempt          int
	Created, Expires time.Time
}

// ErrParked is the error of Ask if the handler must end.
var ErrParked = errors.New("the run is parked")
