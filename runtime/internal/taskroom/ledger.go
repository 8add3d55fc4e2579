// Package taskroom counts the tasks that a store contains for each account, and chooses the tasks
// to delete for a new one.
package taskroom

import (
	"container/heap"
	"container/list"
)

// Ledger contains the size of each task of a store. It serves one goroutine at a time. The zero
// Ledger is empty.
type Ledger[Key, Account comparable] struct {
	tasks    map[Key]*task[Key, Account]
	accounts map[Account]*account[Account]
	bytes    int64
}

type task[Key, Account comparable] struct {
	key     Key
	account *account[Account]
	bytes   int64
	place   *list.Element // element of ended; nil until the task ends
}

type account[Account comparable] struct {
	id    Account
	tasks int
	bytes int64
	ended list.List // of tasks, in the order in which they ended
}

// Limits limits the tasks and bytes of an account, and of all accounts together. Zero means no
// limit.
type Limits struct {
	Tasks, TotalTasks int
	Bytes, TotalBytes int64
}

// Put sets the size of a task, and whether it is an ended one.
func (l *Ledger[Key, Account]) Put(key Key, id Account, bytes int64, ended bool) {
	t := l.tasks[key]
	if t != nil && t.account.id != id {
		l.Remove(key)
		t = nil
	}
	if t == nil {
		if l.tasks == nil {
			l.tasks, l.accounts = map[Key]*task[Key, Account]{}, map[Account]*account[Account]{}
		}
		a := l.accounts[id]
		if a == nil {
			a = &account[Account]{id: id}
			l.accounts[id] = a
		}
		t = &task[Key, Account]{key: key, account: a}
		l.tasks[key] = t
		a.tasks++
	}
	l.bytes += bytes - t.bytes
	t.account.bytes += bytes - t.bytes
	t.bytes = bytes
	switch {
	case ended && t.place == nil:
		t.place = t.account.ended.PushBack(t)
	case !ended && t.place != nil:
		t.account.ended.Remove(t.place)
		t.place = nil
	}
}

// Remove removes a task, if the ledger contains it.
func (l *Ledger[Key, Account]) Remove(key Key) {
	t := l.tasks[key]
	if t == nil {
		return
	}
	delete(l.tasks, key)
	a := t.account
	if t.place != nil {
		a.ended.Remove(t.place)
	}
	l.bytes -= t.bytes
	a.bytes -= t.bytes
	if a.tasks--; a.tasks == 0 {
		delete(l.accounts, a.id)
	}
}

// Victims returns the tasks to delete so that an account can store more tasks and bytes. All of
// them are finished. Tasks of the account itself come first, the oldest first, until its own limits
// are met; then, for the limits of all accounts, the oldest task of the account with the most
// bytes, again and again. ok is false if that does not suffice.
func (l *Ledger[Key, Account]) Victims(id Account, tasks int, bytes int64, limits Limits) (victims []Key, ok bool) {
	total := excess{over(len(l.tasks)+tasks, limits.TotalTasks), over(l.bytes+bytes, limits.TotalBytes)}
	own := excess{over(tasks, limits.Tasks), over(bytes, limits.Bytes)}
	var next *list.Element // the oldest task of the account that is not chosen
	if a := l.accounts[id]; a != nil {
		own = excess{over(a.tasks+tasks, limits.Tasks), over(a.bytes+bytes, limits.Bytes)}
		for next = a.ended.Front(); own.some() && next != nil; next = next.Next() {
			victims = append(victims, next.Value.(*task[Key, Account]).key)
			own.less(next.Value.(*task[Key, Account]).bytes)
			total.less(next.Value.(*task[Key, Account]).bytes)
		}
	}
	if own.some() {
		return nil, false
	}
	if !total.some() {
		return victims, true
	}
	var holders holders[Key, Account]
	for _, a := range l.accounts {
		h := holder[Key, Account]{next: a.ended.Front(), bytes: a.bytes}
		if a.id == id {
			h.next = next
			for _, key := range victims {
				h.bytes -= l.tasks[key].bytes
			}
		}
		if h.next != nil {
			holders = append(holders, h)
		}
	}
	heap.Init(&holders)
	for total.some() {
		if len(holders) == 0 {
			return nil, false
		}
		h := &holders[0]
		t := h.next.Value.(*task[Key, Account])
		victims = append(victims, t.key)
		total.less(t.bytes)
		h.bytes -= t.bytes
		if h.next = h.next.Next(); h.next == nil {
			heap.Pop(&holders)
		} else {
			heap.Fix(&holders, 0)
		}
	}
	return victims, true
}

// excess is the amount by which limits are exceeded.
type excess struct {
	tasks int
	bytes int64
}

func over[N int | int64](n, limit N) N {
	if limit == 0 {
		return 0
	}
	return max(0, n-limit)
}

func (e *excess) some() bool { return e.tasks > 0 || e.bytes > 0 }

// less subtracts one task.
func (e *excess) less(bytes int64) {
	e.tasks--
	e.bytes -= bytes
}

// holder is an account with ended tasks, while victims are chosen.
type holder[Key, Account comparable] struct {
	next  *list.Element // its oldest task that is not chosen
	bytes int64         // of the tasks that are not chosen
}

// holders is a heap; the account with the most bytes is in front.
type holders[Key, Account comparable] []holder[Key, Account]

func (h holders[Key, Account]) Len() int           { return len(h) }
func (h holders[Key, Account]) Less(i, j int) bool { return h[i].bytes > h[j].bytes }
func (h holders[Key, Account]) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *holders[Key, Account]) Push(any)          { panic("taskroom: holders only become fewer") }

func (h *holders[Key, Account]) Pop() any {
	*h = (*h)[:len(*h)-1]
	return nil
}
