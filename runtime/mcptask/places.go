package mcptask

import "sync"

// placesPart is the part of the places for handlers that the tasks of one account may take: a
// quarter.
const placesPart = 4

// places counts the running handlers, by account. A store calls turn while it holds a lock of its
// own, so places has a lock that is never held while anything else is called.
type places struct {
	share   int    // limit of one account
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
