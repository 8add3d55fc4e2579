// Package contracts contains only tests. They compare internal/contract with a JSON Schema
// validator: a change of a schema that is not reported as breaking keeps every valid argument
// valid, and makes no invalid result valid.
package contracts
