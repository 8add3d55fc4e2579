package reach_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/pipeline"
	"github.com/mcpgen/mcpgen/generator/internal/reach"
)

// source contains tools whose comment ends with the errors that a call can return.
const source = `
-- go.mod --
module example.com/shop

go 1.26
-- db/db.go --
package db

import "errors"

var ErrNoRows = errors.New("no rows")

type Conflict struct{ Key string }

func (c *Conflict) Error() string { return c.Key }

func Get(id int) error { return ErrNoRows }

func Name() string { return "" }
-- cache/cache.go --
package cache

import "example.com/shop/db"

type Cache struct{}

func (Cache) Get(id int) error { return db.Get(id) }
-- shop.go --
//mcp:error db.ErrNoRows
package shop

import (
	"context"
	"errors"
	"fmt"

	"example.com/shop/cache"
	"example.com/shop/db"
)

//mcp:error
var ErrFull = errors.New("full")

//mcp:error
var ErrGone = errors.New("gone")

//mcp:error
var ErrMissing = db.ErrNoRows

//mcp:error
type LimitError struct{ Limit int }

func (e *LimitError) Error() string { return "limit" }

//mcp:error
func Conflicts(c *db.Conflict) string { return c.Key }

// Direct: ErrFull
//
//mcp:tool
func Direct() error { return ErrFull }

// Wrapped: ErrGone
//
//mcp:tool
func Wrapped() error { return fmt.Errorf("wrapped: %w", first(1)) }

// first calls itself by second.
func first(n int) error { return second(n) }

func second(n int) error {
	if n == 0 {
		return first(n)
	}
	return func() error { return ErrGone }()
}

// Typed: LimitError
//
//mcp:tool
func Typed() error { return limit() }

func limit() error { return &LimitError{3} }

// ByTable: ErrGone
//
//mcp:tool
func ByTable(name string) error { return table[name]() }

var table = map[string]func() error{"a": func() error { return ErrGone }}

// Nothing: none
//
//mcp:tool
func Nothing() error { return errors.New(db.Name()) }

// ByDB: ErrNoRows ErrMissing Conflicts
//
//mcp:tool
func ByDB() error { return db.Get(1) }

// ByCache: ErrNoRows ErrMissing Conflicts
//
//mcp:tool
func ByCache() error { return new(cache.Cache).Get(1) }

type Store struct{ keeper Keeper }

type Keeper interface{ Keep(id int) error }

type memory struct{}

func (memory) Keep(id int) error { return ErrFull }

type other struct{}

func (*other) Keep(id int) error { return &LimitError{} }

// unrelated has not all methods.
type Large interface {
	Keep(id int) error
	Drop(id int) error
}

// Keep: ErrFull LimitError
//
//mcp:tool
func (s *Store) Keep(id int) error { return s.keeper.Keep(id) }

// Large: none
//
//mcp:tool
func ByLarge(id int) error { return large.Drop(id) }

var large Large

type User struct{}

//mcp:inject
func userOf(ctx context.Context) (*User, error) { return nil, ErrGone }

// Injected: ErrGone ErrFull
//
//mcp:tool
func Injected(u *User) error { return ErrFull }

// Generic: ErrFull
//
//mcp:tool
func Generic() error { return each[int](nil) }

func each[T any](list []T) error { return box[T]{}.open() }

type box[T any] struct{ v T }

func (b box[T]) open() error { return ErrFull }
`

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(source)).Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	res, err := pipeline.Generate(t.Context(), pipeline.Config{Dir: dir, Env: append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOFLAGS=-mod=mod")})
	if err != nil {
		t.Fatal(err)
	}
	if res.Diagnostics.HasErrors() || len(res.Packages) != 1 {
		var b strings.Builder
		diag.Print(&b, res.Diagnostics, dir)
		t.Fatal(b.String())
	}
	m := res.Packages[0].Model
	graph := reach.NewGraph(res.Packages[0].Loaded)
	for _, tool := range m.Tools {
		_, text, _ := strings.Cut(tool.Description, ": ")
		want := map[string]bool{}
		for name := range strings.FieldsSeq(text) {
			want[name] = name != "none"
		}
		delete(want, "none")
		var got []string
		for _, e := range graph.Errors(m, &tool.Call) {
			got = append(got, e.Name)
			if !want[e.Name] {
				t.Errorf("%s: %s is not among %s", tool.Name, e.Name, text)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %q, want %s", tool.Name, got, text)
		}
	}
	if len(m.Tools) < 11 {
		t.Errorf("%d tools", len(m.Tools))
	}
}
