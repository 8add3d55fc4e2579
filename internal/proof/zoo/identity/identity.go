// Package identity has the functions that the tools of a test package consist of.
// They return their arguments, and let a test inspect the Go value, or replace
// it.
package identity

import (
	"context"
	"reflect"
)

// Recorder records the value of each call whose context has it. It is for one
// call at a time.
type Recorder struct {
	// Type is the Go type that the tool takes and returns, nil as long as no
	// function was reached.
	Type reflect.Type
	// Whole is set if the arguments as a whole are the value, otherwise it
	// is the argument named "value".
	Whole bool
	// Got is what the arguments were decoded to.
	Got reflect.Value
	// Result is the type that the tool returns, if it is another one.
	Result reflect.Type
	// Instead, if it is valid, is returned instead of Got.
	Instead reflect.Value
}

type key struct{}

// With returns a context in which r records the values.
func With(ctx context.Context, r *Recorder) context.Context {
	return context.WithValue(ctx, key{}, r)
}

// Object returns in, which is made of all the arguments.
func Object[T any](ctx context.Context, in T) T { return pass(ctx, in, true) }

// Value returns the argument named "value".
func Value[T any](ctx context.Context, in T) T { return pass(ctx, in, false) }

func pass[T any](ctx context.Context, in T, whole bool) T {
	r, _ := ctx.Value(key{}).(*Recorder)
	if r == nil {
		return in
	}
	r.Type, r.Whole = reflect.TypeFor[T](), whole
	got := in
	r.Got = reflect.ValueOf(&got).Elem()
	if r.Instead.IsValid() && r.Instead.Type() == r.Type {
		reflect.ValueOf(&in).Elem().Set(r.Instead)
	}
	return in
}

// Result returns result, or the value that the test replaces it with. It is for tools
// that return another type than they take.
func Result[T any](ctx context.Context, result T) T {
	r, _ := ctx.Value(key{}).(*Recorder)
	if r == nil {
		return result
	}
	r.Result = reflect.TypeFor[T]()
	if r.Instead.IsValid() {
		reflect.ValueOf(&result).Elem().Set(r.Instead)
	}
	return result
}
