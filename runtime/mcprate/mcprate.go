// Package mcprate limits the rate of requests with token buckets (golang.org/x/time/rate), for each
// caller and each tool.
//
//	s := bookstore.NewMCPServer(store, mcp.WithInterceptors(mcprate.New(
//		mcprate.WithToolLimit("import_*", rate.Every(time.Minute), 1), // the first that matches
//		mcprate.WithToolLimit("*", 5, 20),                             // 5 a second, 20 at once
//		mcprate.WithRequestLimit(50, 100),                            // all requests together
//	)))
//
// A caller is the authenticated principal, or else the network address, of any session or
// connection, or else, on stdio, the connection; see [mcp.Request.Peer] and [WithCaller]. All other
// callers count as one. The buckets are in the memory of this process, so several replicas allow
// several times as much, unless they share a store: [WithStore].
//
// A call over the limit gets a failed result, so that the model reads when to try again; any other
// request gets an error -32603 with the data {"reason":"rate limit","retryAfterMs":1500}.
package mcprate

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/mcpgen/mcpgen/runtime/internal/glob"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Option sets a limit.
type Option func(*limiter)

// WithToolLimit limits the calls of tools whose published name matches the pattern, exact or with
// stars: delete_*; or of the tools of a group: group:admin. Each caller has a bucket for each tool;
// calls by an alias count as calls of the tool. A bucket begins with burst calls and gains limit
// calls per second. Of several such options, the first one that matches a tool applies.
//
// It panics unless limit and burst are positive.
func WithToolLimit(pattern string, limit rate.Limit, burst int) Option {
	check("WithToolLimit", limit, burst)
	r := rule{limit: limit, burst: burst}
	if group, ok := strings.CutPrefix(pattern, "group:"); ok {
		r.group = glob.New(group)
	} else {
		r.name = glob.New(pattern)
	}
	return func(l *limiter) { l.tools = append(l.tools, r) }
}

// WithRequestLimit limits all requests of a caller together, of every method but ping. A call of a
// tool needs a token of this bucket and of its own.
//
// It panics unless limit and burst are positive.
func WithRequestLimit(limit rate.Limit, burst int) Option {
	check("WithRequestLimit", limit, burst)
	return func(l *limiter) { l.all = &rule{limit: limit, burst: burst} }
}

func check(option string, limit rate.Limit, burst int) {
	if !(limit > 0) || burst <= 0 {
		panic(fmt.Sprintf("mcprate: %s needs a positive limit and burst, not %v and %d; a mcp.Policy forbids tools", option, limit, burst))
	}
}

// WithCaller sets the function that identifies callers: requests for which it returns the same
// string share a bucket. The default is [mcp.Request.Peer].
func WithCaller(caller func(ctx context.Context, req *mcp.Request) string) Option {
	return func(l *limiter) { l.caller = caller }
}

// maxBuckets limits the stored buckets. Full ones are removed over time, since they equal new ones.
// Beyond the limit, the least recently used are removed, and their counts are lost.
const maxBuckets = 10_000

// New returns an interceptor that applies the limits of the options; without options it limits
// nothing. Several servers may use it, and then share the buckets. Place it after [mcp.LogCalls]
// and before everything that takes time.
func New(options ...Option) mcp.Interceptor { return newLimiter(options).intercept }

func newLimiter(options []Option) *limiter {
	l := &limiter{caller: func(_ context.Context, req *mcp.Request) string { return req.Peer() }}
	l.buckets.most = maxBuckets
	for _, option := range options {
		option(l)
	}
	return l
}

// limiter contains the limits of an interceptor.
type limiter struct {
	tools   []rule
	all     *rule
	caller  func(context.Context, *mcp.Request) string
	buckets buckets
	shared  *sharedBuckets // nil without a store
}

// rule is a limit for some tools. One of the patterns is set.
type rule struct {
	name, group glob.Pattern
	limit       rate.Limit
	burst       int
}

func (r *rule) fits(tool *mcp.FeatureInfo) bool {
	if r.group == nil {
		return r.name.Match(tool.Name)
	}
	for _, group := range tool.Groups {
		if r.group.Match(group) {
			return true
		}
	}
	return false
}

func (l *limiter) intercept(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, req *mcp.Request) (mcp.Reply, error) {
		if req.Method == "ping" { // its reply shows that the server is alive
			return next(ctx, req)
		}
		what, wait := l.take(ctx, req)
		switch {
		case wait <= 0:
			return next(ctx, req)
		case req.Method == "tools/call":
			result := mcp.TextResult("rate limit: too many " + what + "; try again in " + inSeconds(wait))
			result.IsError = true
			return result, nil
		}
		return nil, &mcp.ProtocolError{
			Code:    jsonrpc.CodeInternal,
			Message: "rate limit: too many " + what + "; try again in " + inSeconds(wait),
			Data:    []byte(`{"reason":"rate limit","retryAfterMs":` + strconv.FormatInt(inMilliseconds(wait), 10) + `}`),
		}
	}
}

// take takes the tokens for a request from the buckets. If one of them has too few, it takes none,
// and returns the time to wait.
func (l *limiter) take(ctx context.Context, req *mcp.Request) (what string, wait time.Duration) {
	tool, ok := req.Tool()
	own := l.ruleOf(&tool, ok)
	if own == nil && l.all == nil {
		return "", 0
	}
	caller := l.caller(ctx, req)
	if l.shared != nil {
		return l.takeShared(ctx, caller, tool.Name, own)
	}
	now := time.Now()
	b := &l.buckets
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.sweep(now)
	var common *rate.Limiter
	if l.all != nil {
		common = b.get(key{caller: caller}, l.all)
		if wait := waitTime(common, now); wait > 0 {
			return "requests", wait
		}
	}
	if own != nil {
		bucket := b.get(key{caller, tool.Name}, own)
		if wait := waitTime(bucket, now); wait > 0 {
			return "calls of " + tool.Name, wait
		}
		bucket.AllowN(now, 1)
	}
	if common != nil {
		common.AllowN(now, 1)
	}
	return "", 0
}

// ruleOf returns the limit of a tool, or nil.
func (l *limiter) ruleOf(tool *mcp.FeatureInfo, found bool) *rule {
	if !found {
		return nil
	}
	for i := range l.tools {
		if l.tools[i].fits(tool) {
			return &l.tools[i]
		}
	}
	return nil
}

// waitTime returns the time until a bucket has a token.
func waitTime(b *rate.Limiter, now time.Time) time.Duration {
	tokens := b.TokensAt(now)
	if tokens >= 1 {
		return 0
	}
	wait := math.Ceil((1 - tokens) / float64(b.Limit()) * float64(time.Second))
	return time.Duration(max(1, min(wait, float64(longest))))
}

// longest limits the wait that a reply names.
const longest = 100 * 365 * 24 * time.Hour

// inSeconds returns a duration in whole seconds, rounded up: 1m30s, 2m, 1h.
func inSeconds(d time.Duration) string {
	s := ((d + time.Second - 1) / time.Second * time.Second).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func inMilliseconds(d time.Duration) int64 {
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}
