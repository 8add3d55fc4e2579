package mcp

import "sync"

// This file runs functions when connections close, with one goroutine for each connection that has
// parked listens.

// closeWatchers wait for channels that are closed when a connection, or all connections of a
// transport, close. Each channel has one goroutine, as long as a listen is parked there. The mutex
// guards the map and the functions of each watcher.
type closeWatchers struct {
	mu    sync.Mutex
	byEnd map[<-chan struct{}]*closeWatcher
}

type closeWatcher struct {
	ended <-chan struct{}
	idle  chan struct{} // closed when the last parked listen is removed
	ends  map[*closeEnd]struct{}
}

// closeEnd is a function that runs when its channel is closed.
type closeEnd struct {
	of  *closeWatcher
	run func()
}

// add makes end run, in its own goroutine, when the channel is closed. It returns nil for a nil
// channel.
func (w *closeWatchers) add(ended <-chan struct{}, end func()) *closeEnd {
	if ended == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	one := w.byEnd[ended]
	if one == nil {
		one = &closeWatcher{ended: ended, idle: make(chan struct{}), ends: map[*closeEnd]struct{}{}}
		if w.byEnd == nil {
			w.byEnd = map[<-chan struct{}]*closeWatcher{}
		}
		w.byEnd[ended] = one
		go w.run(one)
	}
	e := &closeEnd{one, end}
	one.ends[e] = struct{}{}
	return e
}

// remove removes a function that add has added.
func (w *closeWatchers) remove(e *closeEnd) {
	if e == nil {
		return
	}
	one := e.of
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(one.ends, e)
	if len(one.ends) == 0 && w.byEnd[one.ended] == one {
		delete(w.byEnd, one.ended)
		close(one.idle)
	}
}

func (w *closeWatchers) run(one *closeWatcher) {
	select {
	case <-one.idle:
		return
	case <-one.ended:
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.byEnd[one.ended] == one {
		delete(w.byEnd, one.ended)
	}
	for e := range one.ends {
		go e.run()
	}
}
