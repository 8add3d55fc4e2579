//go:build cost

package hardening_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/pprof"
	"slices"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

func init() { programs["unreliable"] = unreliableProgram }

// TestClientSoak has many clients of mcpclient use servers that restart, stall, break connections
// and stop answering, over all transports: over real sockets and with real processes. Each call
// returns with its own result or an error that tells whether it may have run; a tool that must not
// run twice does not; and at the end nothing is left.
func TestClientSoak(t *testing.T) {
	clients := *soakClients
	if clients == 0 {
		clients = 33
		if *soakTime >= time.Minute {
			clients = 200
		}
	}
	var servers []*unreliable
	for _, transport := range soakTransports {
		for _, e := range transport.eras {
			servers = append(servers, newUnreliable(t, transport.name, e, true))
		}
	}
	run := func(servers []*unreliable, clients int, d time.Duration) *clientSoak {
		k := newClientSoak(t, servers, time.Now().Add(d))
		k.run(clients, 1<<62)
		return k
	}
	run(servers, clients, *soakTime/6) // objects created on first use are not leaks
	before := rest(nil, 20*time.Second)
	before.goroutines += 2 // a handler has a goroutine while it has sessions, which expire after the test
	files := testbed.OpenFiles()
	k := run(servers, clients, *soakTime)
	// On a slow machine, a process that starts beside many clients does not answer in time. Those
	// servers are used by one client each.
	for range 20 {
		unused := slices.DeleteFunc(slices.Clone(servers), (*unreliable).served)
		if len(unused) == 0 {
			break
		}
		t.Logf("%d servers have run no call yet", len(unused))
		run(unused, len(unused), *soakTime)
	}
	for _, s := range servers { // the ledgers of many calls take memory
		s.checkLedger()
		s.emptyLedger()
	}
	after := rest(&before, 30*time.Second)
	t.Logf("%d clients for %v: %s", clients, *soakTime, k.summary())
	t.Logf("goroutines: %d before, %d after; heap: %.2f MB before, %.2f after; files: %d before, %d after",
		before.goroutines, after.goroutines, mega(before.heap), mega(after.heap), files, testbed.OpenFiles())
	if !after.like(before) {
		t.Error("clients have left something behind")
		_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
	}
	if now := testbed.OpenFiles(); now > files+files/20+2 {
		t.Errorf("%d files are open, %d before", now, files)
	}
	for _, s := range servers {
		s.close()
	}
}

func (k *clientSoak) summary() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return counts(k.outcomes)
}

// served reports whether a call has run.
func (s *unreliable) served() bool {
	s.ledgerMu.Lock()
	defer s.ledgerMu.Unlock()
	if s.file == "" {
		return len(s.runs) > 0
	}
	info, err := os.Stat(s.file)
	return err == nil && info.Size() > 0
}

// emptyLedger forgets all calls.
func (s *unreliable) emptyLedger() {
	s.ledgerMu.Lock()
	defer s.ledgerMu.Unlock()
	s.calls, s.runs = map[string]soakCall{}, map[string]int{}
}

// exitStatus is the exit status of a program that exits by itself.
const exitStatus = 3

// unreliableProgram is a program of the soak, which exits from time to time.
func unreliableProgram() int {
	ledger, err := os.OpenFile(os.Getenv(ledgerVariable), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	server := mcp.NewServer(mcp.ServerInfo{Name: "unreliable", Version: "1"}, mcp.WithLogger(slog.New(slog.DiscardHandler)), mcp.WithStateKeys(soakKey))
	registerSoak(server, func(token string) {
		_, _ = io.WriteString(ledger, token+"\n")
	}, func() { os.Exit(exitStatus) }, &realSoakTimes)
	if err := server.ServeStdio(context.Background()); err != nil {
		return 1
	}
	return 0
}
