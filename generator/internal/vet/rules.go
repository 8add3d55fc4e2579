package vet

import (
	"github.com/mcpgen/mcpgen/generator/internal/schema"
	"github.com/mcpgen/mcpgen/generator/internal/skills"
)

// Rule is a row of the table.
type Rule struct {
	ID    string
	Finds string // one line, without a full stop
	Why   string // one line or two: the consequence, and the remedy

	check func(*checker)
}

// Rules returns the table. It is shared and must not be changed.
func Rules() []Rule { return rules }

var rules []Rule

// Set here, since the functions in the table refer to the table.
func init() {
	rules = []Rule{
		{
			"missing-description", "a tool, resource or prompt, or an argument of a tool or prompt, without a description",
			"A model chooses by descriptions. Write a doc comment, or a comment on the parameter.",
			(*checker).missingDescriptions,
		},
		{
			"repeated-description", "two features with the same description, two arguments of a feature with the same one, or a description that only repeats a name",
			"A model cannot distinguish them, or gets no information. Describe how they differ, and what a value looks like.",
			(*checker).repeatedDescriptions,
		},
		{
			"undecided-hints", "a tool for which neither its directive nor //mcp:defaults sets readonly, destructive or additive, and openworld or closedworld",
			"Without these the tool is published as destructive and openworld, and clients ask their users before they call it.",
			(*checker).undecidedHints,
		},
		{
			"undecided-errors", "a package whose features return errors, without errors= in its //mcp:defaults",
			"By default clients get the whole text of every error, over HTTP too. Set errors=declared or errors=text.",
			(*checker).undecidedErrors,
		},
		{
			"mixed-scopes", "a destructive tool without scopes=, in a package whose other tools have some",
			"Every caller may use it, even one whose token has no scope. Set scopes=, here or in //mcp:defaults.",
			(*checker).mixedScopes,
		},
		{
			"ignored-question", "a question to the user or the model (Elicit, ElicitFields, ElicitURL, Sample, Roots) whose error is dropped",
			"The call is interrupted by the error until the answer is there; if it is dropped, the function goes on as if it had one.",
			(*checker).ignoredQuestions,
		},
		{
			"identity-argument", "an argument that identifies the caller: tenant, user_id, account, token, password, api_key and the like",
			"The model chooses arguments, and any text in its context can change what it chooses. Take the value from the request: inject= names the function that fills it.",
			(*checker).identityArguments,
		},
		{
			SecretResult, "members of results whose names say that they are secret: password, secret, api_key, access_token and the like; one finding for a type and a feature",
			"What a tool returns is in the context of a model, in logs of clients, and perhaps in the next call. Leave it out by omit= of //mcp:result. The generator warns of it too, once for a type.",
			(*checker).secretResults,
		},
		{
			"unpublished-row", "fields of a result or an argument with a tag gorm, bun, xorm, db or pg, and without a tag json; one finding for a type",
			"All exported fields are published, those that are added later too. Write names in the tag json, or json:\"-\".",
			(*checker).unpublishedRows,
		},
		{
			"shared-record", "a method that changes a member of its receiver which has a json tag; the receiver is not made for each call",
			"One value is changed by all calls at once. Let the method return what it changes, or write receiver=args, with which the members are arguments of each call.",
			(*checker).sharedRecords,
		},
		{
			"client-name", "a tool whose name, as mcp__SERVER__TOOL, is longer than 64 characters or has characters other than letters, digits, _ and -",
			"Clients prefix the name with the server's, and APIs of models refuse names that are longer or contain a dot.",
			(*checker).clientNames,
		},
		{
			"hidden-character", "invisible characters in a text, letters that look like others, and HTML comments",
			"A reviewer does not see what a model reads. The generator itself refuses the characters that no text needs.",
			(*checker).hiddenCharacters,
		},
		{
			"instruction-text", "a text with instructions to the model that are unrelated to the feature",
			"Tool poisoning is done this way, and clients that check for it block the server. Describe what the feature does.",
			(*checker).instructionTexts,
		},
		{
			"note-text", "a text with a note to its authors: TODO:, TODO(NAME):, FIXME, XXX: and HACK:",
			"Doc comments are published as they are, and a model may take a plan for what the feature does. Move the note into the function, or into a comment above an empty line.",
			(*checker).noteTexts,
		},
		{
			"token-budget", "a tool that costs more tokens than -max-tokens",
			"Its definition is part of each conversation. Shorten descriptions, or split the arguments; mcpgen list shows the tokens of each tool.",
			(*checker).tokenBudget,
		},
		{
			"too-many-tools", "a package with more tools than -max-tools",
			"Some clients pass on 40 tools of all servers together, others refuse more than 128, and models choose less well among many. Join tools, select groups, or let clients search: docs/serve/many-tools.md.",
			(*checker).tooManyTools,
		},
		{
			"common-name", "a tool called search, get, list, fetch, read, query or run, without a prefix",
			"Tools of other servers have these names too, and a client of both calls the wrong one, or refuses them. Set prefix= in //mcp:defaults, or name= with what the tool is for.",
			(*checker).commonNames,
		},
		{
			"large-schema", "a tool whose schemas are together larger than 16 KiB",
			"APIs of models refuse large schemas, and each client reads them. Leave out the result's schema with output=text, share repeated types by //mcp:defaults defs, or use smaller types. The generator warns of it too.",
			(*checker).largeSchemas,
		},
		{
			PlatformType, "a feature whose receiver, parameters, results, functions or values of an enumeration are declared in a file with a build constraint, an array whose length or a value that differs from system to system, or a number in a tag or directive that an int of 32 bits does not hold",
			"In other builds these may differ: then the contract differs, -check fails, or the generated file does not compile. Declare them in a file without build constraints. The generator warns of values, lengths and numbers, and of names in the generated file that no other build declares.",
			(*checker).platformTypes,
		},
		{
			schema.UnreadTag, "a tag of a field that nothing reads, such as default:\"5\", or a rule of validate that the schema cannot express",
			"A reader expects an effect, but it changes neither the schema nor calls. Write it in the tag jsonschema. The generator warns of it too.",
			(*checker).unreadTags,
		},
		{
			skills.RuleLink, "a link in a SKILL.md, or a path in its code, that leads to no file of the skill",
			"A model asks for the file, and hosts refuse files that a skill does not list. The generator warns of it too.",
			(*checker).skillLinks,
		},
		{
			skills.RuleFiles, "files of skills with lines that end with CR LF, and embedded files that belong to no skill",
			"A checkout with other line ends has other digests, and clients do not get what is outside of skills. The generator warns of it too.",
			(*checker).skillFiles,
		},
		{
			SkillTool, "a name in code, in a Markdown file of a skill, that reads like a tool and is none of the server's: in snake case, and called a tool beside it, or with the first or last word of a tool",
			"The skill describes a tool that was renamed or removed, and a model calls it in vain. Names of arguments, results and prompts do not count. The generator warns of it too.",
			(*checker).skillTools,
		},
		{
			"required-task", "a tool with task=required",
			"Clients without tasks cannot call it, and before revision 2025-11-25 no client has them. With task=optional it is a plain call for them.",
			(*checker).requiredTasks,
		},
		{
			"page-without-text", "a tool with ui= whose result is no text: bytes, a reader, or nothing",
			"Hosts without pages, and the model, read the text of a result alone (MCP Apps, graceful degradation). Return a text, or a value, which is JSON text too.",
			(*checker).pagesWithoutText,
		},
		{
			"rounded-id", "integers of 64 bits in results, in members called id, *_id or *Id, without ,string in the json tag; one finding for a package",
			"JavaScript clients round them from 2^53 on, and then ask for another one: 725653563933458433 becomes 725653563933458400 (Claude Code, seen 2026-07; the TypeScript SDK, seen 2026-11). Write ,string in the tag.",
			(*checker).roundedIDs,
		},
		{
			"recursive-result", "a package with a tool that publishes the schema of a result whose type contains itself; one finding for a package",
			"Claude Code 2.1.205 to 2.1.220 drops all tools of such a server (seen 2026-07; 2.1.332 reads them, seen 2026-11). With output=untyped no schema of the result is published.",
			(*checker).recursiveResults,
		},
		{
			"number-enum", "an argument with an enumeration of numbers, also inside of others",
			"The API of Gemini allows enumerations of strings alone, and refuses a request with such a tool (Antigravity, seen 2026-01; Cursor with models of Gemini, seen 2026-08). Make its values strings.",
			(*checker).numberEnums,
		},
		{
			"missing-items", "an argument that is an array, by a schema written by hand that has no items",
			"VS Code refuses the tool (seen 2025-04 and 2026-09). Write items.",
			(*checker).missingItems,
		},
		{
			"cut-text", "the description of a tool, or instructions of a server, with more than 2048 characters",
			"Claude Code cuts the rest off, and the user is not told (2.1.84, seen 2026-03, to 2.1.234, seen 2026-08; 2.1.332 cuts instructions after 4096, seen 2026-11). Shorten the text, or begin with what matters.",
			(*checker).cutTexts,
		},
		{
			unusedIgnore, "an //mcp:ignore whose rule has no finding there, or does not exist",
			"It would suppress the next finding. Delete it.",
			nil, // checked after all others
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
