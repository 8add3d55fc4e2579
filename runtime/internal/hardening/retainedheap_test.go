//go:build !race

package hardening_test

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// alone reports whether this process runs only this test. Otherwise it runs the test in a process
// of its own: pools and stacks of earlier tests would count.
func alone(t *testing.T) bool {
	t.Helper()
	if os.Getenv(kindVariable) == t.Name() {
		return true
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	runAlone(t, exe, t.Name(), t.Name())
	return false
}

// runAlone runs a test in another process, and prints its output.
func runAlone(t *testing.T, exe, test, kind string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), exe, "-test.run", "^"+test+"$", "-test.v")
	cmd.Env = append(os.Environ(), kindVariable+"="+kind)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if _, text, ok := strings.Cut(line, "_test.go:"); ok {
			t.Log(strings.TrimSpace(text))
		}
	}
}

// kindVariable names the only kind, or the test, that a process measures.
const kindVariable = "HARDENING_KIND"

// eachKind measures kinds, each in a process of its own. In one process, memory that the server of
// the kind before still frees would count.
func eachKind(t *testing.T, measure func(t *testing.T, r retained)) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	only, child := os.LookupEnv(kindVariable)
	for _, r := range kept {
		switch {
		case !child:
			t.Run(r.kind, func(t *testing.T) {
				runAlone(t, exe, strings.Split(t.Name(), "/")[0], r.kind)
			})
		case r.kind == only:
			measure(t, r)
		}
	}
}

// keptHeap returns the bytes of the heap that survive a collection outside of pools.
func keptHeap() uint64 {
	for range 3 {
		runtime.GC()
	}
	return heap()
}

// TestRetained makes a server store as many of each kind as clients can, each of the maximal size,
// and measures the bytes of one.
func TestRetained(t *testing.T) {
	eachKind(t, func(t *testing.T, r retained) {
		k := newKeeper(t, 0)
		few := max(2, r.number/20)
		fill := func(i int) {
			t.Helper()
			if err := r.fill(k, i); err != nil {
				t.Fatal(err)
			}
		}
		for i := range few { // pools and tables
			fill(i)
		}
		before := keptHeap()
		for i := range r.number {
			fill(few + i)
		}
		each := (int64(keptHeap()) - int64(before)) / int64(r.number)
		if each > int64(r.each) {
			t.Errorf("each takes %d bytes, and at most %d are documented", each, r.each)
		}
		if 8*each < int64(r.each) {
			t.Errorf("each takes %d bytes, far less than the %d that are documented", each, r.each)
		}
		t.Logf("%d bytes each", each)
	})
}

// TestRetainedInMemory makes a server with little memory store as many of each kind as it accepts,
// and checks that they stay below Limits.Memory. Then it still answers small messages.
func TestRetainedInMemory(t *testing.T) {
	const memory = 8 << 20
	eachKind(t, func(t *testing.T, r retained) {
		if !strings.Contains(r.all, "`Memory`") {
			return
		}
		k := newKeeper(t, memory)
		before := keptHeap()
		number, most := 0, 8*memory/r.each
		if r.kind == endedTask { // the oldest make room
			most /= 2
		}
		for ; number < most; number++ {
			if err := r.fill(k, number); errors.Is(err, errOverloaded) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if number == most && !strings.Contains(r.client, "`EventBytes`") && r.kind != endedTask { // they make room for others
			t.Errorf("%d are kept", number)
		}
		grown := int64(keptHeap()) - int64(before)
		t.Logf("%d are kept, %d KiB are live", number, grown>>10)
		if grown > memory+memory/4 { // heap blocks have sizes in steps of an eighth
			t.Errorf("%d are kept, and %d KiB are live", number, grown>>10)
		}
		w := newBare()
		k.post(k.ctx, w, number+1, `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{`+modernMeta+`}}}`,
			"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: server/discover")
		if err := w.wantsStatus(http.StatusOK); err != nil {
			t.Error(err)
		}
	})
}
