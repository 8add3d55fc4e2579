package main

import (
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Replicas are replaced one after the other, with SIGTERM, under the load of TestSoak: no request
// fails.
func TestRolling(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	d, l := deployed(t)
	loading := make(chan struct{})
	go func() {
		defer close(loading)
		l.run(t.Context(), 25*time.Second)
	}()
	time.Sleep(3 * time.Second)
	for _, c := range d.replicas {
		d.ledger.with(func() { d.ledger.replaced++ })
		if err := c.signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		if err := c.wait(); err != nil {
			t.Errorf("%s ends with %v", c.name, err)
		}
		t.Logf("%s has ended after %s", c.name, time.Since(begin).Round(time.Millisecond))
		if err := c.start(); err != nil {
			t.Fatal(err)
		}
		if err := d.whole(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	<-loading
	finish(t, d, l)
}

// pauseTime is longer than twice the lease of a task.
const pauseTime = 31 * time.Second

// A replica is paused for twice the lease: its runs lose their leases, and their results are not
// used.
func TestPausedReplica(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes more than a minute")
	}
	d, l := deployed(t)
	loading := make(chan struct{})
	go func() {
		defer close(loading)
		l.run(t.Context(), pauseTime+15*time.Second)
	}()
	time.Sleep(5 * time.Second)
	paused := d.replicas[1]
	d.awaitStep(t, paused)
	d.ledger.killed(pauseTime + failTime)
	if err := paused.signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	time.Sleep(pauseTime)
	if err := paused.signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	<-loading
	finish(t, d, l)
	log, err := os.ReadFile(paused.log)
	if err != nil {
		t.Fatal(err)
	}
	effects, err := d.effects()
	if err != nil {
		t.Fatal(err)
	}
	lost := 0
	for _, e := range effects {
		if e.kind == lostEffect && e.pid == paused.pid() {
			lost++
		}
	}
	if lost == 0 {
		t.Errorf("no run of the paused replica has lost its lease; its log:\n%s", log)
	}
	t.Logf("%d runs have lost their leases", lost)
}

// awaitStep waits until a replica begins a step of a task.
func (d *deployment) awaitStep(t *testing.T, c *child) {
	begin := time.Now()
	for {
		effects, err := d.effects()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range effects {
			if e.kind == stepEffect && e.pid == c.pid() && e.at.After(begin) {
				return
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// While NATS is down, calls of 2026-07-28 continue, operations that need NATS fail, and probes
// fail. When it is back, everything continues without a restart of a replica.
func TestAway(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes more than half a minute")
	}
	d, l := deployed(t)
	away := 12 * time.Second
	if *soak >= 5*time.Minute {
		away = time.Minute
	}
	ready := func(c *child) int {
		t.Helper()
		resp, err := http.Get(c.url)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	allReady := func() {
		t.Helper()
		for _, c := range d.replicas {
			if status := ready(c); status != http.StatusOK {
				t.Errorf("%s/ready has status %d", c.name, status)
			}
		}
	}
	allReady()
	for _, c := range d.servers {
		c.kill()
	}
	for _, c := range d.replicas {
		for ready(c) != http.StatusServiceUnavailable { // until it has noticed
			time.Sleep(20 * time.Millisecond)
		}
	}
	pids := []int{d.replicas[0].pid(), d.replicas[1].pid(), d.replicas[2].pid()}
	for begin := time.Now(); time.Since(begin) < away; time.Sleep(200 * time.Millisecond) {
		for _, c := range l.clients {
			if c.name == "modern0" {
				c.runCall(t.Context(), "add", "away-"+time.Now().Format("05.000"))
			}
		}
	}
	for _, c := range l.clients {
		if c.name == "tasks0" {
			if _, err := c.Call(t.Context(), "work", map[string]any{"nonce": "refused"}); err == nil || !strings.Contains(err.Error(), "503") {
				t.Errorf("a task without NATS: %v", err)
			}
		}
	}
	resp, err := http.Post("http://"+strings.TrimPrefix(strings.TrimSuffix(d.replicas[0].url, "/ready"), "http://")+"/mcp", "application/json",
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		t.Error("a session is opened without NATS")
	}
	if err := startAll(d.servers); err != nil {
		t.Fatal(err)
	}
	if err := d.whole(t.Context()); err != nil {
		t.Fatal(err)
	}
	allReady()
	d.ledger.with(func() { // the clients must send lost requests again
		for _, f := range d.ledger.failures {
			if strings.HasPrefix(f.what, "add away-") {
				t.Errorf("a call of 2026-07-28 without NATS: %+v", f)
			}
		}
	})
	l.run(t.Context(), 8*time.Second)
	finish(t, d, l)
	for i, c := range d.replicas {
		if c.pid() != pids[i] || c.cmd.ProcessState != nil {
			t.Errorf("%s has ended", c.name)
		}
	}
}
