package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// cases are functions that lock, each with its own type, and the expected waits under its field mu;
// an empty want means no wait.
var cases = []struct{ name, fields, code, want string }{
	{"deferred", "ch chan int", "s.mu.Lock(); defer s.mu.Unlock(); <-s.ch", "receive a.deferred.ch"},
	{"after", "ch chan int", "s.mu.Lock(); s.mu.Unlock(); <-s.ch", ""},
	{"before", "ch chan int", "s.ch <- 1; s.mu.Lock(); s.mu.Unlock()", ""},
	{"early", "ch chan int; b bool", "s.mu.Lock(); if s.b { s.mu.Unlock(); return }; s.ch <- 1; s.mu.Unlock()", "send a.early.ch"},
	{"bothBranches", "ch chan int; b bool", "s.mu.Lock(); if s.b { s.mu.Unlock() } else { s.mu.Unlock() }; <-s.ch", ""},
	{"oneBranch", "ch chan int; b bool", "s.mu.Lock(); if s.b { s.mu.Unlock() }; <-s.ch", "receive a.oneBranch.ch"},
	{"nextRound", "ch chan int", "for { <-s.ch; s.mu.Lock() }", "receive a.nextRound.ch"},
	{"ranged", "ch chan int", "s.mu.Lock(); for range s.ch {}; s.mu.Unlock()", "receive a.ranged.ch"},
	{"selected", "ch chan int", "s.mu.Lock(); defer s.mu.Unlock(); select { case <-s.ch: }", "select receive a.selected.ch"},
	{"selectDefault", "ch chan int", "s.mu.Lock(); defer s.mu.Unlock(); select { case <-s.ch: default: }", ""},
	{"order", "ch chan int", "s.mu.Lock(); defer s.mu.Unlock(); defer func() { <-s.ch }()", "receive a.order.ch"},
	{"reversed", "ch chan int", "defer func() { <-s.ch }(); s.mu.Lock(); defer s.mu.Unlock()", ""},
	{"goroutine", "ch chan int", "s.mu.Lock(); go func() { <-s.ch }(); s.mu.Unlock()", ""},
	{"later", "ch chan int", "s.mu.Lock(); time.AfterFunc(1, func() { <-s.ch }); s.mu.Unlock()", ""},
	{"tried", "ch chan int", "if s.mu.TryLock() { <-s.ch; s.mu.Unlock() }", "receive a.tried.ch"},
	{"notTried", "ch chan int", "if !s.mu.TryLock() { <-s.ch; return }; s.mu.Unlock()", ""},
	{"slept", "", "s.mu.Lock(); time.Sleep(1); s.mu.Unlock()", "time"},
	{"group", "wg sync.WaitGroup", "s.mu.Lock(); s.wg.Wait(); s.mu.Unlock()", "sync"},
	{"system", "", "s.mu.Lock(); os.Remove(``); s.mu.Unlock()", "os"},
	{"quickSystem", "", "s.mu.Lock(); os.Getenv(``); s.mu.Unlock()", ""},
	{"writer", "w io.Writer", "s.mu.Lock(); s.w.Write(nil); s.mu.Unlock()", "io"},
	{"hashed", "h hash.Hash", "s.mu.Lock(); s.h.Write(nil); fmt.Fprint(s.h, 1); s.mu.Unlock()", ""},
	{"memory", "", "s.mu.Lock(); d := json.NewDecoder(strings.NewReader(``)); d.Decode(nil); s.mu.Unlock()", ""},
	{"decoded", "r io.Reader", "s.mu.Lock(); d := json.NewDecoder(s.r); d.Decode(nil); s.mu.Unlock()", "encoding/json"},
	{"ended", "c context.Context", "s.mu.Lock(); s.c.Value(1); _, end := context.WithCancel(s.c); end(); s.mu.Unlock()", ""},
	{"logged", "l *slog.Logger", "s.mu.Lock(); s.l.Info(``); s.mu.Unlock()", "log/slog"},
	{"called", "ch chan int", "s.mu.Lock(); receive(s.ch); s.mu.Unlock()", "receive ch"},
	{"calledTwice", "ch chan int", "s.mu.Lock(); func() { receive(s.ch) }(); s.mu.Unlock()", "receive ch"},
	{"outside", "ch chan int", "s.mu.Lock(); s.wait(); s.mu.Unlock() }\nfunc (s *outside) wait() { s.mu.Unlock(); <-s.ch; s.mu.Lock()", ""},
	{"helper", "ch chan int", "s.lock(); <-s.ch; s.mu.Unlock() }\nfunc (s *helper) lock() { s.mu.Lock()", "receive a.helper.ch"},
	{"returned", "ch chan int", "defer s.lock()(); <-s.ch }\nfunc (s *returned) lock() func() { s.mu.Lock(); return func() { s.mu.Unlock() }", "receive a.returned.ch"},
	{"released", "ch chan int", "end := s.lock(); end(); <-s.ch }\nfunc (s *released) lock() func() { s.mu.Lock(); return func() { s.mu.Unlock() }", ""},
	{"ours", "q quiet", "s.mu.Lock(); s.q.do(); s.mu.Unlock()", ""},
	{"oursWaits", "l loud", "s.mu.Lock(); s.l.shout(); s.mu.Unlock()", "receive a.shouts.c"},
	{"theirs", "t Theirs", "s.mu.Lock(); s.t.Do(); s.mu.Unlock()", "a.Theirs"},
	{"function", "f func(); ch chan int", "s.mu.Lock(); s.f(); s.mu.Unlock() }\nfunc init() { _ = function{f: func() {}}", ""},
	{"functionWaits", "f func(); ch chan int", "s.mu.Lock(); s.f(); s.mu.Unlock() }\nfunc init() { s := functionWaits{}; s.f = func() { <-s.ch }", "receive a.functionWaits.ch"},
	{"functionTheirs", "f func()", "s.mu.Lock(); s.f(); s.mu.Unlock() }\nfunc New(f func()) { _ = functionTheirs{f: f}", "function a.functionTheirs.f"},
	{"given", "ch chan int", "s.with(func() { <-s.ch }) }\nfunc (s *given) with(f func()) { s.mu.Lock(); f(); s.mu.Unlock()", "receive a.given.ch"},
	{"givenQuick", "ch chan int", "s.with(func() {}) }\nfunc (s *givenQuick) with(f func()) { s.mu.Lock(); f(); s.mu.Unlock()", ""},
	{"givenOutside", "ch chan int", "s.with(func() { <-s.ch }) }\nfunc (s *givenOutside) with(f func()) { s.mu.Lock(); s.mu.Unlock(); f()", ""},
	{"Public", "", "s.mu.Lock(); s.mu.Unlock() }\nfunc (s *Public) With(f func()) { s.mu.Lock(); f(); s.mu.Unlock()", "function f of (*a.Public).With"},
	{"stored", "ch chan int; f func()", "s.mu.Lock(); s.f(); s.mu.Unlock() }\nfunc (s *stored) set(g func()) { s.f = func() { g() } }\nfunc (s *stored) begin() { s.set(func() { <-s.ch })", "receive a.stored.ch"},
	{"storedQuick", "f func()", "s.mu.Lock(); s.f(); s.mu.Unlock() }\nfunc (s *storedQuick) set(g func()) { s.f = func() { g() } }\nfunc (s *storedQuick) begin() { s.set(func() {})", ""},
	{"StoredTheirs", "f func()", "s.mu.Lock(); s.f(); s.mu.Unlock() }\nfunc (s *StoredTheirs) Set(g func()) { s.f = func() { g() }", "function g of (*a.StoredTheirs).Set"},
	{"iterated", "ch chan int", "for range s.all { <-s.ch } }\nfunc (s *iterated) all(yield func(int) bool) { s.mu.Lock(); defer s.mu.Unlock(); yield(1)", "receive a.iterated.ch"},
	{"sorted", "ch chan int", "s.mu.Lock(); slices.SortFunc([]int{}, func(a, b int) int { return <-s.ch }); s.mu.Unlock()", "receive a.sorted.ch"},
	{"taken", "o deferred", "s.mu.Lock(); s.o.run(); s.mu.Unlock()", "a.deferred.mu, receive a.deferred.ch"},
	{"takenQuick", "o after", "s.mu.Lock(); s.o.mu.Lock(); s.o.mu.Unlock(); s.mu.Unlock()", ""},
	{"own", "c sync.Cond", "s.mu.Lock(); s.c.Wait(); s.mu.Unlock() }\nfunc init() { s := &own{}; s.c.L = &s.mu", ""},
	{"made", "c *sync.Cond", "s.mu.Lock(); s.c.Wait(); s.mu.Unlock() }\nfunc init() { s := &made{}; s.c = sync.NewCond(&s.mu)", ""},
	{"foreign", "o *own", "s.mu.Lock(); s.o.c.Wait(); s.mu.Unlock()", "wait for a.own.c"},
	{"generic", "ch chan int", "x := &box[int]{}; x.put(s.ch)", ""},
	{"pointed", "ch chan int", "g := guarded{&s.mu}; g.lock.Lock(); <-s.ch; g.lock.Unlock()", "receive a.pointed.ch"},
}

const rest = `
type quiet interface{ do() }
type silent struct{}
func (silent) do() {}
type loud interface{ shout() }
type shouts struct{ c chan int }
func (s shouts) shout() { <-s.c }
// Theirs is implemented by others.
type Theirs interface{ Do() }
func receive(ch chan int) { <-ch }
type box[T any] struct { mu sync.Mutex; all []T }
func (b *box[T]) put(ch chan T) { b.mu.Lock(); b.all = append(b.all, <-ch); b.mu.Unlock() }
type guarded struct{ lock *sync.Mutex }
var embedded struct { sync.RWMutex; n int }
func read(ch chan int) { embedded.RLock(); defer embedded.RUnlock(); <-ch }
var mu sync.Mutex
func sleep() { mu.Lock(); time.Sleep(1); mu.Unlock() }
`

// others are the expected waits under the other locks.
var others = map[string]string{
	"a.box.mu": "receive ch", "a.embedded.RWMutex": "receive ch", "a.mu": "time", "a.own.c": "Wait", "a.made.c": "Wait",
}

// fixture writes a module with all cases, and an additional statement.
func fixture(t *testing.T, planted string) string {
	t.Helper()
	var source strings.Builder
	source.WriteString("package a\n\nimport (\n\t\"context\"; \"encoding/json\"; \"fmt\"; \"hash\"; \"io\"; \"log/slog\"; \"os\"; \"slices\"; \"strings\"; \"sync\"; \"time\"\n)\n")
	for _, c := range cases {
		source.WriteString("\ntype " + c.name + " struct { mu sync.Mutex; " + c.fields + " }\nfunc (s *" + c.name + ") run() {\n" + c.code + "\n}\n")
	}
	source.WriteString(rest + planted)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module " + strings.TrimSuffix(project, "/") + "\n\ngo 1.26\n", "a/a.go": source.String(),
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestA(*testing.T) { mu.Lock(); receive(nil); mu.Unlock() }\n",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOWORK", "off")
	return dir
}

// Each way to lock and to wait is found, and nothing else.
func TestScan(t *testing.T) {
	found, err := scan(fixture(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, l := range found {
		got[l.name] = strings.Join(l.names(), ", ")
		for _, w := range l.waits {
			if !strings.HasPrefix(w.path[0], "a/a.go:") {
				t.Errorf("%s: the path begins with %s", l.name, w.path[0])
			}
		}
	}
	want := map[string]string{}
	for name, waits := range others {
		want[name] = waits
	}
	for _, c := range cases {
		if c.want != "" {
			want["a."+c.name+".mu"] = c.want
		}
	}
	for name := range got {
		if want[name] == "" {
			t.Errorf("%s: found %q under it", name, got[name])
		}
	}
	for name, waits := range want {
		if got[name] != waits {
			t.Errorf("%s: found %q, want %q", name, got[name], waits)
		}
	}
}

// An additional wait under a lock is reported with its position, both under a lock without a line
// and under a lock whose line names another wait.
func TestPlanted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "waits.txt")
	lines := "# comment\n"
	for name, waits := range others {
		lines += name + "  " + waits + ": of the test\n"
	}
	for _, c := range cases {
		if c.want != "" {
			lines += "a." + c.name + ".mu " + c.want + ": of the test\n"
		}
	}
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	for planted, want := range map[string]string{
		"": "",
		"func (s *notTried) also() { s.mu.Lock(); defer s.mu.Unlock(); receive(s.ch) }\n": "a.notTried.mu: receive ch may wait under it: add a line",
		"func (s *deferred) also() { s.mu.Lock(); defer s.mu.Unlock(); time.Sleep(1) }\n": "a.deferred.mu: time may wait under it too, at a/a.go:",
	} {
		problems, err := run(file, false, []string{fixture(t, planted)})
		if err != nil {
			t.Fatal(err)
		}
		if want == "" && len(problems) > 0 || want != "" && (len(problems) != 1 || !strings.Contains(problems[0], want)) {
			t.Errorf("%q: %q, want %q", planted, problems, want)
		}
	}
}

// Locks without a line, lines without a lock or a wait, and lines without content are reported.
func TestCompare(t *testing.T) {
	at := func(names ...string) (waits []wait) {
		for _, n := range names {
			waits = append(waits, wait{n, []string{"a.go:1: " + n}})
		}
		return waits
	}
	found := []lock{
		{"a.any", at("io", "os")}, {"a.good", at("io", "os")}, {"a.more", at("io", "os")}, {"a.new", at("io")}, {"a.silent", at("io")},
		{"a.twice", at("io")}, {"b/c.x", at("os")}, {"b.y", at("os")},
	}
	lines := []line{
		{1, "a.good", []string{"os", "io"}, "a reason"}, {2, "a.more", []string{"io"}, "a reason"}, {3, "a.gone", []string{"io"}, "a reason"},
		{4, "a.silent", []string{"io"}, ""}, {5, "a.twice", []string{"io"}, "a reason"}, {6, "a.twice", []string{"io", "net"}, "a reason"},
		{7, "b.*", []string{"tests"}, ""}, {8, "c.*", []string{"tests"}, ""}, {9, "a.any", []string{"*"}, "of one call"},
	}
	want := []string{"f:3:", "f:4:", "f:6:", "f:8:", "f:2: a.more: os", "a.go:1: io: a.new", "f:6: a.twice: net"}
	got := compare("f", found, lines)
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("%q, want %q", got, want)
	}
}
