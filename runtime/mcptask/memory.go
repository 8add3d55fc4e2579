package mcptask

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/taskcall"
	"github.com/mcpgen/mcpgen/runtime/internal/taskroom"
)

// NewMemory returns a Store in the memory of this process. Its tasks are lost with the process. A
// task takes at most [Record.Size] bytes, which are charged to [mcp.Limits].Memory of its server.
func NewMemory() Store {
	return &memory{
		tasks: map[Key]*kept{}, open: map[Digest]int{}, budgets: map[string]*membudget.Budget{},
		changed: make(chan struct{}), closed: make(chan struct{}),
	}
}

// memory is a Store with one lock for everything, because each operation is short.
type memory struct {
	mu      sync.Mutex
	tasks   map[Key]*kept
	sizes   taskroom.Ledger[Key, Digest]
	budgets map[string]*membudget.Budget // by the names of servers
	open    map[Digest]int               // tasks that have not ended, by account
	total   int                          // sum of open
	ready   []*kept                      // tasks that Claim may return, the oldest first
	changed chan struct{}                // closed and replaced when ready gets longer
	version uint64                       // version of the latest change
	closed  chan struct{}
}

// kept is a task in memory.
type kept struct {
	record  *Record // replaced at each change, and never modified
	budget  *membudget.Budget
	charged int64 // bytes charged to budget
	ready   bool  // the task is in memory.ready
	expiry  *time.Timer
	lease   *time.Timer   // runs while the task has an owner
	leaseID uint64        // identifies the current lease: a timer of an earlier one may still fire
	lapsed  bool          // the lease has expired, and the task still has its owner
	changed chan struct{} // closed and replaced at each change; nil unless a Watch waits
}

func (m *memory) Create(ctx context.Context, r *Record, q Quota, lease time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch err := m.usable(ctx); {
	case err != nil:
		return err
	case m.tasks[r.Key] != nil:
		return ErrExists
	case r.Status.Ended():
	case q.Account > 0 && m.open[r.Account] >= q.Account, q.Total > 0 && m.total >= q.Total:
		return ErrTooMany
	}
	k := &kept{budget: m.budgets[r.Server]}
	m.tasks[r.Key] = k
	m.set(k, r)
	if r.Owner != "" {
		m.startLease(k, lease)
	}
	return nil
}

func (m *memory) Get(ctx context.Context, key Key) (*Record, error) {
	return m.get(ctx, key, (*Record).Clone)
}

// GetHead implements [HeadStore].
func (m *memory) GetHead(ctx context.Context, key Key) (*Record, error) {
	return m.get(ctx, key, (*Record).cloneHead)
}

func (m *memory) get(ctx context.Context, key Key, clone func(*Record) *Record) (*Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, err := m.find(ctx, key)
	if err != nil {
		return nil, err
	}
	return clone(k.record), nil
}

func (m *memory) Update(ctx context.Context, r *Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, err := m.find(ctx, r.Key)
	if err != nil {
		return err
	}
	before := k.record
	if before.Version != r.Version || r.Owner != "" && (r.Owner != before.Owner || r.Attempt != before.Attempt) {
		return ErrConflict
	}
	if r.Owner == "" {
		k.endLease()
	}
	m.set(k, r)
	return nil
}

// set stores a copy of r as the record of k, with the next version, which it also sets in r.
func (m *memory) set(k *kept, r *Record) {
	if k.record != nil {
		m.count(k.record, -1)
	}
	m.version++
	r.Version = m.version
	if k.record == nil || !k.record.Expires.Equal(r.Expires) {
		if k.expiry != nil {
			k.expiry.Stop()
		}
		k.expiry = time.AfterFunc(time.Until(r.Expires), func() { m.expire(k) })
	}
	k.record = r.Clone()
	m.count(r, 1)
	m.sizes.Put(r.Key, r.Account, r.Size(), r.Status.Ended())
	k.budget.Force(int(r.Size() - k.charged))
	k.charged = r.Size()
	k.notify()
	m.queue(k, !r.Status.Ended() && (r.Ready && r.Owner == "" || r.Owner != "" && k.lapsed))
}

// count adds n to the numbers of open tasks.
func (m *memory) count(r *Record, n int) {
	if r.Status.Ended() {
		return
	}
	m.total += n
	if m.open[r.Account] += n; m.open[r.Account] == 0 {
		delete(m.open, r.Account)
	}
}

// queue adds a task to the tasks that Claim may return, or removes it.
func (m *memory) queue(k *kept, ready bool) {
	if ready == k.ready {
		return
	}
	k.ready = ready
	if !ready {
		m.ready = slices.DeleteFunc(m.ready, func(other *kept) bool { return other == k })
		return
	}
	m.ready = append(m.ready, k)
	close(m.changed)
	m.changed = make(chan struct{})
}

// startLease begins a lease. After it, another process may claim the task.
func (m *memory) startLease(k *kept, lease time.Duration) {
	k.endLease()
	k.leaseID++
	id := k.leaseID
	k.lease = time.AfterFunc(lease, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if k.leaseID == id && k.lease != nil && !k.record.Status.Ended() {
			k.lapsed = true
			m.queue(k, true)
		}
	})
}

func (k *kept) endLease() {
	if k.lease != nil {
		k.lease.Stop()
		k.lease, k.lapsed = nil, false
	}
}

// expire deletes a task whose TTL is over.
func (m *memory) expire(k *kept) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tasks[k.record.Key] != k {
		return
	}
	if left := time.Until(k.record.Expires); left > 0 { // the clock was set back
		k.expiry.Reset(left)
		return
	}
	m.remove(k)
}

func (m *memory) remove(k *kept) {
	delete(m.tasks, k.record.Key)
	m.sizes.Remove(k.record.Key)
	k.budget.Release(int(k.charged))
	m.count(k.record, -1)
	m.queue(k, false)
	k.expiry.Stop()
	k.endLease()
	k.notify()
}

// notify wakes calls of Watch.
func (k *kept) notify() {
	if k.changed != nil {
		close(k.changed)
		k.changed = nil
	}
}

// find returns a task that has not expired. The caller holds the lock.
func (m *memory) find(ctx context.Context, key Key) (*kept, error) {
	if err := m.usable(ctx); err != nil {
		return nil, err
	}
	k := m.tasks[key]
	if k == nil || !time.Now().Before(k.record.Expires) {
		return nil, ErrNotFound
	}
	return k, nil
}

// usable returns an error if an operation cannot begin.
func (m *memory) usable(ctx context.Context) error {
	select {
	case <-m.closed:
		return ErrStoreClosed
	default:
		return context.Cause(ctx)
	}
}

// Watch implements [Store].
func (m *memory) Watch(ctx context.Context, key Key) iter.Seq2[*Record, error] {
	return m.watch(ctx, key, (*Record).Clone)
}

// WatchHead implements [HeadStore].
func (m *memory) WatchHead(ctx context.Context, key Key) iter.Seq2[*Record, error] {
	return m.watch(ctx, key, (*Record).cloneHead)
}

func (m *memory) watch(ctx context.Context, key Key, clone func(*Record) *Record) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for last := uint64(0); ; {
			r, changed, err := m.look(ctx, key, last, clone)
			switch {
			case err != nil:
				yield(nil, err)
				return
			case r != nil:
				last = r.Version
				if !yield(r, nil) {
					return
				}
				continue
			}
			select {
			case <-changed:
			case <-ctx.Done():
			case <-m.closed:
			}
		}
	}
}

// look returns a task if its version is not last. Otherwise it returns a channel that is closed
// when the task changes.
func (m *memory) look(ctx context.Context, key Key, last uint64, clone func(*Record) *Record) (*Record, <-chan struct{}, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, err := m.find(ctx, key)
	if err != nil {
		return nil, nil, err
	}
	if k.record.Version != last {
		return clone(k.record), nil, nil
	}
	if k.changed == nil {
		k.changed = make(chan struct{})
	}
	return nil, k.changed, nil
}

func (m *memory) Claim(ctx context.Context, c Claim) (*Record, error) {
	for {
		r, changed, err := m.take(ctx, &c)
		if r != nil || err != nil {
			return r, err
		}
		select {
		case <-changed:
		case <-c.Other:
		case <-ctx.Done():
		case <-m.closed:
		}
	}
}

// take claims a task. If it finds none, it returns a channel that is closed when there may be one.
func (m *memory) take(ctx context.Context, c *Claim) (*Record, <-chan struct{}, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.usable(ctx); err != nil {
		return nil, nil, err
	}
	k := m.first(c)
	if k == nil {
		return nil, m.changed, nil
	}
	r := k.record.Clone()
	r.Ready, r.Owner = false, c.Owner
	r.Attempt++
	k.endLease()
	m.set(k, r)
	m.startLease(k, c.Lease)
	return r, nil, nil
}

// first returns the task that is claimed next, or nil. The caller holds the lock.
func (m *memory) first(c *Claim) (first *kept) {
	fewest := 0
	for _, k := range m.ready {
		if k.record.Server != c.Server || !slices.Contains(c.Tools, k.record.Tool) || !time.Now().Before(k.record.Expires) {
			continue
		}
		active, ok := c.TurnOf(k.record.Account)
		if !ok || first != nil && active >= fewest {
			continue
		}
		if first, fewest = k, active; active == 0 {
			break
		}
	}
	return first
}

func (m *memory) Renew(ctx context.Context, r *Record, lease time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, err := m.find(ctx, r.Key)
	switch {
	case err == ErrNotFound:
		return ErrLeaseLost
	case err != nil:
		return err
	case r.Owner == "" || k.record.Owner != r.Owner || k.record.Attempt != r.Attempt || k.record.Status.Ended():
		return ErrLeaseLost
	}
	m.queue(k, false)
	m.startLease(k, lease)
	return nil
}

// charge charges the tasks of a server to its budget from now on, and returns the budget and the
// limits for the tasks.
func (m *memory) charge(s taskcall.Server, room Room) (*membudget.Budget, Room) {
	budget, limit := s.Memory()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.budgets[s.Name()] = budget
	room.TotalBytes = min(room.TotalBytes, limit/2)
	room.Bytes = min(room.Bytes, limit/8)
	return budget, room
}

// MakeRoom implements [Store].
func (m *memory) MakeRoom(ctx context.Context, n Need) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.usable(ctx); err != nil {
		return err
	}
	victims, ok := m.sizes.Victims(n.Account, n.Tasks, n.Bytes, taskroom.Limits(n.Room))
	if !ok {
		return ErrTooMany
	}
	for _, k := range victims {
		m.remove(m.tasks[k])
	}
	return nil
}

func (m *memory) CountActive(ctx context.Context, account Digest) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.usable(ctx); err != nil {
		return 0, err
	}
	return m.open[account], nil
}

func (m *memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-m.closed:
		return nil
	default:
		close(m.closed)
	}
	for _, k := range m.tasks {
		m.remove(k)
	}
	return nil
}

// anyReady reports whether Claim would return at once.
func (m *memory) anyReady(c *Claim) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.first(c) != nil
}
