package protocol

import "slices"

// Method is a request that a client sends.
type Method uint8

// The methods of all revisions.
const (
	Unknown Method = iota
	Initialize
	Ping
	Discover
	ToolsList
	ToolsCall
	ResourcesList
	ResourcesTemplatesList
	ResourcesRead
	ResourcesSubscribe
	ResourcesUnsubscribe
	PromptsList
	PromptsGet
	Complete
	SetLevel
	Listen

	MethodCount
)

// Methods of tasks, which a revision may support: see [Revision.TaskMethod].
const (
	TasksGet Method = MethodCount + iota
	TasksUpdate
	TasksCancel
	TasksResult // in the form [TaskSession] only

	allMethods
)

// Names of the methods on the wire.
var names = [allMethods]string{
	Initialize:             "initialize",
	Ping:                   "ping",
	Discover:               "server/discover",
	ToolsList:              "tools/list",
	ToolsCall:              "tools/call",
	ResourcesList:          "resources/list",
	ResourcesTemplatesList: "resources/templates/list",
	ResourcesRead:          "resources/read",
	ResourcesSubscribe:     "resources/subscribe",
	ResourcesUnsubscribe:   "resources/unsubscribe",
	PromptsList:            "prompts/list",
	PromptsGet:             "prompts/get",
	Complete:               "completion/complete",
	SetLevel:               "logging/setLevel",
	Listen:                 "subscriptions/listen",
	TasksGet:               "tasks/get",
	TasksUpdate:            "tasks/update",
	TasksCancel:            "tasks/cancel",
	TasksResult:            "tasks/result",
}

// String returns the name of the method on the wire.
func (m Method) String() string { return names[m] }

// MayAskClient reports whether the handler of a request may send requests to the client. It is the
// same in every revision, so that a handler behaves the same in all.
func (m Method) MayAskClient() bool {
	return m == ToolsCall || m == PromptsGet || m == ResourcesRead
}

// MethodOf returns the method with a name, or [Unknown].
func MethodOf(name string) Method {
	return Method(max(0, slices.Index(names[1:], name)+1)) // names begins with the name of Unknown
}

// table returns the methods by name.
func table(methods ...Method) map[string]Method {
	t := make(map[string]Method, len(methods))
	for _, m := range methods {
		t[m.String()] = m
	}
	return t
}

// session contains the methods of every revision with sessions.
var session = []Method{
	Initialize, Ping,
	ToolsList, ToolsCall,
	ResourcesList, ResourcesTemplatesList, ResourcesRead, ResourcesSubscribe, ResourcesUnsubscribe,
	PromptsList, PromptsGet,
	Complete, SetLevel,
}

// Known reports whether any revision defines a request or a notification of that name.
func Known(name string) bool {
	return name != "" && (slices.Contains(names[:], name) || slices.Contains(notifications, name) || name == TaskChanged)
}

// notifications contains all notifications, of either side.
var notifications = []string{
	Initialized, Cancelled, Progress, RootsListChanged, LogMessage, ElicitationComplete,
	ToolsListChanged, PromptsListChanged, ResourcesListChanged, ResourceUpdated, Acknowledged,
}

// Notifications of changes, which a server sends.
const (
	ToolsListChanged     = "notifications/tools/list_changed"
	PromptsListChanged   = "notifications/prompts/list_changed"
	ResourcesListChanged = "notifications/resources/list_changed"
	ResourceUpdated      = "notifications/resources/updated"
	Acknowledged         = "notifications/subscriptions/acknowledged"
)

// Notifications that a client sends.
const (
	Initialized      = "notifications/initialized"
	Cancelled        = "notifications/cancelled"
	Progress         = "notifications/progress"
	RootsListChanged = "notifications/roots/list_changed"
)
