package protocol

// TaskForm is how calls of tools become tasks in a revision.
type TaskForm = uint8

const (
	// NoTasks is a revision without tasks.
	NoTasks TaskForm = iota
	// TaskExtension is the extension [TasksName]: the client declares it in each request, and
	// the server decides which call becomes a task.
	TaskExtension
	// TaskSession is the experimental form of revision 2025-11-25: the client decides which
	// call becomes a task, by the member task of its params.
	TaskSession
)

// TasksName is the name of the extension by which clients and servers declare tasks.
const TasksName = "io.modelcontextprotocol/tasks"

// TaskChanged is the notification with a task that has changed, of the extension.
const TaskChanged = "notifications/tasks"

// TaskMethod returns the method of tasks with a name, [Unknown] if the revision has none of it.
func (r *Revision) TaskMethod(name []byte) Method {
	for _, m := range taskMethods[r.Tasks] {
		if m.String() == string(name) {
			return m
		}
	}
	return Unknown
}

// taskMethods are the methods of each form.
var taskMethods = [...][]Method{
	TaskExtension: {TasksGet, TasksUpdate, TasksCancel},
	TaskSession:   {TasksGet, TasksResult, TasksCancel},
}

// IsTask reports whether a method is one of tasks.
func (m Method) IsTask() bool { return m >= TasksGet }
