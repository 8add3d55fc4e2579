package vet

// Rule is a row of the table.
type Rule struct {
	ID    string
	Finds string // one line, without a full stop
	Why   string // one line or two: what comes of it, and what to do

	check func(*checker)
}

// Rules returns the table. It is shared and must not be changed.
func Rules() []Rule { return rules }

var rules []Rule

// The table refers to functions that refer to it.
func init() {
	rules = []Rule{
		{
			"missing-description", "a tool, resource or prompt, or an argument of a tool or prompt, that nothing describes",
			"A model chooses by descriptions. Write a doc comment, or a comment on the parameter.",
			(*checker).missingDescriptions,
		},
		{
			"repeated-description", "two features with one description, two arguments of a feature with one, or one that only repeats a name",
			"A model cannot tell them apart, or learns nothing. Say how they differ, and what a value looks like.",
			(*checker).repeatedDescriptions,
		},
		{
			"undecided-hints", "a tool that neither its directive nor //mcp:defaults call readonly, destructive or additive, and openworld or closedworld",
			"Clients ask their users before what is destructive and open, which is what is published where nobody decides.",
			(*checker).undecidedHints,
		},
		{
			"undecided-errors", "a package whose features return errors, without errors= in its //mcp:defaults",
			"The text of every error goes to whoever calls, over HTTP too, with whatever is in it. Decide for errors=declared or errors=text.",
			(*checker).undecidedErrors,
		},
		{
			"ignored-question", "a question to the user or the model (Elicit, ElicitFields, ElicitURL, Sample, Roots) whose error is dropped",
			"The error is how the call is interrupted until the answer is there; without it the function goes on as if it had one.",
			(*checker).ignoredQuestions,
		},
		{
			"identity-argument", "an argument that says who calls: tenant, user_id, account, token, password, api_key and the like",
			"The model chooses arguments, and whoever can write to its context chooses for it. Take it from the request with //mcp:inject.",
			(*checker).identityArguments,
		},
		{
			"client-name", "a tool whose name, as mcp__SERVER__TOOL, is longer than 64 characters or has others than letters, digits, _ and -",
			"Clients put the server in front of the name, and the APIs of models refuse what is longer or has a dot.",
			(*checker).clientNames,
		},
		{
			"hidden-character", "characters in a text that look like nothing, letters that look like others, and HTML comments",
			"A reviewer does not see what a model reads. What no text needs at all, the generator itself refuses.",
			(*checker).hiddenCharacters,
		},
		{
			"instruction-text", "a text that gives orders to the model that have nothing to do with the feature",
			"That is how tools are poisoned, and clients that look for it block the server. Describe what the feature does.",
			(*checker).instructionTexts,
		},
		{
			"token-budget", "a tool that costs more tokens than -max-tokens",
			"Its definition is part of each conversation. Shorten descriptions, or split the arguments; mcpgen list shows what costs how much.",
			(*checker).tokenBudget,
		},
		{
			"too-many-tools", "a package with more tools than -max-tools",
			"Some clients pass on 40 tools of all servers together, others refuse more than 128, and models choose worse. Join tools, or select groups.",
			(*checker).tooManyTools,
		},
		{
			"large-schema", "a tool whose input or output schema is larger than 16 KiB",
			"APIs of models refuse large schemas. Share repeated types by //mcp:defaults defs, or take less.",
			(*checker).largeSchemas,
		},
		{
			"platform-type", "a feature that takes or returns a type which is declared in a file with a build constraint",
			"Elsewhere the type may be another one: then the contract differs, -check fails, or the generated file does not compile. Declare it where every build has it.",
			(*checker).platformTypes,
		},
		{
			unusedIgnore, "an //mcp:ignore whose rule finds nothing there, or does not exist",
			"It would hide the next finding. Delete it.",
			nil, // checked when all others are through
		},
	}
}

const unusedIgnore = "unused-ignore"

func ruleNames() []string {
	names := make([]string, len(rules))
	for i, r := range rules {
		names[i] = r.ID
	}
	return names
}
