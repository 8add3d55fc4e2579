package main

import (
	"errors"
	"fmt"
	"time"
)

// cell is a cell of the table, with the samples of each server.
type cell struct {
	Over     string              `json:"over"`
	Scenario string              `json:"scenario"`
	At       int                 `json:"at"`
	Samples  map[string][]sample `json:"samples"`
	Without  map[string]string   `json:"without,omitempty"` // why a server has no samples
}

// matrix returns the loads: all over stdio and over HTTP with sessions, and over the other
// transports those that show a difference.
func matrix() (loads []*load) {
	for _, t := range transports {
		for _, s := range scenarios {
			if t.modern && s.legacy {
				continue
			}
			for _, at := range []int{1, 64, 512} {
				main := t.name == "stdio" || t.name == "http-session"
				switch {
				case at == 512 && s.big:
					continue // more than a gigabyte of concurrent answers
				case !main && (at != 64 || s.big || s.name == "report"):
					continue
				}
				loads = append(loads, &load{scenario: s, over: t, at: at})
			}
		}
	}
	return loads
}

// effort contains the repetitions and durations of a measurement.
type effort struct {
	repetitions int
	warm        time.Duration
	measured    time.Duration
	starts      int   // per variant
	tools       []int // per variant
	held        int   // sessions and streams
}

var (
	thorough = effort{
		repetitions: 5, warm: 200 * time.Millisecond, measured: 500 * time.Millisecond,
		starts: 10, tools: []int{10, 200, 1000}, held: 5000,
	}
	// quick only checks that everything works and that all answers are correct.
	quick = effort{repetitions: 1, warm: time.Millisecond, measured: time.Millisecond, starts: 1, tools: []int{10}, held: 200}
)

// table takes all samples: each repetition of a load covers all servers before the next one begins,
// so that other load of the machine affects all servers alike.
func (w *workshop) table(loads []*load, e effort) (cells []*cell, err error) {
	for _, l := range loads {
		c := &cell{Over: l.over.name, Scenario: l.scenario.name, At: l.at, Samples: map[string][]sample{}, Without: map[string]string{}}
		l.warm, l.measured = e.warm, e.measured
		cells = append(cells, c)
		for _, server := range servers {
			if why := cannot(server, l); why != "" {
				c.Without[server] = why
			}
		}
	}
	var failures []error
	for repetition := range e.repetitions {
		began := time.Now()
		for i, l := range loads {
			for _, server := range servers {
				c := cells[i]
				if c.Without[server] != "" {
					continue
				}
				s, err := l.try(w.bin, server)
				if err != nil {
					failures = append(failures, err)
					c.Without[server] = "failed"
					w.say("%v\n", err)
					continue
				}
				c.Samples[server] = append(c.Samples[server], s)
			}
		}
		w.say("repetition %d of %d: %.0f s\n", repetition+1, e.repetitions, time.Since(began).Seconds())
	}
	return cells, errors.Join(failures...)
}

// cannot returns why a server is not measured: its answers are known to violate the protocol.
func cannot(server string, l *load) string {
	if server == "mcpgo" && l.scenario.events {
		return "some notifications come after the answer, some not at all"
	}
	return ""
}

// starts contains the starts of all variants.
type starts struct {
	Tools   int                      `json:"tools"`
	Samples map[string][]startSample `json:"samples"`
}

func (w *workshop) startUps(e effort) (all []starts, err error) {
	for _, tools := range e.tools {
		if err := w.buildVariants(tools); err != nil {
			return nil, err
		}
		one := starts{Tools: tools, Samples: map[string][]startSample{}}
		for range e.starts {
			for _, server := range servers {
				s, _, err := w.startUp(variant{server, tools})
				if err != nil {
					return nil, err
				}
				one.Samples[server] = append(one.Samples[server], s)
			}
		}
		all = append(all, one)
	}
	return all, nil
}

// holdAll measures the memory of idle sessions and streams of all servers that support them.
func (w *workshop) holdAll(e effort) (all []held, err error) {
	var failures []error
	for _, what := range []string{holdSessions, holdListens, holdBare} {
		for _, server := range servers {
			switch {
			case what == holdBare && server != "limit", what == holdListens && server == "limit":
				continue
			}
			h, err := hold(w.bin, server, what, e.held)
			if err != nil {
				h.Failed = err.Error()
				w.say("%v\n", err)
				if server == "mcpgen" || server == "limit" {
					failures = append(failures, fmt.Errorf("hold: %w", err))
				}
			}
			all = append(all, h)
		}
	}
	return all, errors.Join(failures...)
}
