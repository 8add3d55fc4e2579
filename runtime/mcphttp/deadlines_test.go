package mcphttp_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// ReadTime begins when the body is read: a slow function of WithPrincipal does not shorten the
// client's time.
func TestReadTimeAfterASlowPrincipal(t *testing.T) {
	slow := mcphttp.WithPrincipal(func(*http.Request) (mcp.Principal, error) {
		time.Sleep(time.Minute)
		return mcp.Principal{ID: "ann"}, nil
	})
	serve(t, setup{handler: []mcphttp.Option{slow, mcphttp.WithLimits(mcphttp.Limits{ReadTime: 10 * time.Second})}}, func(t *testing.T, s *testServer) {
		w := s.dial()
		body := call("echo", "{}").modern()
		w.send(head(len(body), call("echo", "{}").fields()...))
		time.Sleep(65 * time.Second)
		w.send(body)
		a := w.receive()
		a.wait()
		a.wantResult("1")
	})
}

// A client that does not read a short response is disconnected.
func TestShortResponseThatIsNotRead(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		for _, text := range []string{
			"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
			"DELETE /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nMcp-Session-Id: none\r\n\r\n",
			head(len(initialized), "Mcp-Protocol-Version: "+modern, "Mcp-Method: notifications/initialized") + initialized,
		} {
			w := s.dial()
			w.send(text)
			time.Sleep(11 * time.Second)
			synctest.Wait()
			if got, err := io.ReadAll(w.r); err != nil || len(got) > 0 {
				t.Errorf("%.20q: the response is there after 11 s: %q, %v", text, got, err)
			}
		}
	})
}

// The deadline of a response does not apply to later requests on its connection, whatever handler
// responds.
func TestWriteDeadlineEndsWithTheResponse(t *testing.T) {
	other := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/other") {
				time.Sleep(2 * time.Minute) // longer than mcp.Limits.WriteTime
				_, _ = io.WriteString(w, "other")
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	serve(t, setup{wrap: other}, func(t *testing.T, s *testServer) {
		for _, tool := range []string{"echo", "steps"} {
			s.do(call(tool, `{"n":2}`).post()).wantSuccess()
			if a := s.do(request{method: "GET", url: endpoint + "/other"}).wantSuccess(); a.text() != "other" {
				a.fail("after %s", tool)
			}
		}
		if n := s.network.Dialed(); n != 1 {
			t.Errorf("%d connections", n)
		}
	})
}

// The deadline of a message does not end the stream, however long it is quiet afterwards.
func TestWriteDeadlineEndsWithTheMessage(t *testing.T) {
	serveBoth(t, limits(mcphttp.Limits{KeepAlive: 10 * time.Minute}), func(t *testing.T, s *testServer) {
		stream := s.open(revisionD).listen()
		for range 3 {
			time.Sleep(5 * time.Minute)
			s.changeTools()
			stream.wantOpen().wantMessages("notifications/tools/list_changed")
		}
	})
}

// A response that is a stream from the beginning gets keep-alives from the beginning.
func TestFirstKeepAlive(t *testing.T) {
	serve(t, limits(mcphttp.Limits{KeepAlive: 5 * time.Second}), func(t *testing.T, s *testServer) {
		stream := s.open(revisionD).listen()
		stream.next()
		time.Sleep(6 * time.Second) // less than until a slow reply becomes a stream
		synctest.Wait()
		if events := stream.wantOpen().next(); len(events) != 1 || !events[0].comment {
			stream.fail("the events are %+v", events)
		}
	})
}

// The limit of streams applies to all clients together.
func TestStreamsOfAllClients(t *testing.T) {
	serve(t, setup{server: share(50), handler: []mcphttp.Option{
		mcphttp.WithPrincipal(principalOf), mcphttp.WithLimits(mcphttp.Limits{Streams: 2}),
	}}, func(t *testing.T, s *testServer) {
		ann := s.open(revisionD, "Authorization: ann")
		ann.listen()
		s.start(listen("1", `"toolsListChanged":true`).post("Authorization: bob")).wantStream()
		eve := s.open(revisionD, "Authorization: eve")
		s.do(eve.withSession(request{method: "GET"})).wantLimitRefusal(503)
		s.do(listen("1", `"toolsListChanged":true`).post("Authorization: eve")).wantLimitRefusal(503)
		// A notification does not open a stream, whatever its method is.
		s.do(postBody(`{"jsonrpc":"2.0","method":"subscriptions/listen"}`, "Authorization: eve", "Mcp-Protocol-Version: "+modern,
			"Mcp-Method: subscriptions/listen", spec.InvalidField)).wantAccepted()
	})
}

// The revision in a notification's _meta has no effect.
func TestRevisionInANotification(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x := s.open(revisionD)
		x.do(`{"jsonrpc":"2.0","method":"notifications/initialized","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`).wantAccepted()
		// Without a session the header decides, whatever the method of the notification is.
		s.do(postBody(`{"jsonrpc":"2.0","method":"initialize"}`, "Mcp-Protocol-Version: "+modern, "Mcp-Method: initialize", spec.InvalidField)).wantAccepted()
	})
}

// An error in the revision of a message is reported, and takes precedence.
func TestRevisionErrors(t *testing.T) {
	const (
		version = `"io.modelcontextprotocol/protocolVersion":`
		caps    = `"io.modelcontextprotocol/clientCapabilities":{}`
	)
	body := func(meta string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":` + meta + `}}`
	}
	list := rpc{method: "tools/list"}
	for _, test := range []struct {
		name, body, message string
		fields              []string
		code                int
		sessionless         bool
		fits                bool // the message matches the schema of its revision
	}{
		{name: "no header", body: list.modern(), code: -32020, message: "is missing", fits: true},
		{name: "no header, an empty version", body: body(`{` + version + `"",` + caps + `}`), code: -32020, message: "is missing", fits: true},
		{name: "no string", body: body(`{` + version + `7,` + caps + `}`), fields: []string{"Mcp-Protocol-Version: " + modern}, code: -32602, message: "must be a string"},
		{name: "unknown, and no Mcp-Method", body: list.withVersion(unknown).modern(), fields: []string{"Mcp-Protocol-Version: " + unknown}, code: -32022, message: "unsupported", fits: true},
		{name: "unknown, without sessions", body: list.withVersion(unknown).modern(), fields: []string{"Mcp-Protocol-Version: " + unknown}, code: -32022, message: "unsupported", sessionless: true, fits: true},
		{name: "_meta is an array", body: body(`[{` + version + `"2026-07-28"}]`), code: -32600, message: "Mcp-Session-Id is missing"},
		{name: "_meta is a string", body: body(`"` + strings.ReplaceAll(version, `"`, `\"`) + `"`), code: -32600, message: "Mcp-Session-Id is missing"},
		{name: "the version is null", body: body(`{` + version + `null,` + caps + `}`), fields: []string{"Mcp-Protocol-Version: " + modern, "Mcp-Method: tools/list"}, code: -32602, message: "are missing in params._meta"},
		{name: "_meta is null", body: body(`null`), fields: []string{"Mcp-Protocol-Version: " + modern, "Mcp-Method: tools/list"}, code: -32602, message: "are missing in params._meta"},
		{name: "batch without a session", body: "[" + list.legacy() + "]", code: -32600, message: "batches need a session", fits: true},
		{name: "batch of a revision without batches", body: "[" + list.legacy() + "]", fields: []string{"Mcp-Protocol-Version: " + revisionC}, code: -32600, message: "batches are not part", sessionless: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var c setup
			if test.sessionless {
				c.handler = []mcphttp.Option{mcphttp.WithoutSessions()}
			}
			serve(t, c, func(t *testing.T, s *testServer) {
				r := postBody(test.body, test.fields...)
				if !test.fits {
					r = r.invalid()
				}
				a := s.do(r).wantStatus(400)
				if e := a.wantJSON().Error; e == nil || e.Code != test.code || !strings.Contains(e.Message, test.message) {
					a.fail("want the error %d, %q", test.code, test.message)
				}
			})
		})
	}
}

// A call that is cancelled after its stream is resumed ends the stream.
func TestCancelAfterResuming(t *testing.T) {
	serve(t, setup{}, func(t *testing.T, s *testServer) {
		x, p, a := s.startCall(revisionD)
		id := a.disconnectAfterLog(p)
		p.Log("two")
		resumed := x.resume(id)
		resumed.wantMessages("notifications/message")
		x.do(cancelNotification("1")).wantAccepted()
		p.Ended()
		resumed.wantEnd().wantMessages()
	})
}

// NewHandler panics if an option is not valid.
func TestInvalidOptions(t *testing.T) {
	s := newFixture(t)
	for name, option := range map[string]mcphttp.Option{
		"host": mcphttp.WithAllowedHosts("a b"), "origin": mcphttp.WithAllowedOrigins("*"), "path": mcphttp.WithAllowedOrigins("https://a.example/b"),
	} {
		for kind, create := range map[string]func(){
			"NewHandler":    func() { mcphttp.NewHandler(s.Server, option) },
			"NewSSEHandler": func() { mcphttp.NewSSEHandler(s.Server, option) },
		} {
			func() {
				defer func() {
					if text := fmt.Sprint(recover()); !strings.HasPrefix(text, "mcphttp: ") {
						t.Errorf("%s, %s: %s", kind, name, text)
					}
				}()
				create()
			}()
		}
	}
}
