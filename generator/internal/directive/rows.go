package directive

import (
	"slices"

	"github.com/mcpgen/mcpgen/generator/internal/keyword"
)

func flag(name, help string) Key {
	return Key{Name: name, Kind: KindFlag, Help: help, Built: true}
}

func key(name string, kind Kind, example, help string) Key {
	return Key{Name: name, Kind: kind, Example: example, Help: help, Built: true}
}

func oneOf(name, help string, values ...string) Key {
	return Key{Name: name, Kind: KindWord, Values: values, Example: values[0], Help: help, Built: true}
}

// Keys that several directives share.
var (
	nameKey        = key("name", KindName, "search_books", "published name")
	titleKey       = key("title", KindString, `"Search the books"`, "name for people")
	descriptionKey = key("description", KindString, `"Finds books by words."`, "description, instead of the doc comment")
	groupKey       = key("group", KindNames, "catalogue,public", "groups that mcp.Select can pick")
	iconKey        = key("icon", KindJSON, "https://example.com/icon.png", `URL of an icon, or {"src": "https://example.com/48.png", "sizes": ["48x48"], "theme": "dark"}, or an array of these`)
	metaKey        = key("meta", KindJSON, `{"com.example/owner":"catalogue"}`, "metadata for clients (_meta), as a JSON object")
	resourceName   = key("name", KindString, `"Price list"`, "published name, of one word or several")
	timeoutKey     = key("timeout", KindDuration, "30s", "how long a call may take")
	maxResultKey   = key("maxresult", KindSize, "64KiB", "size above which a result is an error")
	shortenKey     = key("shorten", KindFlagOrNames, "books", "if a result is larger than maxresult, its list is cut to whole elements, and the result contains truncated and total; a name chooses one of several lists")
	pageKey        = key("page", KindInteger, "50", "number of elements that the list of a result has at most; adds the argument offset, or continues by the argument cursor of the function; includes shorten")
	lenientKey     = flag("lenient", `accept "5" for 5 and 5 for "5", "true" for true, "prod" for ["prod"], "1,2" for [1,2], JSON texts for values, and "" for optional numbers, times and enumerations`)
	outputKey      = oneOf("output", "the form of structured results for clients: text is their JSON text alone, untyped leaves out the schema, typed is both with the schema (the default)", "text", "untyped", "typed")
	encodeKey      = oneOf("encode", "how the text of output=text is made: json is by reflection, in the form of encoding/json, with less generated code; generated is the default", "json", "generated")
	ttlKey         = key("ttl", KindDuration, "5m", "how long a client may keep it")
	cacheKey       = oneOf("cache", "who may keep it", "public", "private")
	scopesKey      = key("scopes", KindNames, `"books:read books:write"`, "scopes that the caller must have, all of them")
	requiresKey    = key("requires", KindNames, `"elicitation sampling"`, "capabilities that the client must have")
	requiredKey    = oneOf("required", "auto: fields without omitempty are required; tagged: only fields tagged as required", "auto", "tagged")
	receiverKey    = oneOf("receiver", "args: the members of the receiver are arguments, and each call has a new one", "args")
	uiKey          = key("ui", KindString, "ui://bookstore/report", "URI of the page that shows results of the tool: a resource of the server")
	visibilityKey  = oneOf("visibility", "who calls the tool, in hosts that show pages: app is the pages of the server alone; both is the default", "model", "app", "both")
	mimeKey        = key("mime", KindString, "image/png", "media type of the content")
)

func hintKeys() []Key {
	return []Key{
		flag("readonly", "changes nothing: not destructive and idempotent"),
		flag("destructive", "may delete or overwrite (the default unless readonly)"),
		flag("additive", "only adds: not destructive"),
		flag("idempotent", "calling it twice has no further effect"),
		flag("openworld", "reaches systems outside the program (the default)"),
		flag("closedworld", "reaches nothing outside the program: not openworld"),
	}
}

// taskKeys returns the keys for calls that become tasks (runtime/mcptask).
func taskKeys() []Key {
	return []Key{
		oneOf("task", "whether calls may, or must, run as tasks, for clients that have them; forbidden is for a tool if //mcp:defaults has task=", "optional", "required", "forbidden"),
		key("inline", KindDuration, "2s", "how long a call may take before it becomes a task; 0 is at once. Default: 2s, and 0 with task=required"),
		key("taskttl", KindDuration, "1h", "how long a task is kept, from its creation; default: 1h"),
		key("poll", KindDuration, "2s", "how often a client should look at a task; default: every second, and every 10 seconds after a minute"),
		flag("restart", "a task may run again from its beginning after its process has died (the default if readonly or idempotent)"),
	}
}

// pageKeys returns the keys for pages, which hosts show (MCP Apps).
func pageKeys() []Key {
	return []Key{
		key("connect", KindNames, "https://api.example.com,wss://live.example.com", "ui://: origins of requests and WebSockets of the page"),
		key("load", KindNames, "https://cdn.example.com,https://*.example.org", "ui://: origins of scripts, styles, images, fonts and media of the page"),
		key("frames", KindNames, "https://player.example.com", "ui://: origins of frames in the page"),
		key("base", KindNames, "https://cdn.example.com", "ui://: origins of the element base of the page"),
		key("permissions", KindNames, "camera,clipboardWrite", "ui://: permissions that the page asks for: camera, microphone, geolocation, clipboardWrite"),
		key("domain", KindString, "reports.example.com", "ui://: origin that the page would like to have, in the form of the host"),
		flag("border", "ui://: the host draws a border and a background around the page; border=false: it draws none; without the key, the host decides"),
	}
}

// argKeys returns the keywords that describe and constrain an argument.
func argKeys() []Key {
	kinds := map[keyword.Value]Kind{
		keyword.Flag: KindFlag, keyword.Text: KindString, keyword.Name: KindName, keyword.Number: KindNumber,
		keyword.Count: KindInteger, keyword.Pattern: KindString, keyword.Format: KindName, keyword.JSON: KindJSON, keyword.List: KindList,
		keyword.Names: KindNames, keyword.FlagOrNames: KindFlagOrNames,
	}
	var keys []Key
	for _, k := range keyword.Table(keyword.Arg) {
		keys = append(keys, Key{Name: k.Name, Kind: kinds[k.Value], Example: k.Example, Help: k.Help, Built: true})
	}
	return keys
}

func newTable() []*Spec {
	functions := []Target{Func, Method, InterfaceMethod, Var}
	const values = "a variable: _ = and a function or method expression of any package"
	return []*Spec{
		{
			Word: "server", Built: true, On: []Target{Package}, OncePerPackage: true,
			Help:    "the package is a server: NewMCPServer is generated, with this identity",
			Example: `//mcp:server title="Bookstore" instructions="Search before you order."`,
			Keys: []Key{
				key("name", KindString, "bookstore", "name of the server; default: the last element of the import path, a major version such as v2 left out"),
				key("version", KindString, "1.4.0", "version; default: the main module's, read when the program starts"),
				titleKey,
				key("description", KindString, `"Books and their prices."`, "what the server is"),
				key("instructions", KindString, `"Search before you order."`, "what a model should know before it uses the server"),
				key("website", KindString, "https://example.com", "URL of a page about the server"),
				iconKey,
				key("ttl", KindDuration, "5m", "how long a client may keep the lists of features"),
				oneOf("cache", "who may keep the lists of features", "public", "private"),
			},
		},
		{
			Word: "defaults", Built: true, On: []Target{Package, Type}, OncePerPackage: true,
			OnNote:  "a type: the receiver of annotated methods; its defaults take precedence over the package's",
			Help:    "settings for all features of a package or of a receiver type",
			Example: `//mcp:defaults group=catalogue timeout=10s closedworld`,
			Keys: slices.Concat([]Key{
				key("prefix", KindName, "books", "prefix of every published name, joined with _"),
				groupKey, timeoutKey, scopesKey, lenientKey,
				flag("defs", "share repeated types of a schema in $defs instead of inlining them"),
				oneOf("naming", "how published names are made: snake publishes SearchBooks as search_books, asis leaves it unchanged", "snake", "asis"),
				oneOf("errors", "whether the model gets the text of every error, or only of declared ones", "text", "declared"),
				requiredKey,
				oneOf("tags", "huma: huma's tags apply, which is the default if the package imports huma/v2; none: no framework's tags name or describe arguments", "huma", "none"),
				maxResultKey, outputKey, encodeKey, iconKey,
				key("inject", KindNames, "userID:currentUser", "every argument with this name is filled by the function, as by inject= of //mcp:arg, and not published"),
				receiverKey,
				oneOf("emit", "none: the features of this package are emitted elsewhere, by //mcp:from", "none"),
			}, hintKeys(), taskKeys()),
		},
		{
			Word: "tool", Built: true, On: append(slices.Clone(functions), VarGroup), Feature: true,
			OnNote:  values,
			Note:    "a group of variables takes all keys except name, title, description and alias; a variable's own keys take precedence",
			Help:    "the function is a tool",
			Example: `//mcp:tool name=search_books title="Search the books" readonly timeout=30s`,
			Keys: slices.Concat([]Key{nameKey, titleKey, descriptionKey, groupKey}, hintKeys(), []Key{
				timeoutKey, scopesKey, requiresKey,
			}, taskKeys(), []Key{
				lenientKey, requiredKey, iconKey, metaKey, mimeKey, maxResultKey, shortenKey, pageKey, outputKey, encodeKey,
				receiverKey, key("alias", KindNames, "find_books", "former names by which it can still be called"),
				uiKey, visibilityKey,
			}),
		},
		{
			Word: "arg", Synopsis: `NAME ["description"]`, Built: true, On: append(slices.Clone(functions), Type, Package), Repeat: true,
			OnNote:   "a type or the package comment: for all features that have the argument",
			MinWords: 1, MaxWords: 1, WordName: "NAME", Description: true,
			Note:    "NAME is a parameter, of an inject function too, or a field of the one struct parameter by its JSON name, with dots for depth. Of lines of the feature, its receiver type and its package, the nearest one wins, key by key",
			Help:    "describes and constrains one argument",
			Example: `//mcp:arg limit "how many books at most" default=20 minimum=1 maximum=100`,
			Keys:    argKeys(),
		},
		{
			Word: "params", Synopsis: "NAME...", Built: true, On: functions,
			MinWords: 1, MaxWords: -1, WordName: "NAME",
			Note:    "one NAME for each parameter that has none and is not a context, in their order; _ leaves a parameter out: the function gets the zero value",
			Help:    "names the parameters of a function whose signature has no names, such as a method of a generated interface",
			Example: `//mcp:params isbn edition`,
		},
		{
			Word: "result", Synopsis: "[NAME...]", Built: true, On: functions,
			MaxWords: -1, WordName: "NAME",
			Note:    "one NAME for each result that is not an error, in their order; _ leaves a result out. If the only one is a struct, NAME is the field that is the result",
			Help:    "names the results of a tool or resource that have no names, selects a field, and leaves members of results out",
			Example: `//mcp:result rows total omit=rows.password`,
			Keys: []Key{
				key("omit", KindNames, "password,session.cookie", "members that are not published, by their JSON names, with dots for depth"),
				key("only", KindNames, "id,name", "the only members that are published"),
			},
		},
		{
			Word: "doc", Synopsis: "[TEXT]", Built: true, Text: true, Repeat: true,
			On:      []Target{Package, Func, Method, InterfaceMethod, Type, Var, Const, Field},
			Help:    "replaces the doc comment for clients",
			Note:    "it is read like a doc comment: a directive for each line, lists and code stay, other lines join to paragraphs",
			Example: `//mcp:doc Finds books by words of their title, author or subject.`,
		},
		{
			Word: "resource", Synopsis: "URI", Built: true, On: []Target{Func, Method, InterfaceMethod, Var, Const}, Feature: true,
			MinWords: 1, MaxWords: 1, WordName: "URI",
			OnNote:  "a variable or constant: of type string, []byte or embed.FS; " + values,
			Help:    "the result of the function, or the value, is a resource; each {name} in the URI is a parameter",
			Note:    "a URI that begins with ui:// is a page, which hosts show beside results of tools: HTML of type text/html;profile=mcp-app",
			Example: `//mcp:resource books://{isbn} mime=application/json`,
			Keys: slices.Concat([]Key{
				resourceName, titleKey, descriptionKey, groupKey, mimeKey,
				key("audience", KindNames, "user,assistant", "intended readers: user, assistant"),
				key("priority", KindNumber, "0.8", "how important it is, 0 to 1"),
				ttlKey, cacheKey, timeoutKey, scopesKey, iconKey, metaKey, requiresKey, receiverKey,
			}, pageKeys()),
		},
		{
			Word: "prompt", Built: true, On: functions, Feature: true,
			OnNote:  values,
			Help:    "the function is a prompt",
			Example: `//mcp:prompt title="Recommend a book"`,
			Keys:    []Key{nameKey, titleKey, descriptionKey, groupKey, timeoutKey, scopesKey, iconKey, metaKey, requiresKey, receiverKey},
		},
		{
			Word: "skill", Synopsis: "URI", Built: true, On: []Target{Func, Method, Var}, Feature: true,
			MinWords: 1, MaxWords: 1, WordName: "URI",
			OnNote:  "a variable of type embed.FS with //go:embed; a function or method without parameters other than a context, which returns a string and optionally an error",
			Help:    "each directory of the files with a SKILL.md is a skill below the URI; or the function returns the text of the skill with the URI",
			Note:    "the name of a skill is the name of its directory, or the last segment of the URI; the doc comment of a function is the description of its skill",
			Example: `//mcp:skill skill://acme/ group=public tools=search_orders,refund_order`,
			Keys: []Key{
				groupKey, scopesKey,
				key("tools", KindNames, "search_orders,refund_order", "tools that the skills use, by published or Go name: callers who may not use one of them do not get the skills"),
			},
		},
		{
			Word: "inject", Built: true, On: []Target{Func}, Feature: true,
			OnNote:  "func(context.Context, ...) T or func(context.Context, ...) (T, error)",
			Help:    "the function fills every parameter of its result type, which is not published; it makes a receiver of that type for each call",
			Note:    "a predeclared type such as int64, or an interface without methods, is filled by name: inject= of //mcp:arg and //mcp:defaults. Further parameters become arguments of the features that need it, described by //mcp:arg in its comment",
			Example: `//mcp:inject`,
		},
		{
			Word: "error", Synopsis: "[TEXT], or ERROR [TEXT]", Built: true, On: []Target{Var, Type, Func, Package}, Text: true, Feature: true, Repeat: true,
			OnNote:  "a sentinel error, an error type, or func(E) string; a package comment: for an error of another package",
			Note:    "a function returns the text of errors of type E, or an empty one, which changes nothing",
			Help:    "the model gets the text of this error; TEXT replaces it",
			Example: `//mcp:error No book has this number. Search for it first.`,
		},
		{
			Word: "form", Built: true, On: []Target{Type}, Feature: true, OnNote: "a struct type",
			Help:    "the struct is a form for mcp.Elicit, with its fields",
			Example: `//mcp:form`,
		},
		{
			Word: "enum", Synopsis: "[TYPE] [NAME=text ...]", Built: true, On: []Target{Type, Package}, FreeKeys: "NAME=text", Repeat: true,
			MaxWords: 1, WordName: "TYPE", TypeWord: true,
			OnNote:  "a named type of strings or integers; a package comment: for TYPE, a type of another package",
			Help:    "sets whether a type is an enumeration, which constants are its values, and their text",
			Example: `//mcp:enum closed Hardcover=hardcover Paperback=paperback`,
			Keys: []Key{
				flag("closed", "only its constants are values (the default)"),
				flag("open", "its constants are suggestions"),
				flag("off", "the type is not an enumeration"),
				key("with", KindNames, "Count", "constants that are values although they are the last or first and look like a count or a bound"),
				key("without", KindNames, "MaxColor", "constants that are not values"),
			},
		},
		{
			Word: "union", Synopsis: "[TYPE=text ...]", Built: true, On: []Target{Type}, FreeKeys: "TYPE=text", OnNote: "an interface type with an unexported method",
			Help:    "sets how the implementations of a sealed interface are distinguished",
			Example: `//mcp:union discriminator=kind Circle=circle`,
			Keys:    []Key{key("discriminator", KindString, "type", "property that names the implementation; default: type")},
		},
		{
			Word: "schema", Synopsis: "JSON, or TYPE JSON", Built: true, On: []Target{Type, Package}, Text: true, TextNeeded: true, Repeat: true,
			OnNote:  "a package comment: for a type of another package",
			Help:    "JSON Schema of a type that has its own JSON form",
			Example: `//mcp:schema {"type":"string","pattern":"^[0-9]+kg$"}`,
		},
		{
			Word: "decode", Built: true, On: []Target{Func}, Feature: true, OnNote: "func(S) (T, error)",
			Help:    "converts the JSON form S to T, a type of another package",
			Example: `//mcp:decode`,
		},
		{
			Word: "encode", Built: true, On: []Target{Func}, Feature: true, OnNote: "func(T) S or func(T) (S, error)",
			Help:    "converts T, a type of another package, to its JSON form S; a string is text, not JSON, as a whole result",
			Example: `//mcp:encode`,
		},
		{
			Word: "constructor", Built: true, On: []Target{Func}, Feature: true,
			OnNote:  "returns the receiver, optionally a cleanup func() and an error",
			Help:    "the function makes the receiver for mcpgen run and mcpgen call",
			Example: `//mcp:constructor`,
		},
		{
			Word: "from", Synopsis: "PKG...", Built: true, On: []Target{Package}, Repeat: true,
			MinWords: 1, MaxWords: -1, WordName: "import path",
			Help:    "emits the features annotated in other packages into this one",
			Example: `//mcp:from example.com/shop/catalogue group=public`,
			Keys: []Key{
				key("group", KindNames, "public", "only features of these groups"),
				key("prefix", KindName, "shop", "prefix of every published name, joined with _"),
			},
		},
		{
			Word: "ignore", Synopsis: "RULE REASON", Built: true, Text: true, TextNeeded: true, Repeat: true,
			On:      []Target{Package, Func, Method, InterfaceMethod, Var, Const},
			OnNote:  "the package comment: for the whole package",
			Help:    "suppresses one rule of mcpgen vet, with the reason",
			Example: `//mcp:ignore identity-argument The tenant is public.`,
		},
	}
}
