package mcptest

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// recorder is a test whose failure does not fail the surrounding test.
type recorder struct {
	testing.TB
	said     []string
	cleanups []func()
}

func (r *recorder) Helper()                  {}
func (r *recorder) Context() context.Context { return context.Background() }
func (r *recorder) Cleanup(f func())         { r.cleanups = append(r.cleanups, f) }

func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// Failure runs a separate test and returns its output.
func Failure(test func(testing.TB)) string {
	r := &recorder{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			for _, cleanup := range r.cleanups {
				cleanup()
			}
		}()
		test(r)
	}()
	<-done
	return strings.Join(r.said, "\n")
}
