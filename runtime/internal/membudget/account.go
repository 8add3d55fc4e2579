package membudget

// Account is what one owner has taken of a budget. It serves one goroutine at a time.
// That of the zero value has no budget, and is allowed everything.
type Account struct {
	budget *Budget
	held   int
}

// Free is up to how many bytes a buffer is not counted: what holds it, a connection or
// a call, is charged for more than that as a whole. So the smallest of buffers, which
// come and go with every message, cost nothing to count.
const Free = 4 << 10

// Of makes the account one of that budget. Nothing may be charged to it.
func (a *Account) Of(b *Budget) { a.budget = b }

// Take takes what is missing for a buffer of that capacity, or gives back what is too
// much. It reports false, and changes nothing, if there is not enough.
func (a *Account) Take(capacity int) bool {
	more := counted(capacity) - a.held
	if more > 0 && !a.budget.Take(more) {
		return false
	}
	if more < 0 {
		a.budget.Release(-more)
	}
	a.held += more
	return true
}

// Set is Take even if there is not enough.
func (a *Account) Set(capacity int) {
	switch more := counted(capacity) - a.held; {
	case more > 0:
		a.budget.Force(more)
		a.held += more
	case more < 0:
		a.budget.Release(-more)
		a.held += more
	}
}

// Held returns what is charged.
func (a *Account) Held() int { return a.held }

func counted(capacity int) int {
	if capacity <= Free {
		return 0
	}
	return capacity
}
