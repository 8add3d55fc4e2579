package membudget

// Account is the part of a budget that one owner has taken. It serves one goroutine at
// a time. The zero Account has no budget, and allows everything.
type Account struct {
	budget *Budget
	held   int
}

// Free is the size in bytes up to which a buffer is not counted: its owner, a
// connection or a call, is charged more than that as a whole. So the smallest buffers,
// of which every message needs some, cost no counting.
const Free = 4 << 10

// Of sets the budget of the account. Nothing may be charged to the account yet.
func (a *Account) Of(b *Budget) { a.budget = b }

// Take changes the charge to that for a buffer of that capacity. It reports false, and
// changes nothing, if the budget does not have enough.
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

// Set is Take, even beyond the budget.
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
