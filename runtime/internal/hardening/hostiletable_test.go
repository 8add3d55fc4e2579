package hardening_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// hostileLine is an attack of servers on clients, with its tests.
type hostileLine struct {
	what string
	rows []string // of TestHostileServers, on each transport to which they apply
	// tests are further tests: the folder below runtime, and the name.
	tests []string
	// not contains the reasons why other transports have no test.
	not string
}

const (
	onlyHTTP      = "it is about HTTP: status, header fields, redirects, sessions and event streams"
	onlyPrograms  = "it is about programs"
	onlyWebSocket = "it is about WebSocket"
	onlyReading   = "results are read by the same code on every transport"
)

// hostileLines are attacks that were observed, or are possible.
var hostileLines = []hostileLine{
	{what: "are silent, slow, or stop in the middle", rows: []string{"Silence", "SilenceAtFirst", "ByteByByte", "StopsInTheMiddle"}, tests: []string{"mcpclient/TestProgramsWithoutReply"}},
	{what: "send more than a limit: a line, a body or an event", rows: []string{"EndlessMessage", "UnfinishedMessage", "LongMessage"}, tests: []string{"mcphttpclient/TestEventLimit", "mcpws/TestEndpointLongMessages", "jsonrpc/TestIdentifyLongLines"}},
	{what: "send more than a limit: a header, or what is compressed", tests: []string{"mcphttpclient/TestClientLimits"}, not: onlyHTTP},
	{what: "send replies that are broken, ambiguous or nested", rows: []string{"BrokenReplies", "DeepReplies", "DeepQuestions"}},
	{what: "send what could take long to read", tests: []string{"internal/hardening/TestCostlyReplies"}, not: onlyReading},
	{what: "reply to ids that were not sent, or to none", rows: []string{"OtherIDs", "ErrorWithoutID", "ErrorsOfSeveral"}},
	{what: "list without end, or list strange items", rows: []string{"EndlessList", "SameCursor", "LongList", "StrangeItems", "LongSchema", "LongSchemaAllowed"}},
	{what: "have schemas with references, cycles and patterns", rows: []string{"StrangeSchemas"}},
	{what: "send floods of questions and notifications, and strange progress", rows: []string{"Flood", "FewQuestions", "ManyQuestions", "ChangesOfLists", "StrangeProgress"}, not: "rows of questions and lists need a session; the others are on this transport"},
	{what: "ask what was not declared, or in a revision without questions", rows: []string{"UndeclaredQuestions", "ModernQuestions", "UndeclaredRounds"}},
	{what: "ask with strange forms and links", rows: []string{"StrangeForms", "StrangeLinks"}, tests: []string{"mcpclient/TestFormRefused"}},
	{what: "require input for ever, without a question, with a large state, for a list", rows: []string{"EndlessRounds", "RoundsWithoutInput", "LargeState", "RoundsOfLists"}, not: "rounds are of 2026-07-28, which this transport does not have"},
	{what: "run tasks that never end, change state backwards, ask for ever, vanish, change their id, and have absurd times, wrong types and two results", rows: []string{"EndlessTasks", "TasksBackwards", "TasksAskForEver", "TasksVanish", "StrangeTasks", "StrangeNewTasks", "ResultsTwice"}},
	{what: "begin with a wrong revision or wrong capabilities, or with questions", rows: []string{"UnknownRevision", "ModernSession", "CapabilitiesOfNoObject", "EarlyQuestions"}},
	{what: "change, break or end sessions", tests: []string{"mcphttpclient/TestClientSessionID", "internal/hardening/TestHostileSessions"}, not: onlyHTTP},
	{what: "redirect, and name endpoints elsewhere, none or two", tests: []string{"mcphttpclient/TestClientRedirects", "mcphttpclient/TestClientRedirectsToPlain", "mcphttpclient/TestClientEndpointEvent"}, not: onlyHTTP},
	{what: "end event streams at once, and repeat events", tests: []string{"mcphttpclient/TestClientRenewsWithPauses", "mcphttpclient/TestClientResumes", "mcphttpclient/FuzzEventReader"}, not: onlyHTTP},
	{what: "respond with another status or type, and refuse for ever", tests: []string{"mcphttpclient/TestClientStatus", "mcphttpclient/TestClientChallenges", "internal/hardening/TestHostileResponses"}, not: onlyHTTP},
	{what: "print banners, flood standard error, do not read, do not end, leave children", rows: []string{"Banners"}, tests: []string{"mcpclient/TestHostilePrograms", "mcpclient/TestProgramsThatEnd", "mcpclient/TestProgramsWithoutReply"}, not: onlyPrograms},
	{what: "do not read", tests: []string{"mcpclient/TestServerDoesNotRead", "mcpws/TestEndpointUnread"}, not: "one goroutine writes, on every transport with a connection"},
	{what: "end each connection", rows: []string{"EndsAtOnce", "EndsInCalls"}, tests: []string{"internal/hardening/TestHostileReconnecting"}},
	{what: "send binary frames, one of 4 GB, pings without end, close 1009, and agree on no subprotocol", tests: []string{"mcpws/TestEndpointHostile", "mcpws/TestEndpointLongMessages", "mcpws/TestEndpointPings", "mcpws/TestEndpointFails"}, not: onlyWebSocket},
	{what: "give strange times and scopes for caches", tests: []string{"mcpclient/TestCacheHints", "mcpclient/TestScopeChanges", "mcpclient/TestPagesScope"}, not: onlyReading},
	{what: "return strange content", tests: []string{"mcpclient/TestUnknownContent", "mcpclient/TestContentOfServers", "mcpclient/TestOtherResource", "mcpclient/TestStructuredContradiction"}, not: onlyReading},
	{what: "publish skills whose files, frontmatter or entries do not fit, leave their directory, or exceed limits, and lists of skills without end", tests: []string{"mcpskillclient/TestHostileSkills", "mcpskillclient/TestHostileLists", "mcpskillclient/TestUnlisted", "mcpskillclient/TestHeldEntry"}, not: onlyReading},
	{what: "change their tools", tests: []string{"mcpclient/TestCacheChanges", "mcpclient/TestSubscription"}, not: "a change is an event, which is handled by the same code on every transport"},
	{what: "write terminal escapes", tests: []string{"../generator/cli/TestServerMessages", "../generator/cli/TestScripts"}, not: "the command prints what came over any transport by the same functions"},
}

// TestHostileLines checks that each line has a test or a reason on each transport, that each row
// belongs to a line, and that the tests exist.
func TestHostileLines(t *testing.T) {
	root := filepath.Join("..", "..")
	used := map[string]bool{}
	for _, line := range hostileLines {
		on := map[string]bool{}
		for _, name := range line.rows {
			i := slices.IndexFunc(hostileRows, func(r hostileRow) bool { return r.name == name })
			if i < 0 {
				t.Errorf("servers that %s: there is no row %s", line.what, name)
				continue
			}
			used[name] = true
			row := hostileRows[i]
			for _, transport := range hostileTransports {
				if row.not[transport] == "" && (row.has(transport, legacy) || row.has(transport, modern)) {
					on[transport] = true
				}
			}
		}
		for _, test := range line.tests {
			if !hasTest(t, filepath.Join(root, filepath.FromSlash(test))) {
				t.Errorf("servers that %s: there is no %s", line.what, test)
			}
		}
		for _, transport := range hostileTransports {
			if !on[transport] && line.not == "" {
				t.Errorf("servers that %s: there is neither a row nor a reason for %s", line.what, transport)
			}
		}
		if len(line.rows)+len(line.tests) == 0 {
			t.Errorf("servers that %s: there is no test", line.what)
		}
	}
	for _, row := range hostileRows {
		if !used[row.name] {
			t.Errorf("the row %s belongs to no line", row.name)
		}
	}
}

// hasTest reports whether a function is in a test file of a folder.
func hasTest(t *testing.T, path string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(source), "\nfunc "+filepath.Base(path)+"(") {
			return true
		}
	}
	return false
}
