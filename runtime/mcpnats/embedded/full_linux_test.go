package embedded_test

import (
	"fmt"
	"math"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/mcpgen/mcpgen/runtime/mcpnats/embedded"
)

// A server that cannot write its files for a while, for instance because the disk is full, reports
// the reason, and continues by itself when it can. Acknowledged data is not lost.
func TestFullDisk(t *testing.T) {
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	limit := func(bytes uint64) {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: min(bytes, before.Max), Max: before.Max}); err != nil {
			t.Fatal(err)
		}
	}
	defer limit(before.Cur)
	log := new(lines)
	s := start(t, embedded.Options{Dir: t.TempDir(), Logger: log.logger()})
	js := connect(t, s)
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "a", Subjects: []string{"a.*"}}); err != nil {
		t.Fatal(err)
	}
	limit(1 << 20)
	var taken []string
	until(t, "full", func() bool {
		subject := fmt.Sprint("a.", len(taken))
		if _, err := js.Publish(t.Context(), subject, make([]byte, 100_000)); err == nil {
			taken = append(taken, subject)
		}
		return s.Ready() != nil
	})
	until(t, "named", func() bool { err := s.Ready(); return err != nil && strings.Contains(err.Error(), "file too large") })
	limit(math.MaxInt64)
	until(t, "ready", func() bool { return s.Ready() == nil })
	until(t, "published", func() bool { _, err := js.Publish(t.Context(), "a.last", nil); return err == nil })
	stream, err := js.Stream(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	for _, subject := range append(taken, "a.last") {
		if _, err := stream.GetLastMsgForSubject(t.Context(), subject); err != nil {
			t.Errorf("%s of %d: %v", subject, len(taken), err)
		}
	}
	if got := log.String(); !strings.Contains(got, "level=ERROR") || !strings.Contains(got, "file too large") || !strings.Contains(got, "runs again") {
		t.Errorf("the log is %s", got)
	}
}
