package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/replicatest"
)

// replica is a server with a client that has subscribed to test://motto and to the list of
// resources.
type replica struct {
	*mcp.Server
	*peer
}

// newReplicas returns two replicas; the client of the second has no session.
func newReplicas(t *testing.T, p mcp.PubSub, options ...mcp.Option) (one, other replica) {
	t.Helper()
	for i, r := range []*replica{&one, &other} {
		r.Server = mcp.NewServer(fixtureInfo(), append([]mcp.Option{quiet, mcp.WithPubSub(p)}, options...)...)
		r.Register(motto)
		r.Register(named("early", "Early"))
		r.peer = dial(t, r.Server, "memory")
		if i == 0 {
			r.send(lines(initialize("2025-11-25"), initialized, request(1, "resources/subscribe", `{"uri":"test://motto"}`)))
		} else {
			r.send(lines(request(1, "subscriptions/listen",
				`{`+modernMeta+`,"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["test://motto"]}}`)))
		}
		synctest.Wait()
		r.received()
	}
	return one, other
}

const resourcesChanged, resourceUpdated = "notifications/resources/list_changed", "notifications/resources/updated"

// expectOnly checks that exactly these notifications were received, by their methods.
func (r replica) expectOnly(methods ...string) {
	r.t.Helper()
	time.Sleep(time.Second)
	synctest.Wait()
	got := r.received()
	if len(got) != len(methods) {
		r.t.Fatalf("received %q, expected %q", got, methods)
	}
	for i := range got {
		if !strings.Contains(got[i], `"`+methods[i]+`"`) {
			r.t.Errorf("received %s, expected %s", got[i], methods[i])
		}
	}
}

// A change of one replica reaches the clients of both, of either era.
func TestReplicasNotify(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := replicatest.NewPubSub()
		one, other := newReplicas(t, p)
		for _, r := range []replica{one, other} {
			r.ResourceUpdated("test://motto")
			one.expectOnly(resourceUpdated)
			other.expectOnly(resourceUpdated)
			r.ResourcesChanged()
			one.expectOnly(resourcesChanged)
			other.expectOnly(resourcesChanged)
		}
		one.ResourceUpdated("test://another")
		one.Register(named("late", "Late")) // features of one replica
		one.expectOnly(listChanged)
		other.expectOnly()
		p.Close()
		one.hangUp()
		other.hangUp()
	})
}

// Without a PubSub, ResourcesChanged notifies the clients of the process.
func TestResourcesChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, other := newReplicas(t, nil)
		one.ResourcesChanged()
		one.expectOnly(resourcesChanged)
		other.expectOnly()
		one.hangUp()
		other.hangUp()
		s := mcp.NewServer(fixtureInfo(), mcp.WithoutCapabilities(mcp.ServerResourcesListChanged))
		defer func() {
			if p := fmt.Sprint(recover()); !strings.Contains(p, "resources.listChanged") {
				t.Errorf("ResourcesChanged panics with %s", p)
			}
		}()
		s.ResourcesChanged()
	})
}

// Equal changes that follow each other are few notices, and the last change is not lost.
func TestManyChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &countingPubSub{PubSub: replicatest.NewPubSub()}
		one, other := newReplicas(t, p)
		for range 1000 {
			one.ResourceUpdated("test://motto")
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Second)
		if n := p.published(); n < 10 || n > 25 {
			t.Errorf("%d notices of 1000 equal changes in a second", n)
		}
		one.received()
		other.received()
		one.ResourceUpdated("test://motto")
		one.expectOnly(resourceUpdated)
		other.expectOnly(resourceUpdated)
		p.PubSub.(*replicatest.PubSub).Close()
		one.hangUp()
		other.hangUp()
	})
}

// The queue of changes is bounded: writers wait for room, and all changes arrive.
func TestWaitingChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &countingPubSub{PubSub: replicatest.NewPubSub(), delay: time.Millisecond}
		one, other := newReplicas(t, p)
		const changes = 20_000
		for i := range changes {
			one.ResourceUpdated(fmt.Sprintf("test://%d", i))
		}
		if n := p.published(); n < changes-2*4096 {
			t.Errorf("%d of %d are published: the rest waits in memory", n, changes)
		}
		time.Sleep(time.Minute)
		if n := p.published(); n != changes {
			t.Errorf("%d of %d are published", n, changes)
		}
		p.PubSub.(*replicatest.PubSub).Close()
		one.hangUp()
		other.hangUp()
	})
}

// While notices cannot be published, the clients of this replica are notified, and one log line
// reports that others are not.
func TestFailingPubSub(t *testing.T) {
	for name, fail := range map[string]func(context.Context) error{
		"error":                     func(context.Context) error { return errors.New("out of order") },
		"panic":                     func(context.Context) error { panic("out of order") },
		"silence":                   func(ctx context.Context) error { <-ctx.Done(); return context.Cause(ctx) },
		"a context that is ignored": func(context.Context) error { time.Sleep(time.Minute); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &countingPubSub{PubSub: replicatest.NewPubSub(), fail: fail}
				log := new(logBook)
				one, other := newReplicas(t, p, mcp.WithLogger(log.logger()))
				for range 3 {
					one.ResourceUpdated("test://motto")
					one.ResourcesChanged()
					time.Sleep(10 * time.Second)
					one.expectOnly(resourceUpdated, resourcesChanged)
				}
				other.expectOnly()
				if said := log.take(); strings.Count(said, "cannot be published") != 1 {
					t.Errorf("the log: %s", said)
				}
				p.setFail(nil)
				time.Sleep(10 * time.Second)
				one.expectOnly(resourceUpdated, resourcesChanged) // again
				other.expectOnly(resourceUpdated, resourcesChanged)
				one.ResourceUpdated("test://motto")
				one.expectOnly(resourceUpdated)
				other.expectOnly(resourceUpdated)
				if said := log.take(); !strings.Contains(said, "published again") {
					t.Errorf("the log: %s", said)
				}
				time.Sleep(time.Minute)
				p.PubSub.(*replicatest.PubSub).Close()
				one.hangUp()
				other.hangUp()
			})
		})
	}
}

// If notices cannot be published, changes beyond the limit become one notice that all may have
// changed; writers do not wait meanwhile.
func TestManyUnpublishedChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &countingPubSub{PubSub: replicatest.NewPubSub(), fail: func(context.Context) error { return errors.New("out of order") }}
		one, other := newReplicas(t, p)
		one.ResourceUpdated("test://motto")
		time.Sleep(time.Second)
		begin := time.Now()
		for i := range 10_000 {
			one.ResourceUpdated(fmt.Sprintf("test://%d", i))
		}
		if took := time.Since(begin); took > time.Second {
			t.Errorf("writers waited for %s", took)
		}
		other.expectOnly()
		before := p.published()
		p.setFail(nil)
		time.Sleep(5 * time.Second)
		if n := p.published() - before; n > 3 {
			t.Errorf("%d notices", n)
		}
		other.expectOnly(resourcesChanged, resourceUpdated)
		p.PubSub.(*replicatest.PubSub).Close()
		one.hangUp()
		other.hangUp()
	})
}

// After an error, a subscription goes on after the last notice.
func TestBrokenSubscription(t *testing.T) {
	for name, breaks := range map[string]func() error{
		"error":  func() error { return errors.New("broken") },
		"panic":  func() error { panic("broken") },
		"Goexit": func() error { runtime.Goexit(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &countingPubSub{PubSub: replicatest.NewPubSub(), breaks: breaks}
				one, other := newReplicas(t, p)
				for range 5 {
					one.ResourceUpdated("test://motto")
					time.Sleep(2 * time.Second)
					one.expectOnly(resourceUpdated)
					other.expectOnly(resourceUpdated)
				}
				p.mu.Lock()
				p.breaks = nil
				p.mu.Unlock()
				p.PubSub.(*replicatest.PubSub).Close()
				time.Sleep(2 * time.Second)
				one.hangUp()
				other.hangUp()
			})
		})
	}
}

// If notices are missed, clients are notified of everything that they subscribe to.
func TestMissedNotices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := make(chanPubSub)
		one, other := newReplicas(t, nil)
		one.hangUp()
		other.hangUp()
		s := mcp.NewServer(fixtureInfo(), quiet, mcp.WithPubSub(p))
		s.Register(motto)
		r := replica{s, dial(t, s, "memory")}
		r.send(lines(initialize("2025-11-25"), initialized, request(1, "resources/subscribe", `{"uri":"test://motto"}`)))
		synctest.Wait()
		r.received()
		p <- mcp.Notice{Sequence: 7, Data: []byte(`{"resource":"test://other"}`)} // the first one
		r.expectOnly()
		p <- mcp.Notice{Sequence: 7, Data: []byte(`{"resource":"test://motto"}`)} // again
		p <- mcp.Notice{Sequence: 3, Data: []byte(`{"resource":"test://motto"}`)}
		r.expectOnly()
		p <- mcp.Notice{Sequence: 9, Data: []byte(`{"resource":"test://other"}`)}
		r.expectOnly(resourcesChanged, resourceUpdated)
		for i, text := range []string{"", "x", "null", "[]", `{"resource":5}`, `{"resource":"test://motto","new":1}`} {
			p <- mcp.Notice{Sequence: uint64(10 + i), Data: []byte(text)}
		}
		r.expectOnly(resourceUpdated)
		close(p)
		r.hangUp()
	})
}

// chanPubSub delivers the notices of a test.
type chanPubSub chan mcp.Notice

func (chanPubSub) Publish(context.Context, []byte) error { return nil }

func (p chanPubSub) Subscribe(context.Context, uint64) iter.Seq2[mcp.Notice, error] {
	return func(yield func(mcp.Notice, error) bool) {
		for n := range p {
			if !yield(n, nil) {
				return
			}
		}
	}
}

// countingPubSub counts published notices, and can fail.
type countingPubSub struct {
	mcp.PubSub
	delay time.Duration

	mu     sync.Mutex
	count  int
	fail   func(context.Context) error
	breaks func() error // error of each subscription after one notice
}

func (p *countingPubSub) setFail(fail func(context.Context) error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fail = fail
}

func (p *countingPubSub) published() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count
}

func (p *countingPubSub) Publish(ctx context.Context, notice []byte) error {
	time.Sleep(p.delay)
	p.mu.Lock()
	fail := p.fail
	p.count++
	p.mu.Unlock()
	if fail != nil {
		return fail(ctx)
	}
	return p.PubSub.Publish(ctx, notice)
}

func (p *countingPubSub) Subscribe(ctx context.Context, after uint64) iter.Seq2[mcp.Notice, error] {
	return func(yield func(mcp.Notice, error) bool) {
		for n, err := range p.PubSub.Subscribe(ctx, after) {
			if !yield(n, err) {
				return
			}
			p.mu.Lock()
			breaks := p.breaks
			p.mu.Unlock()
			if breaks != nil {
				yield(mcp.Notice{}, breaks())
				return
			}
		}
	}
}
