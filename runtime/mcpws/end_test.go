package mcpws_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpws"
)

func TestClientCloses(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		c := s.open()
		c.send(testbed.Call(1, "block", "{}"))
		synctest.Wait()
		c.frame(fin|closeFrame, "\x03\xe8bye")
		c.want("close 1000 bye", "end EOF")
		s.tools.WantCancelled(t)
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
			serve(t, setup{}, func(t *testing.T, s *testServer) {
				c, other := s.open(), s.open()
				c.send(testbed.Call(1, "block", "{}"))
				other.send(testbed.Call(1, "gate", "{}"))
				synctest.Wait()
				breaks(c)
				synctest.Wait()
				s.tools.WantCancelled(t)
				if log := s.log.String(); !strings.Contains(log, `level=INFO msg="connection failed"`) {
					t.Errorf("log %s", log)
				}
				close(s.tools.Release)
				other.want("released")
			})
		})
	}
}

// A client that floods the server while the connection is closed is disconnected.
func TestFloodWhileClosing(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		c := s.openWithoutReading()
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			s.handler.Close()
		}()
		flood := []byte(strings.Repeat(string(testbed.MaskedFrame(fin|textFrame, testbed.Ping(1))), 100))
		sent := 0
		for {
			if _, err := c.conn.Write(flood); err != nil {
				break
			}
			if sent += len(flood); sent > 10<<20 {
				t.Error("the server goes on reading")
				c.conn.Close()
			}
		}
		<-closed
	})
}

func TestShutdown(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		busy, idle, notReading := s.open(), s.open(), s.openWithoutReading()
		busy.send(testbed.Call(1, "gate", "{}"), testbed.Call(2, "gate", "{}"))
		synctest.Wait()
		started := time.Now()
		ended := make(chan error, 1)
		go func() { ended <- s.handler.Shutdown(t.Context()) }()
		idle.want("close 1001")
		// Further requests are not read, but pings are answered.
		busy.send(testbed.Call(3, "echo", "{}"))
		busy.frame(fin|pingFrame, "there?")
		busy.want("pong there?")
		idle.frame(fin|closeFrame, "\x03\xe9")
		idle.want("end EOF")
		time.Sleep(5 * time.Second)
		close(s.tools.Release)
		busy.want("released", "released", "close 1001 the server ends the connection")
		if _, err := io.ReadAll(notReading.conn); err != nil {
			t.Error(err)
		}
		busy.frame(fin|closeFrame, "\x03\xe9")
		if err := <-ended; err != nil || time.Since(started) > 6*time.Second {
			t.Errorf("Shutdown: %v after %v", err, time.Since(started))
		}
		busy.want("end EOF")
		if err := s.handler.Shutdown(t.Context()); err != nil {
			t.Errorf("again: %v", err)
		}
	})
}

// A call that takes longer than DrainTime is cancelled.
func TestShutdownIsBounded(t *testing.T) {
	serve(t, setup{server: []mcp.Option{mcp.WithLimits(mcp.Limits{DrainTime: 3 * time.Second})}}, func(t *testing.T, s *testServer) {
		c := s.open()
		c.send(testbed.Call(1, "gate", "{}"))
		synctest.Wait()
		started := time.Now()
		if err := s.handler.Shutdown(t.Context()); err != nil || time.Since(started) > 5*time.Second {
			t.Errorf("Shutdown: %v after %v", err, time.Since(started))
		}
		s.tools.WantCancelled(t)
	})
}

// Shutdown does not wait for a client that disconnects.
func TestShutdownOfOneThatGoes(t *testing.T) {
	for name, leave := range map[string]func(*client){
		"closes":   func(c *client) { c.frame(fin|closeFrame, "\x03\xe8") },
		"vanishes": func(c *client) { c.conn.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			serve(t, setup{}, func(t *testing.T, s *testServer) {
				c := s.open()
				c.send(testbed.Call(1, "gate", "{}"))
				synctest.Wait()
				started := time.Now()
				ended := make(chan error, 1)
				go func() { ended <- s.handler.Shutdown(t.Context()) }()
				synctest.Wait()
				leave(c)
				if err := <-ended; err != nil || time.Since(started) > time.Second {
					t.Errorf("Shutdown: %v after %v", err, time.Since(started))
				}
				s.tools.WantCancelled(t)
			})
		})
	}
}

func TestClose(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		c, idle := s.open(), s.open()
		c.send(testbed.Call(1, "block", "{}"))
		synctest.Wait()
		if err := s.handler.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		c.want("context canceled", "close 1001", "end EOF")
		idle.want("close 1001", "end EOF")
		s.tools.WantCancelled(t)
		if status, text, _ := s.refused(); status != 503 || !strings.Contains(text, "shutting down") {
			t.Errorf("status %d, %s", status, text)
		}
	})
}

// A client that does not read the response to its upgrade is disconnected.
func TestUpgradeIsBounded(t *testing.T) {
	serve(t, setup{handler: []mcpws.Option{mcpws.WithLimits(mcpws.Limits{Connections: 1})}}, func(t *testing.T, s *testServer) {
		conn, err := s.network.Dial(t.Context())
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
		// The deadline applied to the upgrade only.
		c.send(testbed.Call(1, "gate", "{}"))
		time.Sleep(20 * time.Second)
		close(s.tools.Release)
		c.want("released")
	})
}

// Pings of a client that does not read do not extend WriteTime.
func TestPingsDoNotExtendWriteTime(t *testing.T) {
	serve(t, setup{server: []mcp.Option{mcp.WithLimits(mcp.Limits{WriteTime: 5 * time.Second})}}, func(t *testing.T, s *testServer) {
		c := s.openWithoutReading()
		c.send(testbed.Call(1, "big", `{"bytes":1000000}`))
		time.Sleep(4 * time.Second)
		c.frame(fin|pingFrame, "still there")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !strings.Contains(s.log.String(), "client does not read") {
			t.Errorf("the connection goes on: %s", s.log.String())
		}
	})
}

// One connection serves all revisions, even beside its session.
func TestSession(t *testing.T) {
	spec.Holds(t, "S089")
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		c := s.open()
		c.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
		c.want(`"protocolVersion":"2025-03-26"`)
		c.send(fmt.Sprintf("[%s,%s]", testbed.Ping(2), testbed.Ping(3)), testbed.Call(4, "echo", "{}"))
		c.want(`text [{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","id":3,"result":{}}]`, `"resultType":"complete"`)
		other := s.open()
		other.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		other.want("-32602")
	})
}
