package mcptask

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/seal"
	"github.com/mcpgen/mcpgen/runtime/internal/taskcall"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// lease is the time without a renewal after which another process may claim the task of a run.
const lease = 15 * time.Second

// parkAfter is the time for which a run waits for an answer before it is parked.
const parkAfter = time.Minute

// tasks are the tasks of one server. It implements [taskcall.Tasks].
type tasks struct {
	options
	server  taskcall.Server
	store   Store
	private bool   // the store is in memory, for this server only
	owner   string // name of this process in records
	places  places
	budget  *membudget.Budget // budget that a store in memory charges; nil for others

	mu        sync.Mutex
	runs      map[*run]struct{} // runs of this process
	active    int               // number of runs that do not wait for an answer
	free      chan struct{}     // receives a value when active has decreased
	other     chan struct{}     // receives a value when an account may have a turn again; see [Claim]
	claimed   chan struct{}     // closed when that goroutine has returned; nil before the first
	claiming  bool              // a goroutine claims records
	closing   bool
	parkAfter time.Duration
	stopClaim context.CancelFunc // cancels the present Claim
	ended     chan struct{}      // closed when the last run ends, while Shutdown waits; otherwise nil
}

func newTasks(s taskcall.Server, store Store, o options) *tasks {
	var budget *membudget.Budget
	if m, ok := store.(*memory); ok {
		budget, o.room = m.charge(s, o.room)
	}
	return &tasks{
		places:  places{share: max(1, o.concurrency/placesPart), unknown: account(s, ""), busy: map[Digest]int{}},
		options: o, server: s, store: store, owner: rand.Text(), budget: budget,
		runs: map[*run]struct{}{}, free: make(chan struct{}, 1), other: make(chan struct{}, 1), parkAfter: parkAfter,
	}
}

// ParkAfter implements [taskcall.Tasks].
func (t *tasks) ParkAfter(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.parkAfter = d
}

// content is the sealed content of a record.
type content struct {
	head
	body
}

// head is sealed in [Record.Head].
type head struct {
	TTL     int64          `json:"l"`           // in milliseconds
	Poll    int64          `json:"p,omitempty"` // in milliseconds; 0 = depends on the age of the task
	Message string         `json:"m,omitempty"`
	Updated int64          `json:"u"` // in milliseconds since 1970
	Open    []openQuestion `json:"q,omitempty"`
	IsError bool           `json:"f,omitempty"` // the result has isError set
}

// body is sealed in [Record.Sealed].
type body struct {
	Work    *taskcall.Work  `json:"w,omitempty"` // nil in an ended task
	Names   map[string]bool `json:"n,omitempty"` // names of all questions so far
	Planned int             `json:"a,omitempty"` // the attempt that may begin
	Died    int             `json:"d,omitempty"` // number of processes that died while they ran it
	Rounds  int             `json:"i,omitempty"` // number of runs that have returned questions or a state
	Result  json.RawMessage `json:"r,omitempty"`
	Error   *failure        `json:"e,omitempty"`
}

// failure is an error of the protocol as it is stored.
type failure struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// openQuestion is a question without an answer.
type openQuestion struct {
	Name   string          `json:"n"` // name that the client uses in its answer
	Key    string          `json:"k"` // key in the call
	Method string          `json:"m"`
	Params json.RawMessage `json:"p"`
	Digest []byte          `json:"d"`
}

// size returns the number of bytes that count for [Limits].StateBytes.
func (c *content) size() int {
	size := c.Work.Size()
	for _, q := range c.Open {
		size += len(q.Name) + len(q.Params)
	}
	for name := range c.Names {
		size += len(name)
	}
	return size
}

// purpose binds a sealed text to its task, and to its part of the record.
func purpose(part string, k Key) string { return part + " " + k.ID + string(k.Scope[:]) }

// Parts of a record.
const (
	headPart = "task head"
	bodyPart = "task"
)

// errKeys is the error for a record that was sealed with a key that this server does not know.
var errKeys = errors.New("mcptask: the task was sealed with another key")

// seal sets the sealed parts of a record.
func (t *tasks) seal(ctx context.Context, r *Record, c *content) error {
	head, err := json.Marshal(&c.head)
	if err != nil {
		return fmt.Errorf("mcptask: seal task: %w", err)
	}
	body, err := json.Marshal(&c.body)
	if err != nil {
		return fmt.Errorf("mcptask: seal task: %w", err)
	}
	_, err = t.server.Keys(ctx, func(keys *seal.Keyring) bool {
		r.Head = keys.SealBytes(purpose(headPart, r.Key), head)
		r.Sealed = keys.SealBytes(purpose(bodyPart, r.Key), body)
		return true
	})
	return err
}

// open returns the content of a record.
func (t *tasks) open(ctx context.Context, r *Record) (*content, error) {
	c, err := t.openHead(ctx, r)
	if err != nil {
		return nil, err
	}
	return c, t.unseal(ctx, r, bodyPart, r.Sealed, &c.body)
}

// openHead returns the content of the head of a record.
func (t *tasks) openHead(ctx context.Context, r *Record) (*content, error) {
	c := new(content)
	return c, t.unseal(ctx, r, headPart, r.Head, &c.head)
}

// unseal reads a sealed part of a record.
func (t *tasks) unseal(ctx context.Context, r *Record, part string, sealed []byte, to any) error {
	var text []byte
	ok, err := t.server.Keys(ctx, func(keys *seal.Keyring) (ok bool) {
		text, ok = keys.OpenBytes(purpose(part, r.Key), sealed)
		return ok
	})
	switch {
	case err != nil:
		return err
	case !ok:
		return errKeys
	}
	if err := json.Unmarshal(text, to); err != nil {
		return fmt.Errorf("mcptask: read task: %w", err)
	}
	return nil
}

// change changes the current record: it tries again if another process has changed it in between.
// If f returns an error, change returns it and changes nothing.
func (t *tasks) change(ctx context.Context, k Key, f func(*Record, *content) error) (*Record, *content, error) {
	for {
		r, err := t.store.Get(ctx, k)
		if err != nil {
			return nil, nil, err
		}
		c, err := t.open(ctx, r)
		if err != nil {
			return nil, nil, err
		}
		if err := f(r, c); err != nil {
			return r, c, err
		}
		c.Updated = time.Now().UnixMilli()
		before := r.Size()
		if err := t.seal(ctx, r, c); err != nil {
			return nil, nil, err
		}
		if err := t.growRoom(ctx, r.Account, before, r.Size()); err != nil {
			return nil, nil, err
		}
		err = t.store.Update(ctx, r)
		if err == nil {
			if r.Ready {
				t.kick()
			}
			return r, c, nil
		}
		if !errors.Is(err, ErrConflict) {
			return nil, nil, err
		}
	}
}

// end ends a task. It drops the data that only runs need.
func end(r *Record, c *content, status Status) {
	r.Status, r.Owner, r.Ready = status, "", false
	c.Work, c.Open, c.Names = nil, nil, nil
}

// plan makes a task ready for its next run.
func plan(r *Record, c *content) {
	r.Status, r.Owner, r.Ready = Working, "", true
	c.Planned = r.Attempt + 1
}

// rest gives back a task without a run: it waits for answers, or for a run.
func rest(r *Record, c *content) {
	if len(c.Open) == 0 {
		plan(r, c)
		return
	}
	r.Status, r.Owner, r.Ready = InputRequired, "", false
}

// interrupted is the error of a task whose process has stopped.
var interrupted = failure{Code: jsonrpc.CodeInternal, Message: "the task was interrupted", Data: json.RawMessage(`{"reason":"interrupted"}`)}

// digest returns a digest of texts.
func digest(texts ...string) (d Digest) {
	h := sha256.New()
	for _, text := range texts {
		_, _ = fmt.Fprintf(h, "%d:%s", len(text), text)
	}
	copy(d[:], h.Sum(nil))
	return d
}

// account returns the account of a client; "" stands for clients that a server cannot distinguish.
func account(s taskcall.Server, client string) Digest { return digest("account", s.Name(), client) }

// key returns the key of a caller's task.
func (t *tasks) key(c taskcall.Caller, id string) Key {
	return Key{Scope: digest("scope", t.server.Name(), fmt.Sprint(c.Form), c.Principal), ID: id}
}
