package mcpfind

import "context"

// gate admits many searches or one indexing, like a [sync.RWMutex]. Waiting for it ends with the
// request: a slow ranker must not block the requests of others.
type gate struct {
	places  chan struct{} // one per search; all for indexing
	indexes chan struct{}
}

// mostSearches limits the concurrent searches.
const mostSearches = 256

func newGate() gate {
	return gate{make(chan struct{}, mostSearches), make(chan struct{}, 1)}
}

// enter waits for one place.
func (g *gate) enter(ctx context.Context) error {
	select {
	case g.places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (g *gate) leave() { <-g.places }

// enterAlone waits for all places.
func (g *gate) enterAlone(ctx context.Context) (leave func(), err error) {
	select {
	case g.indexes <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	taken := 0
	leave = func() {
		for range taken {
			g.leave()
		}
		<-g.indexes
	}
	for ; taken < mostSearches; taken++ {
		if err := g.enter(ctx); err != nil {
			leave()
			return nil, err
		}
	}
	return leave, nil
}
