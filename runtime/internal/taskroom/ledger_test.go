package taskroom

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// model lists the tasks of a ledger in the order in which they ended or were added.
type model []modelTask

type modelTask struct {
	key, account int
	bytes        int64
	ended        bool
}

func (m model) remove(key int) model {
	return slices.DeleteFunc(slices.Clone(m), func(t modelTask) bool { return t.key == key })
}

// sums returns the sums for an account, and for all.
func (m model) sums(account int) (tasks, total int, bytes, all int64) {
	for _, t := range m {
		if t.account == account {
			tasks++
			bytes += t.bytes
		}
		total++
		all += t.bytes
	}
	return tasks, total, bytes, all
}

func fits(m model, account, tasks int, bytes int64, l Limits) (own, total bool) {
	n, all, b, sum := m.sums(account)
	return (l.Tasks == 0 || n+tasks <= l.Tasks) && (l.Bytes == 0 || b+bytes <= l.Bytes),
		(l.TotalTasks == 0 || all+tasks <= l.TotalTasks) && (l.TotalBytes == 0 || sum+bytes <= l.TotalBytes)
}

// victims chooses as documented for Victims, one task at a time.
func (m model) victims(account, tasks int, bytes int64, l Limits) (keys []int, ok bool) {
	for {
		own, total := fits(m, account, tasks, bytes, l)
		if own && total {
			return keys, true
		}
		from := account
		if own {
			most := int64(-1)
			for _, t := range m {
				if _, _, b, _ := m.sums(t.account); t.ended && b > most {
					from, most = t.account, b
				}
			}
		}
		i := slices.IndexFunc(m, func(t modelTask) bool { return t.ended && t.account == from })
		if i < 0 {
			return nil, false
		}
		keys = append(keys, m[i].key)
		m = m.remove(m[i].key)
	}
}

// A ledger chooses the same tasks as a model that adds everything up each time, whatever was put
// and removed before.
func TestVictims(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		var l Ledger[int, int]
		var m model
		for step := range 60 {
			key, account, ended := r.IntN(20), r.IntN(4), r.IntN(2) == 0
			if i := slices.IndexFunc(m, func(t modelTask) bool { return t.key == key }); i >= 0 && r.IntN(4) > 0 {
				account = m[i].account
				ended = ended || m[i].ended
			}
			bytes := r.Int64N(50 << 20) // no two accounts have the same size, which would not define the choice
			switch r.IntN(5) {
			case 0:
				l.Remove(key)
				m = m.remove(key)
			case 1, 2, 3:
				l.Put(key, account, bytes, ended)
				i := slices.IndexFunc(m, func(t modelTask) bool { return t.key == key })
				switch now := (modelTask{key, account, bytes, ended}); {
				case i >= 0 && m[i].account == account && m[i].ended == ended:
					m = slices.Clone(m)
					m[i] = now
				default:
					m = append(m.remove(key), now)
				}
			default:
				limits := Limits{Tasks: r.IntN(6), TotalTasks: r.IntN(12), Bytes: r.Int64N(150) << 20, TotalBytes: r.Int64N(400) << 20}
				more := r.IntN(2)
				got, ok := l.Victims(account, more, bytes, limits)
				want, wantOK := m.victims(account, more, bytes, limits)
				if ok != wantOK || !slices.Equal(got, want) {
					t.Fatalf("seed %d, step %d: %v, %t, want %v, %t\n%+v\n%+v", seed, step, got, ok, want, wantOK, limits, m)
				}
				for _, key := range got {
					if r.IntN(2) == 0 {
						l.Remove(key)
						m = m.remove(key)
					}
				}
			}
		}
		for _, one := range m {
			l.Remove(one.key)
		}
		if l.bytes != 0 || len(l.tasks) != 0 || len(l.accounts) != 0 {
			t.Fatalf("seed %d: an empty ledger has %d bytes, %d tasks and %d accounts", seed, l.bytes, len(l.tasks), len(l.accounts))
		}
	}
}
