package protocol

// TaskForm is how calls of tools become tasks in a revision.
type TaskForm = uint8

const (
	// NoTasks is a revision without tasks.
	NoTasks TaskForm = iota
	// TaskExtension is the extension [TasksName]: the client declares it in each request, and
	// the server decides which call becomes a task.
	TaskExtension
)

// TasksName is the name of the extension by which clients and servers declare tasks.
const TasksName = "io.modelcontextprotocol/tasks"

// TaskChanged is the notification with a task that has changed, of the extension.
const TaskChanged = "notifications/tasks"

// TaskMethod returns the method of tasks with a name, [Unknown] if the revision has none of it.
func (r *Revision) TaskMethod(name []byte) Method {
	if r.Tasks != TaskExtension {
		return Unknown
	}
	switch string(name) {
	case "tasks/get":
		return TasksGet
	case "tasks/update":
		return TasksUpdate
	case "tasks/cancel":
		return TasksCancel
	}
	return Unknown
}

// IsTask reports whether a method is one of tasks.
func (m Method) IsTask() bool { return m >= TasksGet }
