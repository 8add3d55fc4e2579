package main

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
)

// set is a set of names of locks.
type set map[string]bool

// with returns a new set with additional names.
func (s set) with(more set) set {
	out := maps.Clone(s)
	if out == nil {
		out = set{}
	}
	maps.Copy(out, more)
	return out
}

func (s set) String() string { return strings.Join(slices.Sorted(maps.Keys(s)), ",") }

// event is an operation that may wait, or the acquisition of a lock.
type event struct {
	what     string
	lock     bool
	released set // locks of the caller that are released in the meantime
	path     []string
}

// state is the state at a statement: the locks that the function has acquired, and the locks of its
// caller that it has released. It is nil at unreachable statements.
type state struct{ held, released set }

func (s *state) clone() *state {
	if s == nil {
		return nil
	}
	return &state{maps.Clone(s.held), maps.Clone(s.released)}
}

// merge returns the state after either of two: a lock counts as held if it may be held.
func merge(a, b *state) *state {
	switch {
	case a == nil:
		return b.clone()
	case b == nil:
		return a.clone()
	}
	out := &state{a.held.with(b.held), set{}}
	for l := range a.released {
		if b.released[l] {
			out.released[l] = true
		}
	}
	return out
}

// walker reads the body of a function.
type walker struct {
	*scanner
	n      *node
	out    summary
	at     *state
	exits  *state
	defers []*ast.CallExpr
	breaks []*enclosing
}

// enclosing is a statement that break or continue can leave.
type enclosing struct {
	label string
	loop  bool
	after *state // of break
	again *state // of continue
}

// walk returns the summary of a function, given the summaries of its callees.
func (s *scanner) walk(n *node) summary {
	w := &walker{scanner: s, n: n, out: newSummary(), at: &state{set{}, set{}}}
	w.block(n.body)
	w.at = merge(w.at, w.exits)
	if w.at == nil { // it never returns
		w.at = &state{set{}, set{}}
	}
	for _, c := range slices.Backward(w.defers) {
		w.invoke(c)
	}
	w.out.leaves, w.out.releases = w.at.held, w.at.released
	return w.out
}

func (w *walker) block(b *ast.BlockStmt) {
	if b != nil {
		w.statements(b.List)
	}
}

func (w *walker) statements(list []ast.Stmt) {
	for _, s := range list {
		w.statement(s, "")
	}
}

func (w *walker) statement(s ast.Stmt, label string) {
	if w.at == nil {
		return
	}
	switch s := s.(type) {
	case *ast.BlockStmt:
		w.block(s)
	case *ast.LabeledStmt:
		w.statement(s.Stmt, s.Label.Name)
	case *ast.IfStmt:
		w.branch(s)
	case *ast.ForStmt:
		w.optional(s.Init)
		w.loop(label, s.Cond != nil, func() {
			w.expr(s.Cond)
		}, func() {
			w.block(s.Body)
		}, func() { w.optional(s.Post) })
	case *ast.RangeStmt:
		w.ranges(s, label)
	case *ast.SwitchStmt:
		w.optional(s.Init)
		w.expr(s.Tag)
		w.clauses(s.Body, label)
	case *ast.TypeSwitchStmt:
		w.optional(s.Init)
		w.optional(s.Assign)
		w.clauses(s.Body, label)
	case *ast.SelectStmt:
		w.selects(s, label)
	case *ast.ReturnStmt:
		for _, r := range s.Results {
			w.expr(r)
		}
		w.exits = merge(w.exits, w.at)
		w.at = nil
	case *ast.BranchStmt:
		w.leave(s)
	case *ast.GoStmt:
		for _, a := range s.Call.Args {
			w.expr(a)
		}
	case *ast.DeferStmt:
		for _, a := range s.Call.Args {
			w.expr(a)
		}
		// A call that returns the deferred function runs now.
		if c, ok := ast.Unparen(s.Call.Fun).(*ast.CallExpr); ok {
			w.expr(c)
		}
		w.defers = append(w.defers, s.Call)
	case *ast.SendStmt:
		w.expr(s.Chan)
		w.expr(s.Value)
		w.wait(s.Pos(), "send "+w.channel(s.Chan))
	case *ast.ExprStmt:
		w.expr(s.X)
		if c, ok := s.X.(*ast.CallExpr); ok {
			if id, ok := c.Fun.(*ast.Ident); ok && id.Name == "panic" {
				w.at = nil
			}
		}
	case *ast.AssignStmt:
		for _, e := range slices.Concat(s.Rhs, s.Lhs) {
			w.expr(e)
		}
	case *ast.IncDecStmt:
		w.expr(s.X)
	case *ast.DeclStmt:
		ast.Inspect(s, func(x ast.Node) bool {
			if v, ok := x.(*ast.ValueSpec); ok {
				for _, e := range v.Values {
					w.expr(e)
				}
				return false
			}
			return true
		})
	}
}

func (w *walker) optional(s ast.Stmt) {
	if s != nil {
		w.statement(s, "")
	}
}

func (w *walker) branch(s *ast.IfStmt) {
	w.optional(s.Init)
	// After TryLock, a lock is held in one branch.
	tried, negated := ast.Unparen(s.Cond), false
	if u, ok := tried.(*ast.UnaryExpr); ok && u.Op == token.NOT {
		tried, negated = ast.Unparen(u.X), true
	}
	var then, other *state
	if c, ok := tried.(*ast.CallExpr); ok && w.tries(c) {
		taken := w.at.clone()
		w.take(taken, w.locks(w.n.info, w.mutex(c)))
		then, other = taken, w.at
		if negated {
			then, other = other, then
		}
	} else {
		w.expr(s.Cond)
		then, other = w.at.clone(), w.at
	}
	w.at = then
	w.block(s.Body)
	then, w.at = w.at, other
	if s.Else != nil {
		w.statement(s.Else, "")
	}
	w.at = merge(then, w.at)
}

// loop walks a body twice, since the state after one iteration is the state before the next.
func (w *walker) loop(label string, ends bool, head, body, post func()) {
	t := &enclosing{label: label, loop: true}
	w.breaks = append(w.breaks, t)
	var after *state
	for range 2 {
		head()
		if ends {
			after = merge(after, w.at)
		}
		entry := w.at.clone()
		body()
		w.at = merge(w.at, t.again)
		if w.at != nil {
			post()
		}
		w.at = merge(w.at, entry)
	}
	w.breaks = w.breaks[:len(w.breaks)-1]
	w.at = merge(after, t.after)
}

func (w *walker) clauses(b *ast.BlockStmt, label string) {
	t := &enclosing{label: label}
	w.breaks = append(w.breaks, t)
	entry := w.at
	after, complete := (*state)(nil), false
	for _, s := range b.List {
		c := s.(*ast.CaseClause)
		w.at = entry.clone()
		complete = complete || c.List == nil
		for _, e := range c.List {
			w.expr(e)
		}
		w.statements(c.Body)
		after = merge(after, w.at)
	}
	w.breaks = w.breaks[:len(w.breaks)-1]
	if !complete {
		after = merge(after, entry)
	}
	w.at = merge(after, t.after)
}

func (w *walker) selects(s *ast.SelectStmt, label string) {
	var channels []string
	always := false
	for _, c := range s.Body.List {
		comm := c.(*ast.CommClause).Comm
		always = always || comm == nil
		switch comm := comm.(type) {
		case *ast.SendStmt:
			w.expr(comm.Chan)
			w.expr(comm.Value)
			channels = append(channels, "send "+w.channel(comm.Chan))
		case *ast.ExprStmt:
			channels = append(channels, w.received(comm.X))
		case *ast.AssignStmt:
			channels = append(channels, w.received(comm.Rhs[0]))
		}
	}
	if !always {
		w.wait(s.Pos(), "select "+strings.Join(channels, " or "))
	}
	t := &enclosing{label: label}
	w.breaks = append(w.breaks, t)
	entry, after := w.at, (*state)(nil)
	for _, c := range s.Body.List {
		w.at = entry.clone()
		w.statements(c.(*ast.CommClause).Body)
		after = merge(after, w.at)
	}
	w.breaks = w.breaks[:len(w.breaks)-1]
	w.at = merge(after, t.after)
}

func (w *walker) received(e ast.Expr) string {
	u := ast.Unparen(e).(*ast.UnaryExpr)
	w.expr(u.X)
	return "receive " + w.channel(u.X)
}

func (w *walker) leave(s *ast.BranchStmt) {
	if s.Tok == token.FALLTHROUGH {
		return
	}
	for _, t := range slices.Backward(w.breaks) {
		if s.Label != nil && t.label != s.Label.Name || s.Label == nil && s.Tok == token.CONTINUE && !t.loop {
			continue
		}
		if s.Tok == token.CONTINUE {
			t.again = merge(t.again, w.at)
		} else {
			t.after = merge(t.after, w.at)
		}
		break
	}
	w.at = nil
}
