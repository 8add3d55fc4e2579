package mcptask_test

import (
	"context"
	"errors"
	"iter"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// troubled is the store of the process that runs a task, which fails when the answer arrives at
// another process.
type troubled struct {
	mcptask.Store
	unaware bool // Watch reports no change
	behind  bool // Watch reports changes when the record has changed once more

	mu    sync.Mutex
	key   mcptask.Key     // key of the task
	stale *mcptask.Record // record that Get returns until then; if it is nil, Get fails
	until time.Time
}

func (s *troubled) Create(ctx context.Context, r *mcptask.Record, q mcptask.Quota, lease time.Duration) error {
	s.mu.Lock()
	s.key = r.Key
	s.mu.Unlock()
	return s.Store.Create(ctx, r, q, lease)
}

// trouble makes Get return the current task for a while, or an error.
func (s *troubled) trouble(t *testing.T, fails bool, lasts time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.until = time.Now().Add(lasts)
	if fails {
		return
	}
	var err error
	if s.stale, err = s.Store.Get(t.Context(), s.key); err != nil {
		t.Fatal(err)
	}
}

func (s *troubled) Get(ctx context.Context, k mcptask.Key) (*mcptask.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !time.Now().Before(s.until):
		return s.Store.Get(ctx, k)
	case s.stale == nil:
		return nil, errors.New("the store is busy")
	}
	return s.stale.Clone(), nil
}

func (s *troubled) Watch(ctx context.Context, k mcptask.Key) iter.Seq2[*mcptask.Record, error] {
	return func(yield func(*mcptask.Record, error) bool) {
		for r, err := range s.Store.Watch(ctx, k) {
			if s.behind && err == nil {
				r = r.Clone()
				r.Version--
			}
			if !yield(r, err) {
				return
			}
			if s.unaware {
				<-ctx.Done()
			}
		}
	}
}

// An answer that another process accepted reaches the handler that waits for it, and not only its
// next run: when the store works again, or has replicated it, and by the next renewal of the lease
// if it does not report the change.
func TestAcceptedAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		unaware, behind, fails bool
		lasts, most            time.Duration
	}{
		"no trouble":                   {most: 0},
		"a newer record":               {behind: true, most: 0},
		"a busy store":                 {fails: true, lasts: 100 * time.Millisecond, most: time.Second},
		"a store that fails":           {fails: true, lasts: 9 * time.Second, most: 10 * time.Second},
		"an old record":                {lasts: 100 * time.Millisecond, most: 150 * time.Millisecond},
		"an old record for long":       {lasts: 20 * time.Second, most: 20*time.Second + 50*time.Millisecond},
		"a change without a report":    {unaware: true, most: 5 * time.Second},
		"that, and a store that fails": {unaware: true, fails: true, lasts: time.Second, most: 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			within(t, func(t *testing.T) {
				memory := mcptask.NewMemory()
				store := &troubled{Store: memory, unaware: c.unaware, behind: c.behind}
				runner, other := newServer(key, mcptask.WithStore(store)), newServer(key, mcptask.WithStore(memory))
				defer mcptask.Shutdown(t.Context(), runner)
				defer mcptask.Shutdown(t.Context(), other)
				runs, ended := 0, time.Time{}
				ask := func(ctx context.Context) (string, error) {
					runs++
					text, err := confirm(ctx, "Sure?")
					ended = time.Now()
					return text, err
				}
				add(runner, "ask", mcptask.Support{}, ask)
				add(other, "ask", mcptask.Support{}, ask)
				id := connect(t, runner).begin("ask")
				time.Sleep(11 * time.Second)
				client := connect(t, other)
				question, _ := client.question(id)
				store.trouble(t, c.fails, c.lasts)
				answered := time.Now()
				client.answer(id, question)
				time.Sleep(40 * time.Second)
				client.is(id, "completed", "accepttrue")
				if d := ended.Sub(answered); runs != 1 || d < min(c.lasts, c.most) && !c.unaware || d > c.most {
					t.Errorf("the handler goes on %s after the answer, want at most %s, and has run %d times", d, c.most, runs)
				}
			})
		})
	}
}
