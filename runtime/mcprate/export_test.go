package mcprate

import "github.com/mcpgen/mcpgen/runtime/mcp"

// Counted is New, with a function that counts the buckets.
func Counted(options ...Option) (mcp.Interceptor, func() int) {
	l := newLimiter(options)
	return l.intercept, func() int {
		l.buckets.mu.Lock()
		defer l.buckets.mu.Unlock()
		return max(len(l.buckets.byKey), l.buckets.order.Len())
	}
}
