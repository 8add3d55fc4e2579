package hardening_test

// Reasons.
const (
	noHeader   = "there are no header fields: what they say elsewhere, the message says itself"
	noBrowser  = "a web page cannot make a browser speak to it"
	noStatus   = "there are no statuses, and no bodies with a type"
	noSession  = "a session ends with its connection, or with the process"
	noResuming = "what a client has missed it cannot come back for"
	noHalf     = "it cannot be closed in one direction only"
	noSessions = "requests of this revision belong to no session"
	noDescript = "it has nothing to do with the standard streams of the process"
	oneRequest = "each request has a channel of its own, so that its end is that of the request alone"
	noRounds   = "clients of this transport answer questions while the call waits, and carry no states"
)

// rows are all known failures of servers.
var rows = []row{
	{
		name: "Panic", what: "a handler panics (tool, prompt, resource, template, completion, list, interceptor)",
		here: "`isError` or -32603 with a reference; the text and the stack are in the log; all else goes on",
		run:  testPanic,
	},
	{
		name: "Circles", what: "a result, an item, a resource, a panic or an attribute of the log contains itself, nests without end, or has no end of parts",
		here: "an error of that call, and text in the log; all else goes on",
		run:  testCircles,

		common: true,
	},
	{
		name: "Malformed", what: "a malformed message, trailing garbage, a BOM, a wrong or missing `jsonrpc`, an id that is none",
		here: "an error (-32700, -32600; 400), then the next message as if nothing had been",
		run:  testMalformed,
	},
	{
		name: "InvalidUTF8", what: "raw bytes that are no UTF-8, lone surrogates",
		here: "refused; no handler sees them, or something in their place",
		run:  testInvalidUTF8,
	},
	{
		name: "DuplicateKeys", what: "the same key twice, in the envelope, the params, or the arguments at any depth",
		here: "refused, with the name of the key",
		run:  testDuplicateKeys,
	},
	{
		name: "KeyVariants", what: "keys in another case (`METHOD`, `params.Name`), keys with a NUL at their end",
		here: "other keys, which mean nothing",
		run:  testKeyVariants,
	},
	{
		name: "Identifiers", what: "request ids 1.5, 2^53+1, strings with escapes",
		here: "the same bytes back, or -32600",
		run:  testIdentifiers,
	},
	{
		name: "Integers", what: "an int64 argument of 2^53+1",
		here: "exact",
		run:  testIntegers,
	},
	{
		name: "Oversized", what: "a message over the limit (4 MiB)",
		here: "an error as soon as it is too long (413), then the next message; the memory stays flat",
		run:  testOversized,
	},
	{
		name: "Depth", what: "nesting over the limit (512), anywhere",
		here: "an error",
		run:  testDepth,

		common: true,
	},
	{
		name: "Origin", what: "a web page calls: `Origin` of another site, `null`, or one that is bound to the server's address again",
		here: "403 with the name of the option; absent passes; its own passes where `Host` is trusted",
		not:  except(noBrowser, stdio, memory),
		run:  testOrigin,
	},
	{
		name: "Host", what: "`Host: evil.example` on a loopback listener",
		here: "403 with the name of the option",
		not:  and(except(noBrowser, stdio, memory), except("a connection that begins like an HTTP request is closed unread, whatever its Host: see Origin", tcp)),
		run:  testHost,
	},
	{
		name: "ContentType", what: "a body that is no JSON, as forms can send without asking",
		here: "415; over WebSocket a binary frame ends the connection with 1003",
		not:  except(noStatus, stdio, memory, tcp),
		run:  testContentType,
	},
	{
		name: "Refused", what: "requests that are refused for their header, and whose bodies never come (refused and slow)",
		here: "answered at once; the connections are closed after a second, and nobody else waits for them",
		not:  except(noStatus, stdio, memory, tcp),
		run:  testRefused,
	},
	{
		name: "ProtocolVersion", what: "an unknown protocol revision",
		here: "400 where a header says it, -32022 where the message does",
		run:  testProtocolVersion,
	},
	{
		name: "HeaderMismatch", what: "header fields that say something else than the body (2026-07-28)",
		here: "400 and -32020, and nothing runs",
		not: and(only(noHeader, httpModern),
			except("revisions with sessions mirror nothing in header fields", httpLegacy, httpSSE)),
		run: testHeaderMismatch,
	},
	{
		name: "ReplyAfterCancelled", what: "a request is cancelled, and its handler answers all the same",
		here: "nothing more is sent for it",
		run:  testReplyAfterCancelled,
	},
	{
		name: "Stdout", what: "a handler prints to standard output, and so does its child, which also reads standard input",
		here: "the messages are untouched: the protocol has its own descriptors",
		not:  only(noDescript, stdio),
		run:  testStdout,
	},
	{
		name: "Blocked", what: "200 calls block, then a ping comes; and too many calls",
		here: "the ping is answered at once; over the limit an error, and never a stall",
		run:  testBlocked,
	},
	{
		name: "UserCode", what: "an interceptor, a filter, a list or a completion blocks",
		here: "others are answered at once, and it can be cancelled: what reads messages runs no such code",
		run:  testUserCode,
	},
	{
		name: "InputEnds", what: "the input ends while calls run",
		here: "they are answered, up to a deadline; then the connection ends",
		not:  and(except(oneRequest, httpLegacy, httpModern), except(noHalf, webSocket, httpSSE)),
		run:  testInputEnds,
	},
	{
		name: "Shutdown", what: "the server is shut down while calls run",
		here: "they are answered, nothing new begins, then all ends",
		not:  except("whoever has started the process ends its input: see InputEnds", stdio, memory),
		run:  testShutdown,
	},
	{
		name: "IdleSession", what: "sessions that nobody uses any more",
		here: "they end after 30 minutes; what runs in them or listens keeps them",
		not:  and(only(noSession, httpLegacy), except(noSessions, httpModern)),
		run:  testIdleSession,
	},
	{
		name: "SessionHook", what: "sessions that end in all ways: the client leaves, breaks off, deletes or forgets them, the server closes or shuts down",
		here: "the hook of sessions begins once for each, before its first call, and ends once, after its last",
		run:  testSessionHook,
	},
	{
		name: "SilentClient", what: "a client that is gone without a word, while its connection seems to be there",
		here: "where the server pings, it notices, and ends the connection with what runs there",
		not:  except(oneRequest, httpModern),
		run:  testSilentClient,
	},
	{
		name: "EventStore", what: "streams that can be resumed fill the memory",
		here: "a limit in bytes, the oldest goes first, and a clear error on what is lost",
		not:  and(only(noResuming, httpLegacy), except("requests of this revision are repeated, not resumed", httpModern)),
		run:  testEventStore,
	},
	{
		name: "SessionID", what: "session ids are guessed or stolen",
		here: "130 random bits; to another principal there is no such session",
		not:  and(only("the connection is the session, and has no id", httpLegacy, httpSSE), except(noSessions, httpModern)),
		run:  testSessionID,
	},
	{
		name: "Takeover", what: "a second standing stream, and one that resumes",
		here: "the second takes over; one that resumes goes on with its own, and disturbs no other",
		not:  and(only(noResuming, httpLegacy), except(noSessions, httpModern)),
		run:  testTakeover,
	},
	{
		name: "SlowReader", what: "a client that does not read",
		here: "cut off after the write timeout; nobody else waits",
		run:  testSlowReader,
	},
	{
		name: "LargeReplies", what: "a client goes on asking while replies larger than the queue are on their way to it",
		here: "all are answered: who reads is not slow",
		run:  testLargeReplies,
	},
	{
		name: "IdleMemory", what: "clients that sent and got something large, once, and stay",
		here: "what it took is given back while they are idle",
		run:  testIdleMemory,
	},
	{
		name: "Changes", what: "more changes than a client reads that wants to hear of them",
		here: "what is late is kept once; the memory stays flat, and whoever tells of them does not wait",
		run:  testChanges,
	},
	{
		name: "Files", what: "paths that lead out of a directory: `..`, absolute ones, links, NUL",
		here: "not found",
		run:  testFiles,
	},
	{
		name: "RequestState", what: "a request state that is changed, stolen, used for another request, late or twice",
		here: "-32602; never a fresh start",
		not:  except(noRounds, httpLegacy, httpSSE),
		run:  testRequestState,
	},
	{
		name: "SameIDs", what: "two clients use the same ids",
		here: "each has its own replies; one cancels nothing of the other",
		run:  testSameIDs,
	},
	{
		name: "ContextEnds", what: "a call is cancelled, its client or its session ends",
		here: "the context of the handler ends with a cause that says so",
		run:  testContextEnds,
	},
	{
		name: "AbortedRequest", what: "a POST is given up",
		here: "since 2026-07-28 that cancels; in sessions the handler goes on, and its answer waits where there is something to resume",
		not:  only("there are no POST requests whose answers are waited for", httpLegacy, httpModern),
		run:  testAbortedRequest,
	},
	{
		name: "StuckWriter", what: "the server ends while a write is stuck",
		here: "nothing waits for it",
		run:  testStuckWriter,
	},
	{
		name: "Secrets", what: "tokens, session ids, arguments and answers in logs; panics and inner errors in replies",
		here: "neither",
		run:  testSecrets,
	},
	{
		name: "Limits", what: "limits lowered by options: sessions, streams, subscriptions, results, resources, handler time",
		here: "an error that says so, and all else goes on",
		run:  testLimits,
	},
	{
		name: "LongNames", what: "ids, progress tokens, `_meta` and `clientInfo` that are too long to be kept",
		here: "an error (-32600, -32602), and nothing is kept",
		run:  testLongNames,

		common: true,
	},
	{
		name: "FloodedLog", what: "again and again what is worth a line in the log",
		here: "ten lines, cut to a size, and then how many more there were",
		run:  testFloodedLog,

		common: true,
	},
	{
		name: "Rates", what: "a new session, connection or stream for each call",
		here: "rates count by principal, or else by address, of IPv6 the network of 64 bits; without addresses by connection",
		run:  testRates,
	},
	{
		name: "StatedAddress", what: "a proxy in front of the server, which says where clients are",
		here: "they count by what `WithClientAddress` returns, and by the connection where it returns nothing",
		not:  only(noHeader, webSocket, httpLegacy, httpModern, httpSSE),
		run:  testStatedAddress,
	},
	{
		name: "FirstMessage", what: "a connection on which no message comes, or half of one",
		here: "it is closed after 30 seconds; a longer silence later on is none of this",
		not: and(except("its client is the process that has started the server", stdio, memory),
			except("a connection of HTTP is for the http.Server to limit", httpLegacy, httpModern)),
		run: testFirstMessage,
	},
	{
		name: "Shares", what: "one client takes all that it can get, and uses it once a minute",
		here: "it gets its share; others are served",
		not:  except("there is one client", stdio, memory),
		run:  testShares,
	},
	{
		name: "VanishedCalls", what: "clients call what does not end, and go away",
		here: "such calls count until their handlers return: one too many is refused (-32603; 503), pings are answered",
		run:  testVanishedCalls,
	},
}
