// Package contracts has only tests. They compare internal/contract with a validator of JSON Schema: a
// change of a schema that is not called breaking keeps every valid argument valid, and makes no invalid
// result valid.
package contracts
