package spec

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// This file validates the messages of the extension io.modelcontextprotocol/tasks, whose schema is
// schema/draft/schema.json of github.com/modelcontextprotocol/ext-tasks. MCP_TASKS_SCHEMA names the
// file; the default is ext-tasks/schema.json in the folder of the schemas. With or without the
// file, [taskShape] checks these messages too.

// tasksSchema returns the schema, or nil if it is missing.
var tasksSchema = sync.OnceValues(func() (*schema, error) {
	file := os.Getenv("MCP_TASKS_SCHEMA")
	if file == "" {
		file = filepath.Join(os.Getenv("MCP_SPEC_DIR"), "ext-tasks", "schema.json")
		if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
			return nil, nil
		}
	}
	s, err := readSchema(file)
	if err != nil {
		return nil, err
	}
	s.revision = "the extension for tasks"
	return s, nil
})

// taskCalls are the definitions of the requests and notifications of tasks, by method.
var taskCalls = map[string]string{
	"tasks/get": "GetTaskRequest", "tasks/update": "UpdateTaskRequest", "tasks/cancel": "CancelTaskRequest",
	"notifications/tasks": "TaskStatusNotification",
}

// taskCall validates a request or a notification. It reports whether the message belongs to tasks.
func taskCall(base *schema, method string, text []byte) (bool, error) {
	name := taskCalls[method]
	if err := hasTasks(method, taskShape{base}, text); name == "" || err != nil {
		return name != "" || err != nil, err
	}
	s, err := tasksSchema()
	if s == nil || err != nil {
		return true, err
	}
	return true, s.validate(name, text)
}

// hasTasks checks the shape of a message that contains tasks, and ignores others.
func hasTasks(method string, shape taskShape, text []byte) error {
	switch {
	case taskCalls[method] != "", method == listenMethod, method == acknowledged:
		return shape.call(method, text)
	}
	return nil
}

// taskResult validates a result. It reports whether the result belongs to tasks.
func taskResult(base *schema, method string, result []byte) (bool, error) {
	var name string
	switch {
	case strings.HasPrefix(method, "tasks/") && taskCalls[method] != "":
		name = strings.TrimSuffix(taskCalls[method], "Request") + "Result"
	case method == "tools/call" && isCreated(result):
		name = "CreateTaskResult"
	default:
		return false, nil
	}
	if err := (taskShape{base}).result(method, result); err != nil {
		return true, err
	}
	s, err := tasksSchema()
	if s == nil || err != nil {
		return true, err
	}
	return true, s.validate(name, result)
}

// isCreated reports whether the result of a call is a task.
func isCreated(result []byte) bool {
	var r struct {
		Type string `json:"resultType"`
	}
	return json.Unmarshal(result, &r) == nil && r.Type == "task"
}

// sessionTasks is the revision whose schema itself defines tasks.
const sessionTasks = "2025-11-25"

// isSessionTask reports whether the result of a call is a task in that revision.
func isSessionTask(result []byte) bool {
	var r struct {
		Task json.RawMessage `json:"task"`
	}
	return json.Unmarshal(result, &r) == nil && r.Task != nil
}
