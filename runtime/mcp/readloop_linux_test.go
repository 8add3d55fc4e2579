package mcp_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// TestLockedThreadEnds tests a handler that keeps its thread locked. The runtime ends such a thread
// with its goroutine, so other server goroutines never run on it.
func TestLockedThreadEnds(t *testing.T) {
	s := mcp.NewServer(fixtureInfo(), quiet)
	tool(s, "lock", func(context.Context) (string, error) {
		runtime.LockOSThread()
		return fmt.Sprintf("thread %d.", syscall.Gettid()), nil
	})
	client := connect(t, s)
	for i := range 5 {
		_, text, _ := strings.Cut(client(call(i+1, "lock", "{}")), "thread ")
		number, _, ok := strings.Cut(text, ".")
		thread, err := strconv.Atoi(number)
		if !ok || err != nil {
			t.Fatalf("no thread in the answer: %v", err)
		}
		if thread == os.Getpid() {
			continue // the runtime never ends the main thread
		}
		for { // if the thread goes on, the timeout of go test fails the test
			if _, err := os.Stat(fmt.Sprintf("/proc/self/task/%d", thread)); err != nil {
				break
			}
			runtime.Gosched()
		}
	}
}
