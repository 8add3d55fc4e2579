package analyze

import (
	"time"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/directive"
	"github.com/mcpgen/mcpgen/generator/internal/model"
	"github.com/mcpgen/mcpgen/internal/valid"
)

// taskWords contains the keys of directives for tasks. A nil field means that no directive contains
// the key.
type taskWords struct {
	task              string // "" if no directive contains task=
	inline, ttl, poll *time.Duration
	restart           *bool
}

// defaultInline limits the duration of an optional call before it becomes a task.
const defaultInline = 2 * time.Second

// with overrides the keys by a directive's keys.
func (w taskWords) with(d *directive.Directive) taskWords {
	if v, set := d.String("task"); set {
		w.task = v
	}
	for name, to := range map[string]**time.Duration{"inline": &w.inline, "taskttl": &w.ttl, "poll": &w.poll} {
		if v, set := d.Duration(name); set {
			*to = &v
		}
	}
	if v, set := d.Flag("restart"); set {
		w.restart = &v
	}
	return w
}

// task reads the tool's task settings. The tool's hints are already set.
func (a *analyzer) task(tool *model.Tool, dir *directive.Directive, outer taskWords, at diag.Place) bool {
	w := outer.with(dir)
	if w.task == "" || w.task == "forbidden" {
		return a.noTask(dir, at)
	}
	t := &model.Task{Required: w.task == "required", Restart: tool.Hints.ReadOnly || tool.Hints.Idempotent}
	if !t.Required {
		t.Inline = defaultInline
	}
	for _, of := range []struct{ to, value *time.Duration }{{&t.Inline, w.inline}, {&t.TTL, w.ttl}, {&t.Poll, w.poll}} {
		if of.value != nil {
			*of.to = *of.value
		}
	}
	if w.restart != nil {
		t.Restart = *w.restart
	}
	if w.ttl != nil && (*w.ttl == 0 || !valid.AreTaskTimes(t.Inline, *w.ttl, t.Poll)) {
		a.diags.Errorf(at.At(valuePos(dir, "taskttl")).Pos, at.Subject, "taskttl=%s is less than a minute: a client could not get the result", *w.ttl).
			Hint = "write taskttl=1m or more"
		return false
	}
	tool.Task = t
	return true
}

// noTask refuses keys that have no effect without task=.
func (a *analyzer) noTask(dir *directive.Directive, at diag.Place) bool {
	for _, name := range []string{"inline", "taskttl", "poll", "restart"} {
		if arg, set := dir.Get(name); set {
			a.diags.Errorf(arg.Pos, at.Subject, "%s is for tasks, and calls of this tool do not become tasks", name).
				Hint = "add task=optional, or leave " + name + " out"
			return false
		}
	}
	return true
}
