package protocol

// ServerCapability is a capability of servers, or a member of one.
type ServerCapability struct {
	Name   string // "resources"
	Member string // "subscribe"; "" for the capability itself
}

// String returns the path: "resources.subscribe".
func (c ServerCapability) String() string {
	if c.Member == "" {
		return c.Name
	}
	return c.Name + "." + c.Member
}

// requiredCapabilities contains the capability that a server must have declared for each request.
var requiredCapabilities = [MethodCount]ServerCapability{
	ToolsList:              {Name: "tools"},
	ToolsCall:              {Name: "tools"},
	ResourcesList:          {Name: "resources"},
	ResourcesTemplatesList: {Name: "resources"},
	ResourcesRead:          {Name: "resources"},
	ResourcesSubscribe:     {Name: "resources", Member: "subscribe"},
	ResourcesUnsubscribe:   {Name: "resources", Member: "subscribe"},
	PromptsList:            {Name: "prompts"},
	PromptsGet:             {Name: "prompts"},
	Complete:               {Name: "completions"},
	SetLevel:               {Name: "logging"},
}

// Required returns the capability that a server must have declared for a request, if the revision
// defines one.
func (r *Revision) Required(m Method) (c ServerCapability, ok bool) {
	c = requiredCapabilities[m]
	if m == Complete && !r.Fields.Completions {
		return c, false
	}
	return c, c.Name != ""
}
