package mcphttp

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/internal/httpfield"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// retained returns the messages that a session stores, the oldest first.
func (se *session) retained() (all []string) {
	next := map[*stream]int{}
	for _, k := range se.byAge {
		all = append(all, string(k.stream.messages[next[k.stream]].text))
		next[k.stream]++
	}
	return all
}

// resumableStream returns a stream of the session that stores its messages. Its response is
// attached and has written the first one.
func (se *session) resumableStream(first string) *stream {
	s := newStream(se, 1000, se.memory)
	s.attach()
	s.Notify([]byte(first))
	s.next(s.current, true, false)
	return s
}

// Shed drops one message: the oldest that is not about to be written, unless it is newer than the
// given age, since another session then has an older one.
func TestShed(t *testing.T) {
	se, _ := newTestSession()
	one, two := se.resumableStream("a"), se.resumableStream("b")
	one.Notify([]byte("c")) // waits to be written
	two.Notify([]byte("d"))
	two.next(two.current, true, false)
	age := func(i int) uint64 { return se.byAge[i].age }
	for _, step := range []struct {
		asked  uint64
		left   string
		oldest int // index of the message whose age is returned, or -1
	}{
		{age(0) - 1, "[a b c d]", 0},
		{age(0), "[b c d]", 0},
		{age(1), "[c d]", 0},
		{age(3), "[c]", -1}, // c waits
		{age(3), "[c]", -1},
	} {
		oldest, more := se.Shed(step.asked)
		if got := fmt.Sprint(se.retained()); got != step.left {
			t.Fatalf("asked for %d: %s are left, want %s", step.asked, got, step.left)
		}
		if more != (step.oldest >= 0) || more && oldest != age(step.oldest) {
			t.Errorf("asked for %d: the oldest is %d, %t", step.asked, oldest, more)
		}
		if se.listed != more {
			t.Errorf("asked for %d: listed %t", step.asked, se.listed)
		}
	}
	if se.bytes != len("c") {
		t.Errorf("%d bytes are counted", se.bytes)
	}
}

// A complete stream is removed when its last message is dropped; the messages of streams that were
// removed before are dropped with them.
func TestStreamsAreForgotten(t *testing.T) {
	se, _ := newTestSession()
	running, ended := se.resumableStream("a"), se.resumableStream("b")
	ended.Reply([]byte("c"), 0)
	ended.next(ended.current, true, false)
	ended.detach(ended.current)
	se.limits.EventBytes = 0
	se.mu.Lock()
	se.evict()
	se.mu.Unlock()
	if len(se.byAge) != 0 || se.bytes != 0 || se.memory.Used() != 0 {
		t.Errorf("%d messages, %d bytes are stored, %d are charged", len(se.byAge), se.bytes, se.memory.Used())
	}
	if se.find(running.number) != running || se.find(ended.number) != nil {
		t.Error("want the running stream, and not the one that has ended")
	}
	if size, ok := ended.evict(); size != 0 || !ok {
		t.Errorf("nothing is dropped: %d, %t", size, ok)
	}
}

// A closed session does not accept requests.
func TestSessionEndsOnce(t *testing.T) {
	se, conn := newTestSession()
	se.memory.Force(sessionCost)
	if !se.acquire() {
		t.Fatal("an open session takes no request")
	}
	for range 2 {
		se.close()
	}
	if se.acquire() || se.busy != 1 {
		t.Errorf("a session that has ended takes a request: %d", se.busy)
	}
	if conn.closed == 0 || se.memory.Used() != 0 {
		t.Errorf("closed %d times, %d bytes are charged", conn.closed, se.memory.Used())
	}
}

// A session with a request or a running call is not idle.
func TestIdleTime(t *testing.T) {
	for _, test := range []struct {
		busy, active int
		want         time.Duration
	}{{0, 0, time.Hour}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}} {
		se, conn := newTestSession()
		now := time.Now()
		se.lastUsed, se.busy, conn.active = now.Add(-time.Hour), test.busy, test.active
		if got := se.idle(now); got != test.want {
			t.Errorf("%+v: idle for %v", test, got)
		}
	}
}

// A session makes room for one other, if it has been idle for a minute. If the limit is still
// reached, no session is opened.
func TestSessionsMakeRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := mcp.NewServer(mcp.ServerInfo{Name: "t", Version: "1"}).Transport()
		stopping := make(chan struct{})
		defer close(stopping)
		most := &Limits{Sessions: 3, IdleTime: time.Hour, EventTime: time.Minute}
		all := newSessions(most, 100, "http", stopping, nil)
		who := &requester{client: clientlimit.Of("", netip.Addr{})}
		for range 3 {
			if all.open(host, who, true) == nil {
				t.Fatal("no session")
			}
		}
		if all.open(host, who, true) != nil || len(all.all()) != 3 {
			t.Fatal("a session has made room at once")
		}
		time.Sleep(minIdle)
		if all.open(host, who, true) == nil || len(all.all()) != 3 {
			t.Error("an idle session has made no room")
		}
		most.Sessions = 2 // as if others had been quicker
		if all.open(host, who, true) != nil || len(all.all()) != 2 {
			t.Errorf("%d sessions", len(all.all()))
		}
		for _, se := range all.all() {
			all.end(se)
		}
		time.Sleep(time.Minute) // no session is left that may expire
		synctest.Wait()
		all.mu.Lock()
		defer all.mu.Unlock()
		if all.expiring {
			t.Error("what expires sessions still runs")
		}
		if used := host.Memory().Used(); used != 0 {
			t.Errorf("%d bytes are charged", used)
		}
	})
}

// A batch in a session whose initialize has just failed is refused: it has no revision.
func TestBatchWithoutRevision(t *testing.T) {
	h := NewHandler(mcp.NewServer(mcp.ServerInfo{Name: "t", Version: "1"}))
	defer h.Close()
	se, conn := newTestSession()
	se.id, conn.revision = "failed", nil
	se.memory.Force(sessionCost)
	h.sessions.byID[se.id] = se
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/", strings.NewReader(`[{"jsonrpc":"2.0","method":"notifications/initialized"}]`))
	r.Header = http.Header{"Content-Type": {httpfield.JSON}, httpfield.SessionID: {se.id}}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "batches are not part") {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}
