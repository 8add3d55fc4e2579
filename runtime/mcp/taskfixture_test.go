package mcp_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpimpl"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// newTaskServer returns the server of the conversations about tasks. Some sections have other
// limits, a store that fails, or rules that refuse.
func newTaskServer(kind string, options ...mcp.Option) *mcp.Server {
	store := mcptask.NewMemory()
	limits := mcptask.Limits{}
	switch kind {
	case "crowded":
		limits = mcptask.Limits{Active: 1, MaxTTL: 10 * time.Minute}
	case "cramped":
		limits = mcptask.Limits{StateBytes: 400, OpenQuestions: 1}
	case "failing":
		store = failingStore{store}
	case "refusing":
		options = append(options, mcp.WithAccess(mcp.AccessFunc(func(ctx context.Context, f mcp.FeatureInfo) error {
			if f.Name == "ask" && mcp.CallFrom(ctx).Client().Name != "boss" {
				return errors.New("not for you")
			}
			return nil
		})))
	}
	options = append(options, mcptask.WithStore(store, mcptask.WithLimits(limits)))
	s := mcp.NewServer(mcp.ServerInfo{Name: "tasks", Version: "1"}, options...)
	add := func(name string, support *mcptask.Support, f func(ctx context.Context) (string, error)) {
		feature := mcpimpl.FuncTool(&mcp.ToolInfo{Name: name, InputSchema: `{"type":"object","properties":{"n":{"type":"integer"}}}`},
			func(ctx context.Context, req *mcp.Request) (*mcp.ToolResult, error) {
				var n int
				d := mcpimpl.Decoder(req)
				for o := d.Object(wire.Fields{{Name: "n"}}); o.Next(); {
					wire.Int(d, &n)
				}
				if err := d.Finish(); err != nil {
					return nil, err
				}
				text, err := f(ctx)
				if err != nil {
					return nil, err
				}
				return mcp.TextResult(text), nil
			})
		if support != nil {
			feature = mcptask.Tool(feature, *support)
		}
		s.Register(feature)
	}
	now := &mcptask.Support{Poll: 2 * time.Second}
	add("plain", nil, func(context.Context) (string, error) { return "plain", nil })
	add("soon", &mcptask.Support{Inline: 2 * time.Second}, func(ctx context.Context) (string, error) {
		return "soon", pass(ctx, time.Second)
	})
	add("count", &mcptask.Support{Inline: 2 * time.Second, Poll: 3 * time.Second}, func(ctx context.Context) (string, error) {
		pass(ctx, 4*time.Second)
		mcp.Progress(ctx, 3, 10, "reading")
		pass(ctx, 4*time.Second)
		return "counted", nil
	})
	add("import", &mcptask.Support{Required: true, TTL: 2 * time.Hour}, func(ctx context.Context) (string, error) {
		return "imported", pass(ctx, 90*time.Second)
	})
	add("ask", now, func(ctx context.Context) (string, error) { return sureOf(ctx, "sure") })
	add("both", now, func(ctx context.Context) (string, error) {
		answers := make(chan string, 2)
		for _, key := range []string{"first", "second"} {
			go func() {
				text, err := sureOf(ctx, key)
				if err != nil {
					text = strings.TrimSuffix(err.Error(), ": the call goes on when they are there")
				}
				answers <- key + " " + text
			}()
			pass(ctx, time.Millisecond) // in this order
		}
		one, other := <-answers, <-answers
		return min(one, other) + ", " + max(one, other), nil
	})
	add("compose", &mcptask.Support{Required: true, Inline: 2 * time.Second}, func(ctx context.Context) (string, error) {
		one, err := sureOf(ctx, "round")
		if err != nil {
			return "", err
		}
		pass(ctx, 3*time.Second)
		other, err := sureOf(ctx, "task")
		return one + " " + other, err
	})
	add("refuse", now, func(ctx context.Context) (string, error) {
		pass(ctx, time.Second)
		return "", &mcp.ProtocolError{Code: 7, Message: "broken", Data: []byte(`{"shelf":1}`)}
	})
	add("fail", now, func(ctx context.Context) (string, error) {
		pass(ctx, time.Second)
		return "", errors.New("no shelf")
	})
	add("panic", now, func(ctx context.Context) (string, error) {
		pass(ctx, time.Second)
		panic("the shelf fell")
	})
	return s
}

// pass waits until the time is up or ctx is cancelled.
func pass(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func sureOf(ctx context.Context, key string) (string, error) {
	a, err := mcp.Elicit[sure](ctx, "Sure?", mcp.WithKey(key))
	if err != nil {
		return "", err
	}
	if mcptask.FromContext(ctx) != nil { // the client gets each status
		pass(ctx, time.Second)
	}
	return fmt.Sprint(a.Action, " ", a.Value.Yes), nil
}

// failingStore fails to create tasks.
type failingStore struct{ mcptask.Store }

func (failingStore) Create(context.Context, *mcptask.Record, mcptask.Quota, time.Duration) error {
	return errors.New("the disk is full")
}

// Ids of tasks in messages, and their names in conversations.
var (
	taskID   = regexp.MustCompile(`"[A-Z2-7]{26}"`)
	taskName = regexp.MustCompile(`"<task (\d+)>"`)
)

// taskNames are the ids of tasks in a conversation, in order.
type taskNames []string

func (s *taskNames) remove(message string) string {
	return taskID.ReplaceAllStringFunc(message, func(id string) string {
		i := slices.Index(*s, id)
		if i < 0 {
			i = len(*s)
			*s = append(*s, id)
		}
		return fmt.Sprintf(`"<task %d>"`, i+1)
	})
}

// removeAll sorts the messages that a server sends at the same moment if they are about tasks:
// replies, and then the rest. Notifications of several tasks, and notifications beside a reply, may
// arrive in any order.
func (s *taskNames) removeAll(messages []string) []string {
	if len(*s) == 0 && !taskID.MatchString(strings.Join(messages, "")) {
		return messages
	}
	slices.SortStableFunc(messages, func(a, b string) int { return kindOf(a) - kindOf(b) })
	for i, message := range messages {
		messages[i] = s.remove(message)
	}
	slices.SortStableFunc(messages, func(a, b string) int {
		return cmp.Or(kindOf(a)-kindOf(b), strings.Compare(a, b))
	})
	return messages
}

// kindOf is 0 for replies, and 1 for requests and notifications.
func kindOf(message string) int {
	var m struct{ Method string }
	if err := json.Unmarshal([]byte(message), &m); err == nil && m.Method == "" {
		return 0
	}
	return 1
}

func (s *taskNames) insert(text string) string {
	return taskName.ReplaceAllStringFunc(text, func(name string) string {
		if n, _ := strconv.Atoi(taskName.FindStringSubmatch(name)[1]); n >= 1 && n <= len(*s) {
			return (*s)[n-1]
		}
		return name
	})
}
