package usercode

import (
	"context"
	"errors"
)

// Within calls f, a function of the user that may ignore a context. It returns the error of f, or
// the cause of ctx if ctx is cancelled first: then f is left running, and nothing that it uses may
// be used by others. A panic of f becomes an error that begins with name.
func Within(ctx context.Context, name string, f func() error) error {
	done := make(chan error, 1)
	go func() {
		var err error
		defer func() { done <- err }() // also after runtime.Goexit
		Call(func() { err = f() }, func(failed Failure) {
			err = errors.New(name + " has failed: " + failed.String())
		})
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
