package main

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// sound returns the ledger and the effects of a correct run.
func sound() (*ledger, []effect) {
	l := newLedger()
	now := time.Now()
	l.began, l.ended = now, now.Add(23*time.Second)
	l.kills = []kill{{now.Add(10 * time.Second), failTime}}
	l.sessions["a"] = 1
	all := make([]int, progressEvents)
	for i := range all {
		all[i] = i + 1
	}
	l.calls["a-1"] = &call{tool: "add", result: "a-1", done: true}
	l.calls["a-2"] = &call{tool: "steps", result: "a-2", done: true, progress: all}
	l.calls["a-3"] = &call{tool: "ask", result: answerOf("a-3"), done: true, asked: 1}
	l.calls["a-4"] = &call{tool: "change", result: "a-4", done: true}
	l.calls["b-1"] = &call{tool: "work", asked: 1}
	l.tasks["T"] = &task{nonce: "b-1", results: []string{answerOf("b-1") + " by run 1", answerOf("b-1") + " by run 1"}}
	l.failures = []failure{{now.Add(12 * time.Second), "add c-1", brokenFailure, "EOF"}}
	l.received[listener{"a", itemURI(1)}] = []time.Time{now.Add(6 * time.Second)}
	for i := range 14 * limitRate { // 3 to 10 s, and 16 to 23
		at := now.Add(3*time.Second + time.Duration(i)*time.Second/limitRate + time.Millisecond)
		if i >= 7*limitRate {
			at = at.Add(6 * time.Second)
		}
		l.passed = append(l.passed, at)
	}
	l.once("event s.1-1 of x", "one")
	l.once("event s.1-1 of x", "one")
	return l, []effect{
		{now, ranEffect, "a-1", "-", 1}, {now, ranEffect, "a-2", "-", 1}, {now, answeredEffect, "a-3", answerOf("a-3"), 1},
		{now.Add(5 * time.Second), changedEffect, "a-4", itemURI(1), 1}, {now, answeredEffect, "b-1", answerOf("b-1"), 1},
	}
}

// The checker finds each fault that is added to a correct run.
func TestChecker(t *testing.T) {
	l, effects := sound()
	if faults := l.check(effects); len(faults) > 0 {
		t.Fatalf("of a run without faults: %q", faults)
	}
	for name, c := range map[string]struct {
		put  func(l *ledger, effects []effect) []effect
		want string
	}{
		"a task is lost":            {func(l *ledger, e []effect) []effect { l.tasks["T"].results = nil; return e }, "is lost"},
		"a task has two results":    {func(l *ledger, e []effect) []effect { l.tasks["T"].results[1] += "0"; return e }, "has the results"},
		"a task has another result": {func(l *ledger, e []effect) []effect { l.tasks["T"].results = []string{"x"}; return e }, "the result is"},
		"an answer is not used":     {func(l *ledger, e []effect) []effect { return e[:4] }, "used its answer 0 times"},
		"progress is lost":          {func(l *ledger, e []effect) []effect { c := l.calls["a-2"]; c.progress = c.progress[:19]; return e }, "a-2: progress"},
		"progress is repeated":      {func(l *ledger, e []effect) []effect { l.calls["a-2"].progress[5] = 5; return e }, "a-2: progress"},
		"progress is swapped":       {func(l *ledger, e []effect) []effect { p := l.calls["a-2"].progress; p[5], p[6] = p[6], p[5]; return e }, "a-2: progress"},
		"a call runs twice":         {func(_ *ledger, e []effect) []effect { return append(e, e[0]) }, "ran 2 times"},
		"a call does not run":       {func(_ *ledger, e []effect) []effect { return e[1:] }, "ran 0 times"},
		"a result is another's":     {func(l *ledger, e []effect) []effect { l.calls["a-1"].result = "a-2"; return e }, "the result is"},
		"a question is put twice":   {func(l *ledger, e []effect) []effect { l.calls["a-3"].asked = 2; return e }, "answered 2 times"},
		"a task asks too often": {func(l *ledger, e []effect) []effect {
			l.calls[sessionTasks+"0-1"] = &call{tool: "work", asked: 2 + len(l.kills)}
			return e
		}, "answered 3 times"},
		"an answer is used twice": {func(_ *ledger, e []effect) []effect { return append(e, e[2]) }, "used 2 times"},
		"an answer is another's":  {func(_ *ledger, e []effect) []effect { e[2].value = "x"; return e }, `the answer "x" was used`},
		"a change is not received": {func(l *ledger, e []effect) []effect {
			clear(l.received)
			l.received[listener{"a", itemURI(1)}] = nil
			return e
		}, "has not received"},
		"a session is opened anew":  {func(l *ledger, e []effect) []effect { l.opened("a"); return e }, "2 sessions"},
		"a request fails late":      {func(l *ledger, e []effect) []effect { l.failures[0].at = l.kills[0].at.Add(7 * time.Second); return e }, "too late"},
		"a request fails early":     {func(l *ledger, e []effect) []effect { l.failures[0].at = l.began; return e }, "before any kill"},
		"a request fails otherwise": {func(l *ledger, e []effect) []effect { l.failures[0].kind = classify(errors.New("x")); return e }, "fails as"},
		"too many pass":             {func(l *ledger, e []effect) []effect { l.passed = append(l.passed, l.passed[:40]...); return e }, "let 106 % pass"},
		"too few pass":              {func(l *ledger, e []effect) []effect { l.passed = l.passed[110:]; return e }, "let 84 % pass"},
		"an event has two texts":    {func(l *ledger, e []effect) []effect { l.once("event s.1-1 of x", "two"); return e }, "there are two"},
		"a request has two answers": {func(l *ledger, e []effect) []effect {
			l.once("answer of x to 1", "a")
			l.once("answer of x to 1", "b")
			return e
		}, "there are two"},
	} {
		t.Run(name, func(t *testing.T) {
			l, effects := sound()
			faults := l.check(c.put(l, effects))
			if len(faults) == 0 || !strings.Contains(strings.Join(faults, "\n"), c.want) {
				t.Errorf("found %q, want %q", faults, c.want)
			}
		})
	}
}

// The tap finds missing and repeated events, and repeated answers.
func TestTap(t *testing.T) {
	const one = "id: C.1-1\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progress\":1}}\n\n"
	const two = "id: C.1-2\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n"
	const other = "id: C.1-2\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}\n\n"
	for name, c := range map[string]struct {
		responses []string
		want      string
	}{
		"sound":             {[]string{one + two}, ""},
		"resumed":           {[]string{one, two}, ""},
		"repeated as it is": {[]string{one + two, two}, ""},
		"missing":           {[]string{one + strings.Replace(two, "1-2", "1-3", 1)}, "follows 1"},
		"twice":             {[]string{one + one}, "follows 1"},
		"another text":      {[]string{one + two, other}, "there are two"},
		"two answers":       {[]string{one + two + strings.Replace(two, "1-2", "1-3", 1)}, "twice"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLedger()
			for _, text := range c.responses {
				tap := &tap{ledger: l, session: "x", stream: true, last: map[string]uint64{}, answers: map[string]bool{}}
				for i := range len(text) { // in pieces of any size
					tap.read([]byte{text[i]})
				}
				tap.end()
			}
			if got := strings.Join(l.faults, "\n"); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}
