package mcpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/protocol"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
)

// scriptServer is the server of a conversation: it sends the messages of the script. Messages of
// both sides are validated against the schema of their revision.
type scriptServer struct {
	r         *replay
	seen      coverage
	tap       *spec.Tap
	handshake bool // answers the handshake by itself
	http      *httpScript
	over      chan struct{} // closed with the conversation
	once      sync.Once
	running   sync.WaitGroup

	mu    sync.Mutex
	conns []*scriptConn
}

func newScriptServer(r *replay, seen coverage) *scriptServer {
	s := &scriptServer{r: r, seen: seen, tap: spec.NewTap(r.t), over: make(chan struct{})}
	s.http = &httpScript{server: s}
	return s
}

// target returns the server as a target of the kind that a connect line names: a stream; "program"
// for a program; "http" for a URL, "auth" with an Authorizer.
func (s *scriptServer) target(words string) mcpclient.Target {
	for word := range strings.FieldsSeq(words) {
		switch word {
		case "program":
			return programTarget{knownTarget{Target: mcpclient.Dialer("server", s.dial)}}
		case "http":
			return s.http.endpoint(words)
		}
	}
	return knownTarget{Target: mcpclient.Dialer("server", s.dial)}
}

// knownTarget is a server that gets the credentials of auth and no others. The client cannot know
// that about a test's function.
type knownTarget struct {
	mcpclient.Target
	auth mcphttpclient.Authorizer // may be nil
}

// AuthorizationContext implements dial.Authorized.
func (k knownTarget) AuthorizationContext() (context string, ok bool) {
	if k.auth == nil {
		return "", false
	}
	return k.auth.CacheKey(), true
}

// programTarget is a stream to a program that each connection starts anew.
type programTarget struct{ knownTarget }

// Restarts implements dial.Restarter.
func (programTarget) Restarts() bool { return true }

// exitError returns the error of a program that has exited.
func exitError(status string) error { return &dial.Exit{Status: "exit status " + status, Code: 1} }

// scriptConn is a connection to the server.
type scriptConn struct {
	jsonrpc.Conn // of the server
	tap          *spec.Conversation

	mu  sync.Mutex
	end error // returned to the client at the end; nil means io.EOF
}

// clientEnd is the client's end of a scriptConn.
type clientEnd struct {
	jsonrpc.Conn
	of *scriptConn
}

func (c *clientEnd) Read() ([]byte, error) {
	data, err := c.Conn.Read()
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	if err != nil && c.of.end != nil {
		return nil, c.of.end
	}
	return data, err
}

// Identify makes the inner connection read the ids of messages that are too long.
func (c *clientEnd) Identify() { c.Conn.(interface{ Identify() }).Identify() }

// dial is for mcpclient.Dialer.
func (s *scriptServer) dial(context.Context) (jsonrpc.Conn, error) {
	client, server := jsonrpc.PipeLimit(1<<20, 1<<20)
	conn := &scriptConn{Conn: server, tap: s.tap.Conversation()}
	s.mu.Lock()
	s.conns = append(s.conns, conn)
	n := len(s.conns)
	s.mu.Unlock()
	if n > 1 {
		s.r.addf(sentLine, "(connection %d)", n)
	}
	s.running.Go(func() {
		for {
			data, err := conn.Read()
			if err != nil {
				_ = conn.Close()
				return
			}
			s.received(conn, string(data))
		}
	})
	return &clientEnd{client, conn}, nil
}

// received takes a message of the client.
func (s *scriptServer) received(conn *scriptConn, text string) {
	conn.tap.Client(text)
	s.seen.add(s.r.revision, fromClient, text)
	if s.handshake && s.answerHandshake(conn, text) {
		return
	}
	s.r.add(sentLine, text)
}

// Handshakes of a server that declares everything.
const (
	everything     = `"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"logging":{},"completions":{}`
	openDiscover   = `{"resultType":"complete","supportedVersions":[%q],"capabilities":{` + everything + `},"ttlMs":0,"cacheScope":"private"}`
	openInitialize = `{"protocolVersion":%q,"capabilities":{` + everything + `},"serverInfo":{"name":"s","version":"1"}}`
)

// answerHandshake answers a message of the handshake. It reports whether the message was one.
func (s *scriptServer) answerHandshake(conn *scriptConn, text string) bool {
	var m message
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		s.r.t.Errorf("the client sent %s: %v", text, err)
	}
	switch m.Method {
	case protocol.Discover.String():
		s.write(conn, m.reply(fmt.Sprintf(openDiscover, s.r.revision)), false)
	case protocol.Initialize.String():
		s.write(conn, m.reply(fmt.Sprintf(openInitialize, s.r.revision)), false)
	case protocol.Initialized:
	default:
		return false
	}
	return true
}

// send sends a message over the newest connection.
func (s *scriptServer) send(text string, invalid bool) {
	if s.http.used {
		s.http.send(text)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.conns) == 0 {
		s.r.t.Fatalf("there is no connection for %s", text)
	}
	s.write(s.conns[len(s.conns)-1], text, invalid)
}

func (s *scriptServer) write(conn *scriptConn, text string, invalid bool) {
	if invalid {
		conn.tap.InvalidServer(text)
	} else {
		conn.tap.Server(text)
		s.seen.add(s.r.revision, fromServer, text)
	}
	if err := conn.Write([]byte(text + "\n")); err != nil {
		s.r.t.Errorf("send %s: %v", text, err)
	}
}

// end closes the newest connection, or all connections at the end of a conversation. The client's
// Read then returns err.
func (s *scriptServer) end(err error) {
	if s.http.used {
		s.http.end()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.conns) == 0 {
		return
	}
	conn := s.conns[len(s.conns)-1]
	conn.mu.Lock()
	conn.end = err
	conn.mu.Unlock()
	_ = conn.Close()
}

// finish ends the server with the conversation.
func (s *scriptServer) finish() {
	s.once.Do(func() { close(s.over) })
	s.http.finish()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, conn := range s.conns {
		_ = conn.Close()
	}
}

// keptEras is an EraStore that describes its content.
type keptEras struct {
	mu   sync.Mutex
	eras map[string]mcpclient.Era
}

func (k *keptEras) Get(target string) (mcpclient.Era, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	e, ok := k.eras[target]
	return e, ok
}

func (k *keptEras) Put(target string, e mcpclient.Era) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.eras == nil {
		k.eras = map[string]mcpclient.Era{}
	}
	k.eras[target] = e
}

func (k *keptEras) Drop(target string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.eras, target)
}

// String describes the stored Era of the only server.
func (k *keptEras) String() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	text := "kept: nothing"
	for _, e := range k.eras {
		text = "kept: " + e.Revision
		if e.Discover != nil {
			text += ", with the result of server/discover"
		}
		if age := time.Since(e.At); age != 0 {
			text += fmt.Sprintf(", for %v", age)
		}
	}
	return text
}
