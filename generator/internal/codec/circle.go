package codec

// markCircular finds the encoders that must count the depth of nested values. A walk that follows
// the calls returns, on each cycle, to a function that it has entered and not left.
func markCircular(list []*Encoder) {
	w := circleWalk{byName: map[string]*Encoder{}, state: map[*Encoder]walkState{}}
	for _, e := range list {
		w.byName[e.Name()] = e
	}
	for _, e := range list {
		w.follow(e)
	}
}

type circleWalk struct {
	byName map[string]*Encoder
	state  map[*Encoder]walkState
}

type walkState int

const (
	walkNew walkState = iota
	walkInside
	walkDone
)

func (w *circleWalk) follow(e *Encoder) {
	switch w.state[e] {
	case walkInside:
		e.Circular = true
		return
	case walkDone:
		return
	}
	w.state[e] = walkInside
	if e.Value != nil {
		w.write(e.Value)
	}
	for _, m := range e.Members {
		w.write(m.Write)
	}
	if e.Union != nil {
		for _, v := range e.Union.Variants {
			w.call(v.Func)
		}
	}
	w.state[e] = walkDone
}

func (w *circleWalk) write(v *Write) {
	w.call(v.Func.Name)
	if v.Elem != nil {
		w.call(v.Elem.Name)
	}
}

// call follows the call of a function, unless it belongs to runtime/wire.
func (w *circleWalk) call(name string) {
	if e := w.byName[name]; e != nil {
		w.follow(e)
	}
}
