package mcpnats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// taskReplica returns the tasks of a replica whose clock is wrong.
func taskReplica(t *testing.T, l *leader, own time.Duration, servers ...time.Duration) *taskStore {
	ctx, cancel := context.WithCancelCause(t.Context())
	c := &Cluster{js: l, name: "test", stop: make(chan struct{}), tasks: streamOf{leader: l}}
	c.clock.wall = ahead(own)
	c.clock.answer(servers...)
	return &taskStore{Cluster: c, index: newTaskIndex(), ctx: ctx, cancel: cancel}
}

// headerOf returns the header of a record.
func headerOf(t *testing.T, h taskHead) nats.Header {
	t.Helper()
	text, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	return nats.Header{headField: {string(text)}}
}

// A task lives for its whole time, whichever clock is wrong: of the replica that created it, or of
// one that changes it.
func TestTasksWithWrongClock(t *testing.T) {
	const ttl = 10 * time.Minute
	for _, d := range skews {
		for name, own := range map[string][2]time.Duration{"of the creator": {d, 0}, "of another replica": {0, d}} {
			for where, servers := range map[string][]time.Duration{"servers elsewhere": {0}, "servers in the replicas": {0, d, 0}} {
				t.Run(fmt.Sprint(name, d, where), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						begin := time.Now()
						l := &leader{underWay: map[string]bool{}, last: map[string]*jetstream.RawStreamMsg{}}
						replicas := []*taskStore{taskReplica(t, l, own[0], servers...), taskReplica(t, l, own[1], servers...)}
						creator := replicas[0]
						r := &mcptask.Record{Key: mcptask.Key{ID: "a"}, Account: mcptask.Digest{1}, Created: creator.clock.now(), Expires: creator.clock.now().Add(ttl)}
						hash := taskHash(r.Key)
						subject := creator.subject("task", "record", hash)
						if _, err := creator.write(t.Context(), hash, nil, r, 0, nil); err != nil {
							t.Fatal(err)
						}
						// each compares the remaining lifetime in the server and in the replicas
						// with the expected one.
						each := func(left time.Duration) {
							t.Helper()
							m := l.last[subject]
							if keep, err := time.ParseDuration(m.Header.Get(ttlField)); err != nil || (keep-left).Abs() > time.Second {
								t.Errorf("the server keeps it for %s, %v, want %s", keep, err, left)
							}
							for i, s := range replicas {
								s.index.add("record."+hash, m.Sequence, delivered{header: m.Header})
								if _, err := s.Get(t.Context(), r.Key); err != nil {
									t.Errorf("replica %d: %v", i, err)
								}
								if _, n, _, err := s.count(t.Context(), r.Account); err != nil || n != 1 {
									t.Errorf("replica %d counts %d, %v", i, n, err)
								}
							}
						}
						each(ttl)
						for i, s := range []*taskStore{replicas[1], replicas[0], replicas[1]} {
							time.Sleep(ttl / 4)
							now, err := s.Get(t.Context(), r.Key)
							if err != nil {
								t.Fatal(err)
							}
							if err := s.Update(t.Context(), now); err != nil {
								t.Fatal(err)
							}
							each(ttl * time.Duration(3-i) / 4)
						}
						for i, s := range replicas {
							var last error
							for _, err := range s.Watch(t.Context(), r.Key) {
								last = err
							}
							if d := time.Since(begin); !errors.Is(last, mcptask.ErrNotFound) || (d-ttl).Abs() > time.Second {
								t.Errorf("replica %d: %v after %s, want %s", i, last, d, ttl)
							}
							if _, n, _, err := s.count(t.Context(), r.Account); err != nil || n != 0 {
								t.Errorf("replica %d counts %d, %v", i, n, err)
							}
							s.cancel(nil)
						}
					})
				})
			}
		}
	}
}

// Tasks are claimed in the order in which they became ready, regardless of the clocks of the
// replicas that created them.
func TestOrderWithWrongClock(t *testing.T) {
	for _, d := range skews {
		synctest.Test(t, func(t *testing.T) {
			l := &leader{underWay: map[string]bool{}, last: map[string]*jetstream.RawStreamMsg{}}
			right, wrong := taskReplica(t, l, 0, 0), taskReplica(t, l, d, 0)
			var records []*mcptask.Record
			var versions []uint64
			for i, s := range []*taskStore{right, wrong, right, wrong} {
				now := s.clock.now()
				r := &mcptask.Record{Key: mcptask.Key{ID: fmt.Sprint(i)}, Server: "books", Tool: "count", Ready: true, Created: now, Expires: now.Add(2 * time.Hour)}
				hash := taskHash(r.Key)
				version, err := s.write(t.Context(), hash, nil, r, 0, nil)
				if err != nil {
					t.Fatal(err)
				}
				versions = append(versions, version)
				records = append(records, r)
				time.Sleep(time.Second)
			}
			// A change of a ready task does not change its place.
			hash := taskHash(records[0].Key)
			found, err := wrong.load(t.Context(), hash)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := wrong.write(t.Context(), hash, found, records[0], versions[0], nil); err != nil {
				t.Fatal(err)
			}
			for _, r := range records {
				m := l.last[right.subject("task", "record", taskHash(r.Key))]
				right.index.add("record."+taskHash(r.Key), m.Sequence, delivered{header: m.Header})
			}
			for i, r := range records {
				hash, _, _ := right.index.claimable(&mcptask.Claim{Server: "books", Tools: []string{"count"}}, right.clock.time(), 1)
				if hash != taskHash(r.Key) {
					t.Errorf("%s ahead: task %d is not the next one", d, i)
				}
				right.index.remove(taskHash(r.Key))
			}
			right.cancel(nil)
			wrong.cancel(nil)
		})
	}
}

// A lease that the server keeps too long, since its clock was ahead when the lease was written,
// ends in time unless it is renewed.
func TestLeaseOfWrongClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newTaskIndex()
		head := taskHead{ID: "a", Owner: "one", Attempt: 1, Expires: time.Now().Add(time.Hour)}
		x.add("record.h", 1, delivered{header: headerOf(t, head)})
		lease := delivered{header: map[string][]string{ttlField: {"15s"}}}
		x.add("lease.h", 2, lease)
		time.Sleep(10 * time.Second)
		x.add("lease.h", 3, lease)
		for _, c := range []struct {
			after  time.Duration
			number uint64
			want   bool
		}{{15 * time.Second, 3, false}, {leaseSlack + time.Millisecond, 2, false}, {0, 4, false}, {0, 3, true}} {
			time.Sleep(c.after)
			if got := x.lapsed("h", c.number); got != c.want {
				t.Errorf("lease %d has lapsed: %t", c.number, got)
			}
		}
		if x.lapsed("other", 0) {
			t.Error("the lease of no task has lapsed")
		}
	})
}

// A request state that one replica has used counts as used for as long as any replica accepts it.
func TestStatesWithWrongClock(t *testing.T) {
	const life = 10 * time.Minute
	for _, d := range skews {
		synctest.Test(t, func(t *testing.T) {
			l := &leader{underWay: map[string]bool{}, last: map[string]*jetstream.RawStreamMsg{}}
			replica := func(own time.Duration) stateStore {
				c := &Cluster{js: l, name: "test", stop: make(chan struct{}), states: streamOf{leader: l}}
				c.clock.wall = ahead(own)
				c.clock.answer(0, d, 0)
				return stateStore{c}
			}
			right, wrong := replica(0), replica(d)
			expires := time.Now().Add(life)
			if first, err := wrong.Consume(t.Context(), "a", expires); err != nil || !first {
				t.Fatal(first, err)
			}
			for _, m := range l.last {
				if keep, err := time.ParseDuration(m.Header.Get(ttlField)); err != nil || keep != life+time.Minute {
					t.Errorf("%s ahead: the use is kept for %s, %v", d, keep, err)
				}
			}
			if first, err := right.Consume(t.Context(), "a", expires); err != nil || first {
				t.Errorf("%s ahead: used twice, %v", d, err)
			}
			time.Sleep(life + time.Minute)
			clear(l.last) // the server has removed it
			if first, err := wrong.Consume(t.Context(), "a", expires); err != nil || first {
				t.Errorf("%s ahead: used again after its time, %v", d, err)
			}
		})
	}
}

// A wrong clock neither removes keys nor prevents the creation of new ones.
func TestKeysWithWrongClock(t *testing.T) {
	for _, d := range append([]time.Duration{-30 * keyPeriod, 30 * keyPeriod}, skews...) {
		synctest.Test(t, func(t *testing.T) {
			l := &leader{underWay: map[string]bool{}, last: map[string]*jetstream.RawStreamMsg{}}
			replica := func(own time.Duration) stateKeys {
				c := &Cluster{js: l, name: "test", stop: make(chan struct{}), keys: streamOf{leader: l}, settings: settings{secret: make([]byte, 16)}}
				c.clock.wall = ahead(own)
				c.clock.answer(0)
				return stateKeys{c}
			}
			right, wrong := replica(0), replica(d)
			for day := range 5 {
				for _, s := range []stateKeys{right, wrong, right} {
					if keys, err := s.StateKeys(t.Context()); err != nil || len(keys) != day+1 {
						t.Errorf("%s ahead, day %d: %d keys, %v", d, day, len(keys), err)
					}
				}
				time.Sleep(keyPeriod)
				right.clock.answer(0)
				wrong.clock.answer(0)
			}
			// A key with a future date, from an earlier version.
			now := time.Now()
			keys := renewKeys([]stateKey{{now.Add(d.Abs()), []byte("future")}, {now.Add(-time.Hour), []byte("old")}}, now)
			if len(keys) != 3 || keys[1].Created.After(now) || string(sealingFirst(keys, now)[0]) != "future" {
				t.Errorf("%d keys", len(keys))
			}
			if renewKeys(keys, now.Add(time.Hour)) != nil {
				t.Error("one more key after an hour")
			}
		})
	}
}

// The sequence numbers of a stream that is created again follow those that replicas have read, at
// any time.
func TestFirstNumber(t *testing.T) {
	now := time.Now()
	a := newAbsences()
	if got := a.firstNumber("s", now); got != uint64(now.UnixMilli()) {
		t.Errorf("the first number is %d", got)
	}
	a.last["s"] = uint64(now.UnixMilli()) + 500
	for _, d := range skews {
		if got := a.firstNumber("s", now.Add(d)); got <= a.last["s"] {
			t.Errorf("%s ahead: the first number is %d, and %d was read", d, got, a.last["s"])
		}
	}
}
