// Progress reports the progress of a long call, and stops when the client cancels it.
//
//	go run ./progress                                         # serves the client that has started it
//	go tool mcpgen call ./progress count_primes below=2000000 # ^C cancels the call
//
//mcp:defaults errors=text
package main

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
)

//go:generate go tool mcpgen

func main() { mcpcmd.Main(NewMCPServer()) }

// step is the count of numbers between two reports.
const step = 10_000

// CountPrimes counts the prime numbers below a limit.
//
//mcp:tool readonly idempotent closedworld
//mcp:arg below "the limit" minimum=2 maximum=100000000
func CountPrimes(ctx context.Context, below int) (count int, err error) {
	for n := 2; n < below; n++ {
		if prime(n) {
			count++
		}
		if n%step != 0 {
			continue
		}
		// The context is cancelled when the client cancels the call, closes the connection or has
		// waited too long. A handler that does not check it wastes work.
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		// Clients that did not ask for progress get no notifications.
		mcp.Progress(ctx, float64(n), float64(below), fmt.Sprintf("%d primes so far", count))
	}
	return count, nil
}

func prime(n int) bool {
	for d := 2; d*d <= n; d++ {
		if n%d == 0 {
			return false
		}
	}
	return true
}
