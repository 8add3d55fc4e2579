package main

import (
	"slices"
	"sync"
	"time"
)

// load describes the calls of a run: the scenario, the duration, and the concurrency.
type load struct {
	scenario *scenario
	over     *transport
	at       int           // concurrent calls
	warm     time.Duration // before the measurement
	measured time.Duration
}

// sample is the result of one run.
type sample struct {
	Calls     int     `json:"calls"`
	CPU       float64 `json:"cpu"`       // CPU seconds of the server per 100,000 calls
	PerSecond float64 `json:"perSecond"` // calls
	P50       float64 `json:"p50"`       // microseconds
	P99       float64 `json:"p99"`
	Peak      int64   `json:"peak"` // bytes
}

// lane sends requests, checks answers, and measures times: the only one of stdio, or one HTTP
// connection.
type lane interface {
	// run sends requests until the time is over, and waits for all answers. It returns the duration
	// of each call.
	run(until time.Time) ([]time.Duration, error)
	close()
}

// measure runs a load on a started and initialized server.
func (l *load) measure(p *process, lanes []lane) (sample, error) {
	if _, err := together(lanes, time.Now().Add(l.warm)); err != nil {
		return sample{}, err
	}
	pid := p.cmd.Process.Pid
	began := time.Now()
	before, exact := cpu(pid)
	times, err := together(lanes, began.Add(l.measured))
	if err != nil {
		return sample{}, err
	}
	wall := time.Since(began)
	after, _ := cpu(pid)
	s := sample{Calls: len(times), Peak: p.peak(), PerSecond: float64(len(times)) / wall.Seconds()}
	if exact {
		s.CPU = (after - before).Seconds() / float64(len(times)) * 100_000
	}
	slices.Sort(times)
	s.P50, s.P99 = micros(times[len(times)/2]), micros(times[len(times)*99/100])
	return s, nil
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// together runs all lanes concurrently.
func together(lanes []lane, until time.Time) (times []time.Duration, err error) {
	if len(lanes) == 1 {
		return lanes[0].run(until)
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	for _, one := range lanes {
		all.Go(func() {
			took, failure := one.run(until)
			mu.Lock()
			defer mu.Unlock()
			times = append(times, took...)
			if err == nil {
				err = failure
			}
		})
	}
	all.Wait()
	return times, err
}
