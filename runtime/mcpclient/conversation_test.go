package mcpclient_test

import (
	"bytes"
	"flag"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/conversation"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

var update = flag.Bool("update", false, "rewrite the expected lines of the conversations")

// A conversation is one section of a txtar file: operations of a client, the messages that it
// sends, and the messages that the server sends. The revisions in parentheses after the section
// name are the revisions in which it runs; "REVISION" stands for each of them. Its lines are
//
//	connect WORDS   Connect, with the options that the words name (see optionsOf)
//	open WORDS      the same in the only revision of the section, to a server that declares
//	                everything. The messages of the handshake are checked and not written
//	call NAME ARGS  and other operations of the client (see operations)
//	cancel          ends the context of the operation before
//	answer N VALUE  returns from the function of Options that got question N
//	< message       the server sends a message over the newest connection; over HTTP, a status
//	                and a message (see httpScript)
//	<! message      the same, for a message that violates the schema of its revision
//	end             the server closes the connection
//	exit STATUS     the server's program exits
//	sleep 2s        time passes
//	kept            the stored revision of the server
//	close           Close
//	# comment
//
// After each line are its effects, which -update rewrites:
//
//	> message       a message that the client has sent, in order
//	= text          an argument of a function of Options, or the result of an operation
//
// A message that is too long for a line is written over several lines, as in the conversations of
// servers.
func TestConversations(t *testing.T) {
	seen := coverage{}
	conversation.Run(t, "../../testdata/clientconversations", *update, revisionsOf, func(t *testing.T, _, revision, script string) string {
		if revision == "" {
			return converse(t, script, revision, seen)
		}
		wanted := strings.ReplaceAll(script, "REVISION", revision)
		got := converse(t, wanted, revision, seen)
		if got == wanted {
			return script
		}
		return strings.ReplaceAll(got, revision, "REVISION")
	})
	if f := flag.Lookup("test.run"); f.Value.String() == "" || f.Value.String() == "^"+t.Name()+"$" {
		seen.check(t)
	}
}

// revisionsOf returns the revisions of a section, "" for a section without revisions.
func revisionsOf(section string) []string {
	_, list, ok := strings.Cut(section, " (")
	if !ok {
		return []string{""}
	}
	return strings.Fields(strings.TrimSuffix(list, ")"))
}

// The kinds of lines that a step causes, in the order in which they are written. Lines of one kind
// are in the order of events.
const (
	sentLine     = iota // messages that the client has sent
	closedLine          // requests and streams that it has closed
	eventLine           // calls of functions of Options that return no answer
	changeLine          // changes of subscriptions, and completed links
	questionLine        // calls of functions of Options that return an answer
	resultLine          // results of operations
	kinds
)

// replay is the replay of a conversation.
type replay struct {
	t        *testing.T
	revision string // "" if not given
	server   *scriptServer
	eras     *keptEras
	client   *mcpclient.Client

	mu        sync.Mutex
	lines     [kinds][]string
	cancel    func() // of the newest operation
	questions []*question
	subs      []*mcpclient.Subscription
	running   sync.WaitGroup
}

func (r *replay) add(kind int, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines[kind] = append(r.lines[kind], text)
}

func (r *replay) addf(kind int, format string, args ...any) {
	r.add(kind, fmt.Sprintf(format, args...))
}

// caused returns the effects of the step, as lines.
func (r *replay) caused() string {
	r.numberQuestions()
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.Sort(r.lines[resultLine]) // of operations that end at the same time
	var b strings.Builder
	for kind, lines := range r.lines {
		word := "="
		if kind == sentLine || kind == closedLine {
			word = ">"
		}
		for _, line := range lines {
			if kind != sentLine {
				b.WriteString(word + " " + strings.ReplaceAll(line, "\n", "\\n") + "\n")
				continue
			}
			b.WriteString(conversation.Format(word, line) + "\n")
		}
		r.lines[kind] = nil
	}
	return b.String()
}

// converse replays a conversation, and returns it with the client's actions.
func converse(t *testing.T, script, revision string, seen coverage) string {
	r := &replay{t: t, revision: revision, eras: &keptEras{}}
	r.server = newScriptServer(r, seen)
	defer r.end()
	var out strings.Builder
	for _, line := range conversation.Lines(script) {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case ">", "=":
			continue // rewritten below
		case "<", "<!":
			text := conversation.Join(rest)
			r.server.send(text, word == "<!")
			if !strings.HasPrefix(line, word+" #") {
				line = conversation.Format(word, text)
			}
		case "sleep":
			d, err := time.ParseDuration(rest)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(d)
		case "#", "":
		default:
			r.step(word, rest)
		}
		synctest.Wait()
		out.WriteString(line + "\n" + r.caused())
	}
	return out.String()
}

// step executes a line: an operation of the client or of the server.
func (r *replay) step(word, rest string) {
	switch word {
	case "connect":
		r.connect(rest, r.options(rest))
	case "open":
		r.open(rest)
	case "cancel":
		r.cancel()
	case "answer":
		r.answer(rest)
	case "end":
		r.server.end(nil)
	case "exit":
		r.server.end(exitError(rest))
	case "kept":
		r.add(resultLine, r.eras.String())
	case "close":
		r.start("close", func() (any, error) { return nil, r.client.Close() })
	default:
		operation := operations[word]
		if operation == nil {
			r.t.Fatalf("unknown line %q", word+" "+rest)
		}
		r.operate(word, rest, operation)
	}
}

// connect connects a client.
func (r *replay) connect(words string, o mcpclient.Options) {
	target := r.server.target(words)
	r.start("connect", func() (any, error) {
		c, err := mcpclient.Connect(r.t.Context(), target, o)
		if err != nil {
			return nil, err
		}
		r.client = c
		return c.Revision(), nil
	})
}

// open connects a client in the revision of the section, and answers its handshake.
func (r *replay) open(words string) {
	o := r.options(words)
	o.Revision = r.revision
	r.server.handshake = true
	r.connect(words, o)
	synctest.Wait()
	r.server.handshake = false
	if got, want := r.caused(), "= connected\n= connect: \""+r.revision+"\"\n"; got != want || r.client == nil {
		r.t.Fatalf("the handshake went otherwise: %s", got)
	}
}

// end ends the conversation, and checks that nothing of it remains.
func (r *replay) end() {
	if r.client != nil {
		_ = r.client.Close()
	}
	r.server.finish()
	r.mu.Lock()
	questions := r.questions
	r.mu.Unlock()
	for _, q := range questions {
		q.leave()
	}
	r.running.Wait()
	r.server.running.Wait()
}

// logger returns a logger that fails the test on errors.
func (r *replay) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(logged{r.t}, &slog.HandlerOptions{Level: slog.LevelError}))
}

type logged struct{ t *testing.T }

func (l logged) Write(line []byte) (int, error) {
	l.t.Errorf("logged: %s", bytes.TrimSpace(line))
	return len(line), nil
}
