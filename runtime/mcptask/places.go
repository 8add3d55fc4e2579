package mcptask

import "sync"

// placesPart is the part of the places for handlers that the tasks of one account take: a quarter.
const placesPart = 4

// places counts the handlers that run, by account. A store asks while it holds a lock of its own, so it has one that is held for
// nothing else.
type places struct {
	share   int    // of an account
	unknown Digest // the account of clients that a server cannot distinguish, such as the one over stdio; it has all places

	mu   sync.Mutex
	busy map[Digest]int
}

// add changes the number of an account.
func (p *places) add(account Digest, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy[account] += n; p.busy[account] == 0 {
		delete(p.busy, account)
	}
}

// turn implements [Claim].Turn.
func (p *places) turn(account Digest) (active int, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	active = p.busy[account]
	return active, account == p.unknown || active < p.share
}
