package membudget

// Account is the part of a budget that one owner uses. It serves one goroutine at a time. The zero
// Account has no budget, and allows everything.
type Account struct {
	budget *Budget
	held   int
}

// Free is the size in bytes up to which a buffer is not counted: its owner, a connection or a call,
// is charged more than that as a whole. So the smallest buffers, which every message needs, do not
// have to be counted.
const Free = 4 << 10

// Of sets the budget of the account. It must be called before anything is charged.
func (a *Account) Of(b *Budget) { a.budget = b }

// Take changes the charge to the charge for a buffer of the given capacity. It returns false, and
// changes nothing, if the budget does not allow it.
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

// Set is like Take, but also exceeds the budget.
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

// Held returns the charge.
func (a *Account) Held() int { return a.held }

func counted(capacity int) int {
	if capacity <= Free {
		return 0
	}
	return capacity
}
