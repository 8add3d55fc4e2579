package usercode

import (
	"context"
	"errors"
)

// Within calls f, which a user has written and which may ignore a context. It returns the error
// of f, or the cause of ctx when that ends first: then f is left behind, and what it uses is not
// used by others. A panic of f is an error that begins with name.
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
