package main

import (
	"context"
	"flag"
	"os"
	"slices"
	"sync"
	"testing"
	"time"
)

var (
	soak = flag.Duration("soak", time.Minute, "how long TestSoak has its load; from 5m on every server and replica is killed twice")
	keep = flag.String("keep", "", "the directory for files of processes; a temporary one if empty")
)

func TestMain(m *testing.M) {
	if runChild() {
		return
	}
	os.Exit(m.Run())
}

// deployed starts three servers, three replicas, a balancer and the clients.
func deployed(t *testing.T) (*deployment, *load) {
	dir := t.TempDir()
	if *keep != "" {
		dir = *keep
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	d, err := deploy(dir, 3, 3, deployOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.end)
	l := &load{url: d.front.URL, ledger: d.ledger}
	t.Cleanup(l.close)
	connecting, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := l.connect(connecting); err != nil {
		t.Fatal(err)
	}
	return d, l
}

// finish waits for all changes, reads tasks again, and reports all faults.
func finish(t *testing.T, d *deployment, l *load) {
	t.Helper()
	time.Sleep(2 * time.Second)
	reading, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	l.readTasks(reading)
	effects, err := d.effects()
	if err != nil {
		t.Fatal(err)
	}
	faults := d.ledger.check(effects)
	for i, f := range faults {
		if i == 30 {
			t.Errorf("and %d more", len(faults)-i)
			break
		}
		t.Error(f)
	}
	t.Log(d.ledger.summary(effects))
}

// killing kills processes, and starts them again after a pause.
func (d *deployment) killing(t *testing.T, children ...*child) {
	if err := d.whole(t.Context()); err != nil {
		t.Error(err)
	}
	failing := failTime
	if slices.ContainsFunc(children, func(c *child) bool { return c.kind == "nats" }) {
		failing += electionTime
	}
	d.ledger.killed(failing)
	var all sync.WaitGroup
	for _, c := range children {
		t.Logf("killing %s", c.name)
		all.Go(c.kill)
	}
	all.Wait()
	time.Sleep(2 * time.Second)
	for _, c := range children {
		if err := c.start(); err != nil {
			t.Error(err)
		}
	}
}

// Under load, servers and replicas are killed and started again. No accepted request is lost, and
// nothing happens twice.
func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes more than a minute")
	}
	d, l := deployed(t)
	var rounds [][]*child
	if *soak >= 5*time.Minute {
		for range 2 {
			for _, c := range slices.Concat(d.replicas, d.servers) {
				rounds = append(rounds, []*child{c})
			}
		}
		rounds = append(rounds, []*child{d.servers[0], d.replicas[0]})
	} else {
		rounds = [][]*child{{d.servers[0]}, {d.replicas[1]}, {d.servers[1], d.replicas[2]}}
	}
	loading := make(chan struct{})
	go func() {
		defer close(loading)
		l.run(t.Context(), *soak)
	}()
	pause := *soak / time.Duration(len(rounds)+1)
	for _, children := range rounds {
		next := time.After(pause)
		time.Sleep(pause / 2)
		d.killing(t, children...)
		<-next
	}
	<-loading
	finish(t, d, l)
}
