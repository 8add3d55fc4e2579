// Package findtools contains the definitions of the tools of package mcpfind, which find and call
// others. The runtime publishes them, and the command counts their tokens.
package findtools

// Threshold is the default number of tools up to which all are listed.
const Threshold = 40

// Definition describes a tool for models.
type Definition struct {
	Name        string
	Description string
	InputSchema string
}

// The names of the tools.
const (
	SearchName      = "search_tools"
	UseReadOnlyName = "use_readonly_tool"
	UseName         = "use_tool"
)

// The tools.
var (
	Search = Definition{
		Name: SearchName,
		Description: "Finds tools of this server that are not listed. Returns those that fit best, with their arguments and " +
			"the name of the tool by which to call them, and names further ones.",
		InputSchema: `{"type":"object","properties":{` +
			`"query":{"type":"string","maxLength":1000,"description":"What the tool should do, in plain words, or its name. May be left out with a group."},` +
			`"group":{"type":"string","description":"Only tools of this group."},` +
			`"limit":{"type":"integer","minimum":1,"maximum":20,"description":"How many tools to return with their arguments."}},` +
			`"additionalProperties":false}`,
	}
	UseReadOnly = Definition{
		Name:        UseReadOnlyName,
		Description: "Calls a tool that changes nothing, and returns its result. " + SearchName + " finds the tool.",
		InputSchema: use,
	}
	Use = Definition{
		Name:        UseName,
		Description: "Calls a tool, and returns its result. " + SearchName + " finds the tool.",
		InputSchema: use,
	}
)

const use = `{"type":"object","properties":{` +
	`"name":{"type":"string","description":"The name of the tool, as ` + SearchName + ` returns it."},` +
	`"arguments":{"type":"object","description":"The arguments of the tool, as its schema has them.","additionalProperties":true}},` +
	`"required":["name"],"additionalProperties":false}`

// All returns the three tools.
func All() []Definition { return []Definition{Search, UseReadOnly, Use} }
