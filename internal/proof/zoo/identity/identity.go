// Package identity contains the functions that implement the tools of a test package. They return
// their arguments, and let a test inspect or replace the Go value.
package identity

import (
	"context"
	"reflect"
)

// Recorder records the value of each call whose context contains it. It serves one call at a time.
type Recorder struct {
	// Type is the Go type that the tool takes and returns, or nil if no function was called yet.
	Type reflect.Type
	// Whole is set if the arguments as a whole are the value; otherwise the value is the argument
	// named "value".
	Whole bool
	// Got is the decoded value of the arguments.
	Got reflect.Value
	// Result is the result type of the tool, if it differs.
	Result reflect.Type
	// Instead, if it is valid, is returned in place of Got.
	Instead reflect.Value
}

type key struct{}

// With returns a context in which r records the values.
func With(ctx context.Context, r *Recorder) context.Context {
	return context.WithValue(ctx, key{}, r)
}

// Object returns in, which consists of all arguments.
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

// Result returns result, or the value that the test replaces it with. It is for tools whose result
// type differs from their arguments.
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
