package mcp_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/conversation"
	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

var update = flag.Bool("update", false, "rewrite the expected lines of the conversations")

// A conversation is one section of a txtar file. Its lines are
//
//	open 2025-11-25 roots elicitation.form
//	               the handshake: initialize with that revision and those
//	               capabilities ("all": every one; "name=x", "title=x": of the
//	               client), its reply, and notifications/initialized. The expected
//	               reply is in testdata/handshakes.txtar
//	initialize 2025-11-25
//	               the same without notifications/initialized
//	> message      sent to the server, as it is
//	>q "message"   the same, as a Go string
//	>! message     the same as >, for a message that violates the schema of its revision
//	>q! "message"  the same as >!, as a Go string
//	< message      a message that the server has sent since, in order, and no others
//	sleep 2s       time passes
//	eof            the client closes its input
//	end nil        Serve has returned that error
//	# comment
//
// A JSON message that is too long for a line is written on several lines: continuation lines begin
// with a space, and are joined before the message is sent or compared.
//
// Request states differ in each run: the first one that the server sends is written as <state 1>,
// in messages of both sides, and the id of the first task as <task 1>.
//
// The name of a section describes its subject; "small", "visible", "library" and others in front of
// a colon choose another server than the whole fixture.
func TestConversations(t *testing.T) {
	opened := readHandshakes(t)
	defer opened.save(t)
	ways := func(string) []string { return []string{"stdio", "memory"} }
	conversation.Run(t, "../../testdata/conversations", *update, ways, func(t *testing.T, section, way, script string) string {
		return converse(t, section, script, way, opened)
	})
}

// serverOf returns the server of a section.
func serverOf(section string, log *slog.Logger) *mcp.Server {
	options := []mcp.Option{mcp.WithLogger(log)}
	kind, _, _ := strings.Cut(section, ":")
	switch kind {
	case "small":
		return small(options...)
	case "bare":
		return mcp.NewServer(fixtureInfo(), options...)
	case "library":
		return newLibrary(options...)
	case "circle":
		return newCircle(append(options, mcp.WithLimits(mcp.Limits{Subscriptions: 3}))...)
	case "extended":
		return newExtended(options...)
	case "paged":
		return newLibrary(append(options, mcp.WithLimits(mcp.Limits{PageSize: 5}),
			mcp.WithStateKeys([]byte("0123456789abcdef")))...)
	case "veiled": // every other feature is visible to the boss only
		return newLibrary(append(options, mcp.WithAccess(mcp.Visible(func(ctx context.Context, f mcp.FeatureInfo) bool {
			return len(f.Name)%2 == 0 || mcp.CallFrom(ctx).Client().Name == "boss"
		})))...)
	case "skilled":
		return newSkilled(options...)
	case "talk":
		return newTalk(options...)
	case "pinging":
		return small(append(options, mcp.WithPing(10*time.Second))...)
	case "visible":
		return small(append(options, mcp.WithAccess(mcp.Visible(func(ctx context.Context, f mcp.FeatureInfo) bool {
			return f.Name != "words" || mcp.CallFrom(ctx).Client().Name == "boss"
		})))...)
	case "intercepted":
		return small(append(options, mcp.WithInterceptors(func(next mcp.Handler) mcp.Handler {
			return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
				return next(ctx, req)
			}
		}))...)
	case "tasks", "crowded", "cramped", "failing", "refusing":
		return newTaskServer(kind, options...)
	case "limited":
		return newFixture(append(options, mcp.WithLimits(mcp.Limits{MessageBytes: 300, Depth: 8, InFlight: 2, ResultBytes: 200}))...)
	}
	return newFixture(options...)
}

// reference matches references, which differ in each run.
var reference = regexp.MustCompile(`reference [0-9a-f]{6}`)

// stateNames are the request states of a conversation, in order.
type stateNames []string

var (
	stateMember = regexp.MustCompile(`"requestState":"([^"]*)"`)
	stateName   = regexp.MustCompile(`<state (\d+)>`)
)

func (s *stateNames) remove(message string) string {
	return stateMember.ReplaceAllStringFunc(message, func(found string) string {
		state := stateMember.FindStringSubmatch(found)[1]
		i := slices.Index(*s, state)
		if i < 0 {
			i = len(*s)
			*s = append(*s, state)
		}
		return fmt.Sprintf(`"requestState":"<state %d>"`, i+1)
	})
}

func (s *stateNames) insert(text string) string {
	return stateName.ReplaceAllStringFunc(text, func(name string) string {
		n, _ := strconv.Atoi(stateName.FindStringSubmatch(name)[1])
		if n < 1 || n > len(*s) {
			return name
		}
		return (*s)[n-1]
	})
}

func converse(t *testing.T, section, script, way string, opened *handshakes) string {
	var logged bytes.Buffer
	log := slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	server := serverOf(section, log)
	peer := dial(t, server, way)
	var states stateNames
	var tasks taskNames
	defer mcptask.Shutdown(context.Background(), server)

	var out strings.Builder
	for _, line := range conversation.Lines(script) {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "open", "initialize":
			peer.send(initializeMessage(rest) + "\n")
			synctest.Wait()
			unexpected := opened.check(section, rest, peer.received())
			if word == "open" {
				peer.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
			}
			out.WriteString(line + "\n")
			for _, message := range unexpected {
				out.WriteString("< " + message + "\n")
			}
		case "<":
			continue // written anew below
		case ">", ">q", ">!", ">q!":
			text := conversation.Join(rest)
			if strings.HasPrefix(word, ">q") {
				var err error
				if text, err = strconv.Unquote(rest); err != nil {
					t.Fatalf("%s: %v", line, err)
				}
			} else {
				line = conversation.Format(word, text)
			}
			text = tasks.insert(states.insert(text))
			if strings.HasSuffix(word, "!") {
				peer.sendInvalid(text + "\n")
			} else {
				peer.send(text + "\n")
			}
		case "sleep":
			d, err := time.ParseDuration(rest)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(d)
		case "eof":
			peer.eof()
		case "end", "#", "":
		default:
			t.Fatalf("unknown line %q", line)
		}
		synctest.Wait()
		switch word {
		case "end":
			out.WriteString("end " + peer.ended() + "\n")
		case "open", "initialize": // written above
		default:
			out.WriteString(line + "\n")
		}
		for _, message := range tasks.removeAll(peer.received()) {
			message = states.remove(message)
			out.WriteString(conversation.Format("<", reference.ReplaceAllString(message, "reference 7f3a19")) + "\n")
		}
	}
	peer.hangUp()
	if strings.Contains(section, "secret") && strings.Contains(out.String(), "secret") {
		t.Error("a secret was sent")
	}
	return out.String()
}

var quiet = mcp.WithLogger(slog.New(slog.DiscardHandler))

// eachWay runs a test over the framing of stdio and in memory.
func eachWay(t *testing.T, f func(t *testing.T, way string)) {
	for _, way := range []string{"stdio", "memory"} {
		t.Run(way, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { f(t, way) })
		})
	}
}

// peer is a client that sends and receives raw text.
type peer struct {
	t     *testing.T
	write io.Writer
	close func() // closes the client's input
	gone  func() // closes both directions
	done  chan struct{}
	tap   *spec.Conversation
	said  spec.Lines // messages that it sends, for the tap

	mu       sync.Mutex
	messages []string
	err      error
	over     bool
}

// dial serves a peer over lines in pipes of the process, as stdio does, or over the transport in
// memory.
func dial(t *testing.T, s *mcp.Server, way string) *peer {
	return dialContext(t, t.Context(), s, way)
}

func dialContext(t *testing.T, ctx context.Context, s *mcp.Server, way string) *peer {
	p := &peer{t: t, done: make(chan struct{}), tap: spec.NewTap(t).Conversation()}
	p.said.Take = p.tap.Client
	switch way {
	case "stdio":
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		p.write, p.close = inW, func() { inW.Close() }
		p.gone = func() { inW.Close(); outR.Close() }
		go p.listen(outR)
		go p.serve(func() error { return s.Serve(ctx, jsonrpc.NewLineConn(inR, outW, s.Transport().Limits().MessageBytes)) })
	case "memory":
		conn, wait := s.Connect(ctx)
		p.write = connWriter{conn}
		p.close = func() { conn.(interface{ CloseWrite() error }).CloseWrite() }
		p.gone = func() { conn.Close() }
		go func() {
			for {
				m, err := conn.Read()
				if err != nil {
					return
				}
				p.deliver(string(m))
			}
		}()
		go p.serve(wait)
	default:
		t.Fatalf("unknown way %q", way)
	}
	return p
}

type connWriter struct{ conn jsonrpc.Conn }

func (w connWriter) Write(p []byte) (int, error) { return len(p), w.conn.Write(p) }

func (p *peer) serve(f func() error) {
	err := f()
	p.mu.Lock()
	p.err, p.over = err, true
	p.mu.Unlock()
	close(p.done)
}

func (p *peer) listen(r io.Reader) {
	conn := jsonrpc.NewLineConn(r, nil, 64<<20)
	for {
		m, err := conn.Read()
		if err != nil {
			return
		}
		p.deliver(string(m))
	}
}

func (p *peer) deliver(m string) {
	p.tap.Server(m)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.messages = append(p.messages, m)
}

func (p *peer) send(text string) {
	_, _ = p.said.Write([]byte(text))
	p.put(text)
}

// sendInvalid sends lines that violate the schema.
func (p *peer) sendInvalid(text string) {
	for line := range strings.Lines(text) {
		p.tap.Invalid(line)
	}
	p.put(text)
}

func (p *peer) put(text string) {
	if _, err := io.WriteString(p.write, text); err != nil {
		p.t.Errorf("send: %v", err)
	}
}

func (p *peer) eof() { p.close() }

func (p *peer) hangUp() {
	p.gone()
	<-p.done
}

// received returns the messages since the last call.
func (p *peer) received() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	received := p.messages
	p.messages = nil
	return received
}

// ended returns the result of Serve as text.
func (p *peer) ended() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case !p.over:
		return "not yet"
	case p.err == nil:
		return "nil"
	case errors.Is(p.err, context.Canceled):
		return "canceled"
	}
	return p.err.Error()
}
