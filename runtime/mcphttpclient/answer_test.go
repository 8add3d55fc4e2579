package mcphttpclient_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// lockedLog is a log that several goroutines write.
type lockedLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// The answer to a question of a server is sent again while the server cannot accept it, for the
// time of a request, unless repeating is turned off.
func TestClientAnswerIsSentAgain(t *testing.T) {
	for _, c := range []struct {
		refused, want int32
		attempts      int
		lost          bool
	}{{0, 1, 0, false}, {1, 2, 0, false}, {30, 31, 2, false}, {100, 41, 0, true}, {1, 1, 1, true}} {
		refused, want := c.refused, c.want
		t.Run(fmt.Sprintf("%d refused, %d attempts", refused, c.attempts), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var answers, asked atomic.Int32
				end, call := io.Pipe()
				s := &fakeServer{t: t, respond: func(_ *http.Request, m fakeMessage) *http.Response {
					switch {
					case m.Params.Name == "ask":
						go fmt.Fprintf(call, "data: %s\n\n", `{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"Who?","requestedSchema":{"type":"object","properties":{}}}}`)
						r := fakeResponse(200, "text/event-stream", "")
						r.Body = end
						go func() {
							for answers.Load() < want {
								time.Sleep(time.Second)
							}
							time.Sleep(time.Minute)
							fmt.Fprintf(call, "data: %s\n\n", `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":{"content":[]}}`)
							_ = call.Close()
						}()
						return r
					case m.Method == "" && len(m.ID) > 0:
						if answers.Add(1) <= refused {
							r := fakeResponse(503, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"later"}}`)
							r.Header.Set("Retry-After", "1")
							return r
						}
						return fakeResponse(202, "", "")
					}
					return nil
				}}
				var log lockedLog
				client, err := mcpclient.Connect(t.Context(), s.endpoint(), mcpclient.Options{
					Revision: "2025-11-25", Logger: slog.New(slog.NewTextHandler(&log, nil)), Retry: mcpclient.Retry{Attempts: c.attempts},
					Limits: mcpclient.Limits{RequestTime: 40*time.Second + time.Second/2},
					Elicit: func(context.Context, *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
						asked.Add(1)
						return mcpclient.Accept(nil), nil
					},
				})
				if err != nil {
					t.Fatal(err)
				}
				defer client.Close()
				if _, err := client.Call(t.Context(), "ask", nil, mcpclient.WithTimeout(time.Hour)); err != nil {
					t.Error(err)
				}
				if answers.Load() != want || asked.Load() != 1 {
					t.Errorf("asked %d times, and the answer was sent %d times, want %d", asked.Load(), answers.Load(), want)
				}
				if lost := strings.Contains(log.String(), "could not be sent"); lost != c.lost {
					t.Errorf("the log: %s", &log)
				}
			})
		})
	}
}
