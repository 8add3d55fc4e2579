package mcprate

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// Counted is New, with a function that counts the buckets.
func Counted(options ...Option) (mcp.Interceptor, func() int) {
	l := newLimiter(options)
	return l.intercept, func() int {
		l.buckets.mu.Lock()
		defer l.buckets.mu.Unlock()
		return max(len(l.buckets.byKey), l.buckets.order.Len())
	}
}

// WithMaxBuckets limits the buckets of a limiter.
func WithMaxBuckets(n int) Option { return func(l *limiter) { l.buckets.most = n } }

// Passes returns a function that reports whether a call of a tool passes; "" means another request.
func Passes(options ...Option) func(tool string) bool {
	l := newLimiter(options)
	return func(tool string) bool {
		var own *rule
		if tool != "" {
			own = l.ruleOf(&mcp.FeatureInfo{Name: tool}, true)
		}
		_, wait := l.takeShared(context.Background(), "caller", tool, own)
		return wait <= 0
	}
}
