package spec

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// This file defines the shapes of the messages of the extension for tasks, so that they are checked
// even without its schema. The schema of the revision validates parts that do not belong to tasks
// alone, such as questions, answers and results of tools.

// taskShape checks a message of tasks: a request or a notification by its method, a result by the
// method of its request.
type taskShape struct{ base *schema }

// call checks the params of a request or a notification.
func (s taskShape) call(method string, text []byte) error {
	var m struct{ Params json.RawMessage }
	if err := json.Unmarshal(text, &m); err != nil {
		return err
	}
	var params map[string]json.RawMessage
	if err := json.Unmarshal(m.Params, &params); err != nil || params == nil {
		return errors.New("params must be an object")
	}
	switch method {
	case "notifications/tasks":
		if err := s.base.validate("NotificationParams", m.Params); err != nil {
			return err
		}
		return s.detailed(params)
	case listenMethod, acknowledged:
		return s.filter(params["notifications"])
	case "tasks/update":
		if params["inputResponses"] == nil {
			return errors.New("params.inputResponses is missing")
		}
		if err := s.base.validate("InputResponses", params["inputResponses"]); err != nil {
			return err
		}
	}
	return isString(params, "taskId")
}

const (
	listenMethod = "subscriptions/listen"
	acknowledged = "notifications/subscriptions/acknowledged"
)

// filter checks the tasks of a listen.
func (s taskShape) filter(notifications json.RawMessage) error {
	var f struct{ TaskIDs json.RawMessage }
	var ids []*string
	if json.Unmarshal(notifications, &f) != nil || f.TaskIDs == nil {
		return nil
	}
	if err := json.Unmarshal(f.TaskIDs, &ids); err != nil || ids == nil || slices.Contains(ids, nil) {
		return errors.New("taskIds must be an array of strings")
	}
	return nil
}

// result checks the result of a request.
func (s taskShape) result(method string, text []byte) error {
	if err := s.base.validate("Result", text); err != nil {
		return err
	}
	var result map[string]json.RawMessage
	if err := json.Unmarshal(text, &result); err != nil {
		return err
	}
	kind := "complete"
	if method == "tools/call" {
		kind = "task"
	}
	if got := string(result["resultType"]); got != `"`+kind+`"` {
		return fmt.Errorf("resultType is %s, and must be %s", got, kind)
	}
	switch method {
	case "tools/call":
		return s.task(result)
	case "tasks/get":
		return s.detailed(result)
	}
	return nil
}

// statuses are the statuses of tasks, with the member that each requires.
var statuses = map[string]string{"working": "", "input_required": "inputRequests", "completed": "result", "failed": "error", "cancelled": ""}

// task checks the members of every task.
func (s taskShape) task(t map[string]json.RawMessage) error {
	for _, name := range []string{"taskId", "status", "createdAt", "lastUpdatedAt"} {
		if err := isString(t, name); err != nil {
			return err
		}
	}
	if t["statusMessage"] != nil {
		if err := isString(t, "statusMessage"); err != nil {
			return err
		}
	}
	for _, name := range []string{"createdAt", "lastUpdatedAt"} {
		var at time.Time
		if err := json.Unmarshal(t[name], &at); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	var n int64
	if ttl := t["ttlMs"]; ttl == nil || string(ttl) != "null" && json.Unmarshal(ttl, &n) != nil {
		return errors.New("ttlMs must be an integer or null")
	}
	if poll := t["pollIntervalMs"]; poll != nil && (string(poll) == "null" || json.Unmarshal(poll, &n) != nil) {
		return errors.New("pollIntervalMs must be an integer")
	}
	if _, ok := statuses[status(t)]; !ok {
		return fmt.Errorf("status is %s, and must be one of %v", t["status"], slices.Sorted(maps.Keys(statuses)))
	}
	return nil
}

// detailed checks that a task contains the member that its status requires, and no member of
// another status.
func (s taskShape) detailed(t map[string]json.RawMessage) error {
	if err := s.task(t); err != nil {
		return err
	}
	now := status(t)
	for of, name := range statuses {
		switch {
		case name == "":
		case of == now && t[name] == nil:
			return fmt.Errorf("a task that is %s has no %s", now, name)
		case of != now && t[name] != nil:
			return fmt.Errorf("a task that is %s has %s", now, name)
		}
	}
	switch now {
	case "input_required":
		return s.base.validate("InputRequests", t["inputRequests"])
	case "completed":
		return s.base.validate("CallToolResult", t["result"])
	case "failed":
		return s.base.validate("Error", t["error"])
	}
	return nil
}

func status(t map[string]json.RawMessage) (s string) {
	_ = json.Unmarshal(t["status"], &s)
	return s
}

func isString(object map[string]json.RawMessage, name string) error {
	var s *string
	if err := json.Unmarshal(object[name], &s); err != nil || s == nil {
		return fmt.Errorf("%s must be a string", name)
	}
	return nil
}
