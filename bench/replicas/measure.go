package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// measurement contains the parameters of the measurements.
type measurement struct {
	dir    string
	calls  int // per round
	rounds int
	tasks  int
	kept   int // sessions and tasks for the measurement of memory
	rows   []string
}

// measure prints the figures for docs/serve/replicas.md as Markdown tables.
func measure(args []string) (err error) {
	flags := flag.NewFlagSet("replicas", flag.ContinueOnError)
	m := measurement{}
	flags.IntVar(&m.calls, "calls", 5000, "calls of a round")
	flags.IntVar(&m.rounds, "rounds", 9, "rounds; the servers that are compared take turns")
	flags.IntVar(&m.tasks, "tasks", 400, "tasks of each store")
	flags.IntVar(&m.kept, "kept", 2000, "sessions and tasks whose memory is measured")
	page := flags.String("docs", "", "a page between whose marks the tables are written")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if m.dir, err = os.MkdirTemp("", "replicas"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(m.dir) }()
	for _, part := range []func() error{m.compareCalls, m.compareReplicas, m.compareStores, m.measureMemory} {
		if err := part(); err != nil {
			return err
		}
	}
	text := strings.Join(m.rows, "\n")
	fmt.Println(text)
	if *page == "" {
		return nil
	}
	return replaceFigures(*page, text)
}

// The marks around the figures in the page.
const beginMark, endMark = "<!-- figures of bench/replicas -->", "<!-- end of the figures -->"

func replaceFigures(page, text string) error {
	old, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(old), beginMark)
	_, after, ended := strings.Cut(rest, endMark)
	if !found || !ended {
		return fmt.Errorf("%s has not the marks %q and %q", page, beginMark, endMark)
	}
	return os.WriteFile(page, []byte(before+beginMark+"\n\n"+text+"\n\n"+endMark+after), 0o600)
}

func (m *measurement) row(cells ...any) {
	var b strings.Builder
	for _, c := range cells {
		fmt.Fprintf(&b, "| %v ", c)
	}
	m.rows = append(m.rows, b.String()+"|")
}

func (m *measurement) heading(cells ...any) {
	if len(m.rows) > 0 {
		m.rows = append(m.rows, "")
	}
	m.row(cells...)
	m.rows = append(m.rows, strings.Repeat("|---", 1)+strings.Repeat("|--:", len(cells)-1)+"|")
}

// deployed starts a deployment in a separate folder.
func (m *measurement) deployed(name string, servers, replicas int, o deployOptions) (*deployment, error) {
	dir := filepath.Join(m.dir, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	o.quiet = true
	return deploy(dir, servers, replicas, o)
}

// micros formats a duration in microseconds.
func micros(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d)/float64(time.Microsecond)) }

// compareCalls compares the CPU time of all processes of a replica in a cluster and of a server
// alone.
func (m *measurement) compareCalls() error {
	alone, err := m.deployed("alone", 0, 1, deployOptions{})
	if err != nil {
		return err
	}
	defer alone.end()
	joined, err := m.deployed("joined", 1, 1, deployOptions{})
	if err != nil {
		return err
	}
	defer joined.end()
	m.heading("CPU of all processes", "alone, µs", "in a cluster, µs", "ratio", "writes of JetStream")
	for _, kind := range []struct {
		name           string
		session        bool
		tool           string
		events         int
		calls, callers int
	}{
		{"a call of 2026-07-28", false, "add", 0, m.calls, 8},
		{"a call in a session", true, "add", 0, m.calls, 8},
		{"an event that a client can resume", true, "events", eventsOfCall, max(1, m.calls/50), 8},
	} {
		var own, shared []time.Duration
		writes := uint64(0)
		for range m.rounds {
			for _, side := range []struct {
				d     *deployment
				times *[]time.Duration
			}{{alone, &own}, {joined, &shared}} {
				c, err := newCaller(side.d.address(0), kind.session)
				if err != nil {
					return err
				}
				if _, err := c.many(kind.tool, 100, kind.callers); err != nil { // to warm up
					return err
				}
				before, written := side.d.cpu(), side.d.written()
				if _, err := c.many(kind.tool, kind.calls, kind.callers); err != nil {
					return err
				}
				*side.times = append(*side.times, (side.d.cpu()-before)/time.Duration(kind.calls*max(1, kind.events)))
				writes += side.d.written() - written
			}
		}
		ratios := make([]float64, len(own))
		for i := range own {
			ratios[i] = float64(shared[i]) / float64(own[i])
		}
		slices.Sort(ratios)
		m.row(kind.name, micros(median(own)), micros(median(shared)), fmt.Sprintf("%.2f (%.2f to %.2f)", ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1]),
			fmt.Sprintf("%.2f", float64(writes)/float64(m.rounds*kind.calls*max(1, kind.events))))
	}
	return nil
}

func median(d []time.Duration) time.Duration {
	d = slices.Clone(d)
	slices.Sort(d)
	return d[len(d)/2]
}

// compareReplicas measures a call and a task with an increasing number of replicas, which get
// requests in turn.
func (m *measurement) compareReplicas() error {
	m.heading("replicas", "a call in a session, µs", "messages of NATS", "a task, µs", "messages of NATS")
	for _, n := range []int{1, 2, 3, 5} {
		d, err := m.deployed(fmt.Sprint("replicas", n), 1, n, deployOptions{})
		if err != nil {
			return err
		}
		var callers []*caller
		for i := range n {
			c, err := newCaller(d.address(i), true)
			if err != nil {
				return err
			}
			callers = append(callers, c)
		}
		each := func(tool string, calls int) (cpu time.Duration, messages float64, err error) {
			for _, c := range callers {
				if _, err := c.many(tool, 20, 4); err != nil {
					return 0, 0, err
				}
			}
			before, sent := d.cpu(), d.messages()
			for _, c := range callers {
				if _, err := c.many(tool, calls/n, 4); err != nil {
					return 0, 0, err
				}
			}
			done := time.Duration(calls / n * n)
			return (d.cpu() - before) / done, float64(d.messages()-sent) / float64(done), nil
		}
		var cpu []time.Duration
		var messages float64
		for range m.rounds {
			var one time.Duration
			if one, messages, err = each("add", m.calls); err != nil {
				return err
			}
			cpu = append(cpu, one)
		}
		task, taskMessages, err := each("quick", m.tasks)
		if err != nil {
			return err
		}
		m.row(n, micros(median(cpu)), fmt.Sprintf("%.2f", messages), micros(task), fmt.Sprintf("%.1f", taskMessages))
		d.end()
	}
	return nil
}

// compareStores measures tasks from the call to the result.
func (m *measurement) compareStores() error {
	m.heading("tasks in", "a second", "p50, ms", "p99, ms", "CPU, ms")
	for _, s := range []struct {
		name            string
		servers, copies int
		o               deployOptions
	}{
		{"memory", 0, 0, deployOptions{}},
		{"SQLite", 0, 0, deployOptions{sqlite: true}},
		{"JetStream, one copy", 1, 1, deployOptions{}},
		{"JetStream, one copy, `sync_interval: always`", 1, 1, deployOptions{syncAlways: true}},
		{"JetStream, three copies", 3, 3, deployOptions{}},
		{"JetStream, three copies, `sync_interval: always`", 3, 3, deployOptions{syncAlways: true}},
	} {
		d, err := m.deployed(strings.Map(func(r rune) rune {
			if r == '`' || r == ':' || r == ' ' {
				return '-'
			}
			return r
		}, s.name), s.servers, 1, s.o)
		if err != nil {
			return err
		}
		c, err := newCaller(d.address(0), true)
		if err != nil {
			return err
		}
		if _, err := c.many("quick", 20, 8); err != nil {
			return err
		}
		before, begin := d.cpu(), time.Now()
		times, err := c.many("quick", m.tasks, 8)
		if err != nil {
			return err
		}
		took, cpu := time.Since(begin), d.cpu()-before
		slices.Sort(times)
		millis := func(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()*1000) }
		m.row(s.name, fmt.Sprintf("%.0f", float64(m.tasks)/took.Seconds()), millis(times[len(times)/2]), millis(times[len(times)*99/100]),
			fmt.Sprintf("%.2f", (cpu/time.Duration(m.tasks)).Seconds()*1000))
		d.end()
	}
	return nil
}

// measureMemory measures the memory of idle sessions and tasks.
func (m *measurement) measureMemory() error {
	d, err := m.deployed("memory-of", 1, 1, deployOptions{})
	if err != nil {
		return err
	}
	defer d.end()
	m.heading("memory", "of the replica, KB", "of the NATS server, KB")
	measure := func(name string, add func() error) error {
		heap, rss := d.heap(), d.rss()
		for range m.kept {
			if err := add(); err != nil {
				return err
			}
		}
		kb := func(bytes int64) string { return fmt.Sprintf("%.1f", float64(bytes)/float64(m.kept)/1000) }
		m.row(name, kb(d.heap()-heap), kb(d.rss()-rss))
		return nil
	}
	if err := measure("a session that is open and idle", func() error { _, err := newCaller(d.address(0), true); return err }); err != nil {
		return err
	}
	c, err := newCaller(d.address(0), true)
	if err != nil {
		return err
	}
	return measure("a task that has ended and is kept", func() error { return c.call(context.Background(), "quick") })
}
