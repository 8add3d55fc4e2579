package mcptask

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/internal/taskcall"
)

// budgeted is a server with a budget.
type budgeted struct {
	taskcall.Server
	budget *membudget.Budget
}

func (b budgeted) Name() string                       { return "budgeted" }
func (b budgeted) Memory() (*membudget.Budget, int64) { return b.budget, 1 << 20 }

// The memory of tasks is charged to the server from their creation to their end, however they end,
// and nothing else is.
func TestCharge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := NewMemory().(*memory)
		budget := membudget.New(1<<20, 1)
		got, room := m.charge(budgeted{budget: budget}, Room{Tasks: 7, Bytes: 1 << 30, TotalBytes: 1000})
		if got != budget || room != (Room{Tasks: 7, Bytes: 1 << 17, TotalBytes: 1000}) {
			t.Errorf("the room is %+v", room)
		}
		is := func(want int64) {
			t.Helper()
			if used := budget.Used(); used != want {
				t.Errorf("%d bytes are charged, want %d", used, want)
			}
		}
		var all []*Record
		for i := range 4 {
			r := &Record{
				Key: Key{ID: fmt.Sprint(i)}, Server: "budgeted", Head: make([]byte, 100), Sealed: make([]byte, 3000<<i),
				Expires: time.Now().Add(time.Duration(i+1) * time.Hour), Status: InputRequired,
			}
			if err := m.Create(t.Context(), r, Quota{}, 0); err != nil {
				t.Fatal(err)
			}
			all = append(all, r)
		}
		other := &Record{Key: Key{ID: "other"}, Server: "another", Expires: time.Now().Add(time.Hour)}
		if err := m.Create(t.Context(), other, Quota{}, 0); err != nil {
			t.Fatal(err)
		}
		is(4*1124 + 15*3000)
		if err := m.Create(t.Context(), all[0].Clone(), Quota{}, 0); err != ErrExists {
			t.Error(err)
		}
		is(4*1124 + 15*3000)
		all[3].Status, all[3].Sealed = Completed, []byte("result")
		if err := m.Update(t.Context(), all[3]); err != nil {
			t.Fatal(err)
		}
		is(4*1124 + 7*3000 + 6)
		all[2].Version++
		all[2].Sealed = make([]byte, 1<<20)
		if err := m.Update(t.Context(), all[2]); err != ErrConflict {
			t.Error(err)
		}
		is(4*1124 + 7*3000 + 6)
		time.Sleep(time.Hour) // the first one expires
		synctest.Wait()
		is(3*1124 + 6*3000 + 6)
		if err := m.MakeRoom(t.Context(), Need{Room: Room{Tasks: 3}, Tasks: 1}); err != nil { // the ended task is deleted
			t.Error(err)
		}
		is(2*1124 + 6*3000)
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		is(0)
	})
}
