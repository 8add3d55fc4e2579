package mcpws_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpws"
)

func TestClientCloses(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		c := s.open()
		c.say(call(1, "block", "{}"))
		synctest.Wait()
		c.frame(fin|closeFrame, "\x03\xe8bye")
		c.wants("close 1000 bye", "end EOF")
		s.cancelled()
		synctest.Wait()
		if log := s.log.String(); !strings.Contains(log, `level=DEBUG msg="connection ended"`) || strings.Contains(log, "failed") {
			t.Errorf("log %s", log)
		}
	})
}

func TestClientFails(t *testing.T) {
	for name, breaks := range map[string]func(*client){
		"connection lost":   func(c *client) { c.conn.Close() },
		"closed with error": func(c *client) { c.frame(fin|closeFrame, "\x03\xf3broken") },
	} {
		t.Run(name, func(t *testing.T) {
			visit(t, setup{}, func(t *testing.T, s *site) {
				c, other := s.open(), s.open()
				c.say(call(1, "block", "{}"))
				other.say(call(1, "gate", "{}"))
				synctest.Wait()
				breaks(c)
				synctest.Wait()
				s.cancelled()
				if log := s.log.String(); !strings.Contains(log, `level=INFO msg="connection failed"`) {
					t.Errorf("log %s", log)
				}
				close(s.release)
				other.wants("released")
			})
		})
	}
}

// A client that does not read is cut off after the time that a write may take, and
// nobody else waits for it.
func TestSlowReader(t *testing.T) {
	limits := mcp.WithLimits(mcp.Limits{QueueBytes: 10_000, WriteTime: 5 * time.Second})
	visit(t, setup{server: []mcp.Option{limits}}, func(t *testing.T, s *site) {
		c, other := s.openDeaf(), s.open()
		for i := range 50 {
			c.say(call(i, "big", `{"bytes":500}`))
		}
		c.say(call(100, "block", "{}"))
		synctest.Wait()
		c.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":100}}`)
		synctest.Wait()
		if len(s.causes) != 1 {
			t.Error("a cancellation is not heard")
		}
		other.say(ping(1))
		other.wants(pong(1))
		time.Sleep(4 * time.Second)
		c.frame(fin|pingFrame, "still there")
		time.Sleep(4 * time.Second)
		if _, err := io.Copy(io.Discard, c.conn); err != nil {
			t.Error(err)
		}
		if log := s.log.String(); !strings.Contains(log, "client does not read") {
			t.Errorf("the log does not say why: %s", log)
		}
	})
}

// What arrives at a client that never reads is bounded.
func TestFloodWithoutReading(t *testing.T) {
	visit(t, setup{server: []mcp.Option{mcp.WithLimits(mcp.Limits{QueueBytes: 10_000})}}, func(t *testing.T, s *site) {
		c := s.openDeaf()
		flood := []byte(strings.Repeat(string(masked(fin|textFrame, ping(1))), 100))
		sent := 0
		for {
			if _, err := c.conn.Write(flood); err != nil {
				break
			}
			if sent += len(flood); sent > 10<<20 {
				t.Fatal("goes on reading")
			}
		}
	})
}

// Nor is a client listened to for long that goes on after the end.
func TestFloodWhileClosing(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		c := s.openDeaf()
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			s.handler.Close()
		}()
		flood := []byte(strings.Repeat(string(masked(fin|textFrame, ping(1))), 100))
		sent := 0
		for {
			if _, err := c.conn.Write(flood); err != nil {
				break
			}
			if sent += len(flood); sent > 10<<20 {
				t.Error("goes on reading")
				c.conn.Close()
			}
		}
		<-closed
	})
}

func TestShutdown(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		busy, idle, mute := s.open(), s.open(), s.openDeaf()
		busy.say(call(1, "gate", "{}"), call(2, "gate", "{}"))
		synctest.Wait()
		started := time.Now()
		ended := make(chan error, 1)
		go func() { ended <- s.handler.Shutdown(t.Context()) }()
		idle.wants("close 1001")
		if status, _, _ := s.refused(); status != 503 {
			t.Errorf("status %d", status)
		}
		// Nothing new is taken, but the connection works.
		busy.say(call(3, "echo", "{}"))
		busy.frame(fin|pingFrame, "there?")
		busy.wants("pong there?")
		idle.frame(fin|closeFrame, "\x03\xe9")
		idle.wants("end EOF")
		time.Sleep(5 * time.Second)
		close(s.release)
		busy.wants("released", "released", "close 1001 the server ends the connection")
		if _, err := io.ReadAll(mute.conn); err != nil {
			t.Error(err)
		}
		busy.frame(fin|closeFrame, "\x03\xe9")
		if err := <-ended; err != nil || time.Since(started) > 6*time.Second {
			t.Errorf("Shutdown: %v after %v", err, time.Since(started))
		}
		busy.wants("end EOF")
		if err := s.handler.Shutdown(t.Context()); err != nil {
			t.Errorf("again: %v", err)
		}
	})
}

// What takes longer than the server drains is cancelled.
func TestShutdownIsBounded(t *testing.T) {
	visit(t, setup{server: []mcp.Option{mcp.WithLimits(mcp.Limits{DrainTime: 3 * time.Second})}}, func(t *testing.T, s *site) {
		c := s.open()
		c.say(call(1, "gate", "{}"))
		synctest.Wait()
		started := time.Now()
		if err := s.handler.Shutdown(t.Context()); err != nil || time.Since(started) > 5*time.Second {
			t.Errorf("Shutdown: %v after %v", err, time.Since(started))
		}
		s.cancelled()
	})
}

func TestShutdownEnds(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		c := s.open()
		c.say(call(1, "gate", "{}"))
		synctest.Wait()
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("no patience"))
		defer cancel()
		if err := s.handler.Shutdown(ctx); err == nil || err.Error() != "no patience" {
			t.Errorf("Shutdown: %v", err)
		}
		s.cancelled()
		time.Sleep(2 * time.Second)
		c.wants("context canceled", "close 1001", "end EOF")
	})
}

// A client that goes away meanwhile is not waited for.
func TestShutdownOfOneThatGoes(t *testing.T) {
	for name, leave := range map[string]func(*client){
		"closes":   func(c *client) { c.frame(fin|closeFrame, "\x03\xe8") },
		"vanishes": func(c *client) { c.conn.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			visit(t, setup{}, func(t *testing.T, s *site) {
				c := s.open()
				c.say(call(1, "gate", "{}"))
				synctest.Wait()
				started := time.Now()
				ended := make(chan error, 1)
				go func() { ended <- s.handler.Shutdown(t.Context()) }()
				synctest.Wait()
				leave(c)
				if err := <-ended; err != nil || time.Since(started) > time.Second {
					t.Errorf("Shutdown: %v after %v", err, time.Since(started))
				}
				s.cancelled()
			})
		})
	}
}

func TestClose(t *testing.T) {
	visit(t, setup{}, func(t *testing.T, s *site) {
		c, idle, mute := s.open(), s.open(), s.openDeaf()
		c.say(call(1, "block", "{}"))
		mute.say(call(1, "big", `{"bytes":1000000}`)) // which nobody reads
		synctest.Wait()
		started := time.Now()
		if err := s.handler.Close(); err != nil || time.Since(started) > 4*time.Second {
			t.Errorf("Close: %v after %v", err, time.Since(started))
		}
		c.wants("context canceled", "close 1001", "end EOF")
		idle.wants("close 1001", "end EOF")
		s.cancelled()
		if status, text, _ := s.refused(); status != 503 || !strings.Contains(text, "shutting down") {
			t.Errorf("status %d, %s", status, text)
		}
	})
}

// A client that does not even read the answer to its upgrade does not keep its place.
func TestUpgradeIsBounded(t *testing.T) {
	visit(t, setup{handler: []mcpws.Option{mcpws.WithConnections(1)}}, func(t *testing.T, s *site) {
		conn, err := s.net.Dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, request()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if status, _, _ := s.refused(); status != 503 {
			t.Errorf("status %d", status)
		}
		time.Sleep(13 * time.Second)
		c := s.open()
		// The deadline was for the upgrade alone.
		c.say(call(1, "gate", "{}"))
		time.Sleep(20 * time.Second)
		close(s.release)
		c.wants("released")
	})
}

// All revisions are served by one connection, with the session that it has.
func TestSession(t *testing.T) {
	spec.Holds(t, "S089")
	visit(t, setup{}, func(t *testing.T, s *site) {
		c := s.open()
		c.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
		c.wants(`"protocolVersion":"2025-03-26"`)
		c.say(fmt.Sprintf("[%s,%s]", ping(2), ping(3)), call(4, "echo", "{}"))
		c.wants(`text [{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","id":3,"result":{}}]`, `"resultType":"complete"`)
		other := s.open()
		other.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		other.wants("-32602")
	})
}
