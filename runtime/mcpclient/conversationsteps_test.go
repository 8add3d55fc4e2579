package mcpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

// options returns the options that words name: functions of Options (elicit, links, sample, roots),
// "sample.tools" and "sample.context", "title=Client", "level=warning", "revision=2025-06-18",
// "extension=NAME", "experimental=NAME", "request=1s" and "rounds=2" of Limits, "attempts=1" of
// Retry, and the options of the target.
func (r *replay) options(words string) mcpclient.Options {
	o := mcpclient.Options{
		Info: mcp.ClientInfo{Name: "c", Version: "1"}, Eras: r.eras, Logger: r.logger(),
		OnLog: func(m mcpclient.LogMessage) { r.addf(eventLine, "log %s", asJSON(m)) },
		OnChange: func(c mcpclient.Change) {
			r.addf(eventLine, "change %s", strings.TrimSpace(c.Method+" "+c.URI))
		},
		OnNotification: func(method string, params json.RawMessage) {
			r.addf(eventLine, "notification %s %s", method, params)
		},
		OnState: func(s mcpclient.State) {
			text := s.Kind.String()
			if s.Err != nil {
				text += ": " + s.Err.Error()
			}
			r.add(eventLine, text)
		},
		OnProtocolError: func(err error) { r.addf(eventLine, "violation: %v", err) },
	}
	for word := range strings.FieldsSeq(words) {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "elicit":
			o.Elicit = func(ctx context.Context, e *mcpclient.Elicitation) (mcpclient.ElicitAnswer, error) {
				answer, err := ask[struct {
					Action  mcp.ElicitAction
					Content any
				}](ctx, r, "elicitation/create", e)
				return mcpclient.ElicitAnswer{Action: answer.Action, Content: answer.Content}, err
			}
		case "links":
			o.OpenURL = func(ctx context.Context, e *mcpclient.Elicitation) (mcp.ElicitAction, error) {
				r.running.Go(func() {
					select {
					case <-e.Done():
						r.addf(changeLine, "the link %s is completed", e.URL)
					case <-r.t.Context().Done():
					case <-r.server.over:
					}
				})
				return ask[mcp.ElicitAction](ctx, r, "elicitation/create", e)
			}
		case "sample":
			o.Sample = func(ctx context.Context, s *mcp.SampleRequest) (*mcp.SampleResult, error) {
				answer, err := ask[json.RawMessage](ctx, r, "sampling/createMessage", s)
				if err != nil {
					return nil, err
				}
				return mcpclient.ReadAnswer(answer)
			}
		case "sample.tools":
			o.SampleTools = true
		case "sample.context":
			o.SampleContext = true
		case "roots":
			o.Roots = func(ctx context.Context) ([]mcp.Root, error) {
				return ask[[]mcp.Root](ctx, r, "roots/list", struct{}{})
			}
		case "title":
			o.Info.Title = value
		case "level":
			o.LogLevel = value
		case "revision":
			o.Revision = value
		case "extension":
			o.Extensions = map[string]json.RawMessage{value: json.RawMessage(`{"on":true}`)}
		case "experimental":
			o.Experimental = map[string]json.RawMessage{value: json.RawMessage(`{}`)}
		case "request":
			o.Limits.RequestTime = r.duration(value)
		case "rounds":
			o.Limits.Rounds = r.number(value)
		case "attempts":
			o.Retry.Attempts = r.number(value)
		case "quiet": // without notifications outside of requests, so that no event stream is opened over HTTP
			o.OnLog, o.OnChange, o.OnNotification = nil, nil, nil
		case "program", "http", "auth": // of the target
		default:
			r.t.Fatalf("unknown option %q", word)
		}
	}
	return o
}

func (r *replay) duration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		r.t.Fatal(err)
	}
	return d
}

func (r *replay) number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}

func asJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// question is a call of a function of Options that answers the server.
type question struct {
	text   string
	number int // 0: not yet written
	answer chan string
}

// leave makes the function return an error.
func (q *question) leave() {
	select {
	case q.answer <- "error the conversation is over":
	default:
	}
}

// ask waits until the script answers a question, or its context is done.
func ask[T any](ctx context.Context, r *replay, method string, asked any) (answer T, err error) {
	q := &question{text: method + " " + asJSON(asked), answer: make(chan string, 1)}
	r.mu.Lock()
	r.questions = append(r.questions, q)
	r.mu.Unlock()
	select {
	case text := <-q.answer:
		switch kind, rest, _ := strings.Cut(text, " "); kind {
		case "error":
			return answer, errors.New(rest)
		case "refuse":
			return answer, &jsonrpc.Error{Code: -1, Message: rest}
		}
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			r.t.Errorf("answer %s: %v", text, err)
		}
		return answer, nil
	case <-ctx.Done():
		r.mu.Lock()
		number := q.number
		r.mu.Unlock()
		r.addf(questionLine, "question %d has ended: %v", number, context.Cause(ctx))
		return answer, context.Cause(ctx)
	}
}

// numberQuestions writes the questions that have arrived since the last step. Questions that
// arrived at the same time are sorted.
func (r *replay) numberQuestions() {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := slices.IndexFunc(r.questions, func(q *question) bool { return q.number == 0 })
	if known < 0 {
		return
	}
	fresh := r.questions[known:]
	slices.SortFunc(fresh, func(a, b *question) int { return strings.Compare(a.text, b.text) })
	for i, q := range fresh {
		q.number = known + i + 1
		r.lines[questionLine] = append(r.lines[questionLine], fmt.Sprintf("question %d: %s", q.number, q.text))
	}
}

// answer answers a question: with JSON, "error TEXT", or "refuse TEXT", an error of JSON-RPC.
func (r *replay) answer(rest string) {
	number, text, _ := strings.Cut(rest, " ")
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.number(number)
	if n < 1 || n > len(r.questions) {
		r.t.Fatalf("there is no question %d", n)
	}
	select {
	case r.questions[n-1].answer <- text:
	default:
		r.t.Fatalf("question %d is answered twice", n)
	}
}

// start runs an operation of the client, and writes its result when it returns.
func (r *replay) start(name string, f func() (any, error)) {
	r.running.Go(func() {
		value, err := f()
		switch {
		case err != nil:
			r.addf(resultLine, "%s: %s: %v", name, kindsOf(err), err)
		case value == nil:
			r.addf(resultLine, "%s: done", name)
		default:
			r.addf(resultLine, "%s: %s", name, asJSON(value))
		}
	})
}

// kindsOf returns the names of the errors of mcpclient that errors.Is and errors.As find.
func kindsOf(err error) string {
	var kinds []string
	is := func(target error, kind string) {
		if errors.Is(err, target) {
			kinds = append(kinds, kind)
		}
	}
	if e, ok := errors.AsType[*mcpclient.ConnectionError](err); ok {
		kinds = append(kinds, fmt.Sprintf("ConnectionError, sent %t", e.Sent))
	}
	for _, kind := range []struct {
		name string
		is   bool
	}{
		{"jsonrpc.Error", isType[*jsonrpc.Error](err)},
		{"ToolError", isType[*mcpclient.ToolError](err)},
		{"RevisionError", isType[*mcpclient.RevisionError](err)},
		{"UnsupportedError", isType[*mcpclient.UnsupportedError](err)},
		{"LimitError", isType[*mcpclient.LimitError](err)},
		{"ProtocolViolationError", isType[*mcpclient.ProtocolViolationError](err)},
		{"StatusError", isType[*mcpclient.StatusError](err)},
		{"ExitError", isType[*mcpclient.ExitError](err)},
	} {
		if kind.is {
			kinds = append(kinds, kind.name)
		}
	}
	is(mcpclient.ErrTimeout, "ErrTimeout")
	is(mcpclient.ErrClosed, "ErrClosed")
	is(mcpclient.ErrRefused, "ErrRefused")
	is(context.Canceled, "context.Canceled")
	if kinds == nil {
		return "error"
	}
	return strings.Join(kinds, ", ")
}

func isType[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

// operation is an operation of a client. args are the words of its line without options; the last
// word may be a JSON text.
type operation struct {
	args int
	do   func(ctx context.Context, r *replay, args []string, o ...mcpclient.RequestOption) (any, error)
}

// operations contains the operations by the first word of a line. Options of the request follow the
// word: "+progress", "+timeout=1s", "+idempotent", "+fresh" (WithoutCache), "+meta=JSON".
var operations = map[string]*operation{
	"tools": {0, func(ctx context.Context, r *replay, _ []string, o ...mcpclient.RequestOption) (any, error) {
		return r.client.Tools(ctx, o...)
	}},
	"resources": {0, func(ctx context.Context, r *replay, _ []string, o ...mcpclient.RequestOption) (any, error) {
		return r.client.Resources(ctx, o...)
	}},
	"templates": {0, func(ctx context.Context, r *replay, _ []string, o ...mcpclient.RequestOption) (any, error) {
		return r.client.Templates(ctx, o...)
	}},
	"prompts": {0, func(ctx context.Context, r *replay, _ []string, o ...mcpclient.RequestOption) (any, error) {
		return r.client.Prompts(ctx, o...)
	}},
	"call": {2, func(ctx context.Context, r *replay, args []string, o ...mcpclient.RequestOption) (any, error) {
		return value(r.client.Call(ctx, args[0], json.RawMessage(args[1]), o...))
	}},
	"read": {1, func(ctx context.Context, r *replay, args []string, o ...mcpclient.RequestOption) (any, error) {
		return value(r.client.Read(ctx, args[0], o...))
	}},
	"prompt": {2, func(ctx context.Context, r *replay, args []string, o ...mcpclient.RequestOption) (any, error) {
		return value(r.client.Prompt(ctx, args[0], stringsOf(r, args[1]), o...))
	}},
	"complete-prompt": {4, func(ctx context.Context, r *replay, args []string, o ...mcpclient.RequestOption) (any, error) {
		return r.client.CompletePrompt(ctx, args[0], args[1], args[2], stringsOf(r, args[3]), o...)
	}},
	"complete-template": {4, func(ctx context.Context, r *replay, args []string, o ...mcpclient.RequestOption) (any, error) {
		return r.client.CompleteTemplate(ctx, args[0], args[1], args[2], stringsOf(r, args[3]), o...)
	}},
	"level": {1, func(ctx context.Context, r *replay, args []string, _ ...mcpclient.RequestOption) (any, error) {
		return nil, r.client.SetLogLevel(ctx, args[0])
	}},
	"roots-changed": {0, func(ctx context.Context, r *replay, _ []string, _ ...mcpclient.RequestOption) (any, error) {
		return nil, r.client.RootsChanged(ctx)
	}},
	"ping": {0, func(ctx context.Context, r *replay, _ []string, _ ...mcpclient.RequestOption) (any, error) {
		return nil, r.client.Ping(ctx)
	}},
	"server": {0, func(ctx context.Context, r *replay, _ []string, _ ...mcpclient.RequestOption) (any, error) {
		return value(r.client.Server(ctx))
	}},
	"request": {2, func(ctx context.Context, r *replay, args []string, o ...mcpclient.RequestOption) (any, error) {
		return value(r.client.Request(ctx, args[0], json.RawMessage(args[1]), o...))
	}},
	"notify": {2, func(ctx context.Context, r *replay, args []string, _ ...mcpclient.RequestOption) (any, error) {
		return nil, r.client.Notify(ctx, args[0], json.RawMessage(args[1]))
	}},
	"subscribe": {1, func(ctx context.Context, r *replay, args []string, _ ...mcpclient.RequestOption) (any, error) {
		s, err := r.client.Subscribe(ctx, filterOf(args[0]))
		if err != nil {
			return nil, err
		}
		r.mu.Lock()
		r.subs = append(r.subs, s)
		n := len(r.subs)
		r.mu.Unlock()
		r.running.Go(func() {
			for change := range s.Changes() {
				r.addf(changeLine, "subscription %d: %s", n, strings.TrimSpace(change.Method+" "+change.URI))
			}
			r.addf(changeLine, "subscription %d has ended: %v", n, s.Err())
		})
		return s.Acknowledged(), nil
	}},
	"unsubscribe": {1, func(_ context.Context, r *replay, args []string, _ ...mcpclient.RequestOption) (any, error) {
		r.mu.Lock()
		s := r.subs[r.number(args[0])-1]
		r.mu.Unlock()
		return nil, s.Close()
	}},
}

// value adapts functions whose result is nil if they fail.
func value[T any](v T, err error) (any, error) { return v, err }

func stringsOf(r *replay, text string) (m map[string]string) {
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		r.t.Errorf("%s: %v", text, err)
	}
	return m
}

// filterOf returns the filter that words describe: tools, prompts, resources, and URIs.
func filterOf(words string) (f mcpclient.Filter) {
	for word := range strings.FieldsSeq(words) {
		switch word {
		case "tools":
			f.Tools = true
		case "prompts":
			f.Prompts = true
		case "resources":
			f.Resources = true
		default:
			f.URIs = append(f.URIs, word)
		}
	}
	return f
}

// operate runs an operation.
func (r *replay) operate(word, rest string, operation *operation) {
	var o []mcpclient.RequestOption
	for strings.HasPrefix(rest, "+") {
		var option string
		option, rest, _ = strings.Cut(rest[1:], " ")
		o = append(o, r.requestOption(option))
	}
	args := strings.SplitN(rest, " ", max(operation.args, 1))
	if operation.args > 0 && (len(args) != operation.args || rest == "") || operation.args == 0 && rest != "" {
		r.t.Fatalf("%s %s: %d words, want %d", word, rest, len(args), operation.args)
	}
	ctx, cancel := context.WithCancel(r.t.Context())
	r.cancel = cancel
	r.start(word, func() (any, error) {
		defer cancel()
		return operation.do(ctx, r, args, o...)
	})
}

func (r *replay) requestOption(text string) mcpclient.RequestOption {
	name, text, _ := strings.Cut(text, "=")
	switch name {
	case "progress":
		return mcpclient.WithProgress(func(p mcpclient.Progress) { r.addf(eventLine, "progress %s", asJSON(p)) })
	case "timeout":
		return mcpclient.WithTimeout(r.duration(text))
	case "idempotent":
		return mcpclient.WithIdempotent()
	case "fresh":
		return mcpclient.WithoutCache()
	case "meta":
		return mcpclient.WithMeta(text, true)
	}
	r.t.Fatalf("unknown option +%s", name)
	return nil
}
