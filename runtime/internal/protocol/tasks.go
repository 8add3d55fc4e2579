package protocol

// TaskForm is the form in which a revision supports tasks.
type TaskForm = uint8

const (
	// NoTasks means that the revision does not support tasks.
	NoTasks TaskForm = iota
	// TaskExtension is the extension [TasksName]: the client declares it in each request, and the
	// server decides which call becomes a task.
	TaskExtension
	// TaskSession is the experimental form of revision 2025-11-25: the client decides which call
	// becomes a task, by the member task of its params.
	TaskSession
)

// TasksName is the name of the extension by which clients and servers declare tasks.
const TasksName = "io.modelcontextprotocol/tasks"

// TaskChanged is the notification of the extension for a task that has changed.
const TaskChanged = "notifications/tasks"

// TaskMethod returns the method of tasks with a name, or [Unknown] if the revision does not support
// it.
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

// IsTask reports whether m is a method for tasks.
func (m Method) IsTask() bool { return m >= TasksGet }
