package taskstore

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// making contains the tests of MakeRoom.
var making = map[string]func(*bench){
	"without limits nothing is deleted": func(b *bench) {
		b.ended("a", 1, 0)
		b.is(b.MakeRoom(b.Context(), mcptask.Need{Account: accountOf(1), Tasks: 1, Bytes: 1 << 40}), nil)
		b.left("a")
	},
	"the oldest tasks of the account make room for a task": func(b *bench) {
		b.ended("a", 1, 0)
		b.ended("b", 1, 0)
		b.ended("other", 2, 0)
		b.running("c", 1, 0)
		b.ended("d", 1, 0)
		need := mcptask.Need{Account: accountOf(1), Tasks: 1, Room: mcptask.Room{Tasks: 5}}
		b.is(b.MakeRoom(b.Context(), need), nil)
		b.left("a b c d other")
		need.Room.Tasks = 3
		b.is(b.MakeRoom(b.Context(), need), nil)
		b.left("c d other")
		need.Room.Tasks = 2
		b.is(b.MakeRoom(b.Context(), need), nil)
		b.left("c other")
		need.Tasks = 0
		b.is(b.MakeRoom(b.Context(), need), nil)
		b.left("c other")
	},
	"the oldest tasks of the account make room for bytes": func(b *bench) {
		b.ended("a", 1, 50_000)
		b.ended("b", 1, 100)
		b.ended("other", 2, 90_000)
		b.ended("c", 1, 50_000)
		room := mcptask.Room{Bytes: 150_000}
		b.is(b.MakeRoom(b.Context(), mcptask.Need{Account: accountOf(1), Bytes: 40_000, Room: room}), nil)
		b.left("a b c other")
		b.is(b.MakeRoom(b.Context(), mcptask.Need{Account: accountOf(1), Bytes: 60_000, Room: room}), nil)
		b.left("b c other")
		b.is(b.MakeRoom(b.Context(), mcptask.Need{Account: accountOf(1), Bytes: 120_000, Room: room}), nil)
		b.left("other")
	},
	"without enough to delete nothing is": func(b *bench) {
		b.ended("a", 1, 1000)
		b.running("b", 1, 1000)
		b.ended("other", 2, 1000)
		for _, room := range []mcptask.Room{{Tasks: 1}, {Bytes: 4000}, {TotalTasks: 1}, {TotalBytes: 4000}} {
			b.is(b.MakeRoom(b.Context(), mcptask.Need{Account: accountOf(1), Tasks: 1, Bytes: 3000, Room: room}), mcptask.ErrTooMany)
		}
		b.is(b.MakeRoom(b.Context(), mcptask.Need{Account: accountOf(7), Tasks: 1, Bytes: 3000, Room: mcptask.Room{Bytes: 2999}}), mcptask.ErrTooMany)
		b.left("a b other")
	},
	"what all keep is taken from the account that keeps most": func(b *bench) {
		b.ended("old", 1, 10)
		for i := range 3 {
			b.ended(fmt.Sprint("much", i), 2, 20_000)
		}
		b.running("running", 2, 20_000)
		b.ended("new", 3, 10)
		need := mcptask.Need{Account: accountOf(3), Tasks: 1, Bytes: 1000, Room: mcptask.Room{TotalTasks: 6}}
		b.is(b.MakeRoom(b.Context(), need), nil)
		b.left("much1 much2 new old running")
		need.Room = mcptask.Room{TotalBytes: 45_000}
		b.is(b.MakeRoom(b.Context(), need), nil)
		b.left("new old running")
		need.Room = mcptask.Room{TotalTasks: 2}
		need.Account = accountOf(9)
		b.is(b.MakeRoom(b.Context(), need), nil)
		b.left("running")
	},
	"a task that ends counts as it is then": func(b *bench) {
		r := b.running("a", 1, 100)
		r.Status, r.Ready, r.Sealed = mcptask.Completed, false, []byte(strings.Repeat("r", 50_000))
		b.store(r)
		b.is(b.MakeRoom(b.Context(), mcptask.Need{Account: r.Account, Bytes: 10_000, Room: mcptask.Room{Bytes: 70_000}}), nil)
		b.left("a")
		b.is(b.MakeRoom(b.Context(), mcptask.Need{Account: r.Account, Bytes: 30_000, Room: mcptask.Room{Bytes: 70_000}}), nil)
		b.left("")
		b.running("a", 1, 100) // its id is free
	},
	"what has expired takes no room": func(b *bench) {
		r := record("a")
		r.Expires, r.Account = time.Now().Add(lease), accountOf(1)
		b.create(r)
		time.Sleep(2 * lease)
		b.is(b.MakeRoom(b.Context(), mcptask.Need{Account: r.Account, Tasks: 1, Bytes: 1000, Room: mcptask.Room{Tasks: 1, Bytes: 2000}}), nil)
	},
}

func accountOf(n byte) mcptask.Digest { return mcptask.Digest{n} }

// ids are the ids of tasks in tests of MakeRoom.
var ids = strings.Fields("a b c d much0 much1 much2 new old other running")

// running adds a task of an account.
func (b *bench) running(id string, account byte, bytes int) *mcptask.Record {
	b.Helper()
	r := record(id)
	r.Account, r.Sealed = accountOf(account), make([]byte, bytes)
	return b.create(r)
}

// ended adds an ended task of an account, after the ones before.
func (b *bench) ended(id string, account byte, bytes int) {
	b.Helper()
	r := b.running(id, account, bytes)
	r.Status, r.Ready = mcptask.Completed, false
	b.store(r)
	time.Sleep(2 * time.Millisecond)
}

// left compares the ids of the stored tasks.
func (b *bench) left(want string) {
	b.Helper()
	var left []string
	for _, id := range ids {
		switch _, err := b.Get(b.Context(), record(id).Key); {
		case err == nil:
			left = append(left, id)
		case !errors.Is(err, mcptask.ErrNotFound):
			b.Error(err)
		}
	}
	if got := strings.Join(left, " "); got != want {
		b.Errorf("%q is left, want %q", got, want)
	}
}
