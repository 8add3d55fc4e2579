package main

import (
	"errors"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
)

func TestCountPrimes(t *testing.T) {
	c := mcptest.New(t, NewMCPServer(), mcptest.Options{})
	var reports []mcpclient.Progress
	got := mcptest.Call[int](c, "count_primes", map[string]any{"below": 20_001},
		mcptest.WithProgress(func(p mcpclient.Progress) { reports = append(reports, p) }))
	if got != 2262 {
		t.Errorf("%d primes below 20,001, want 2262", got)
	}
	if len(reports) != 2 || reports[0].Done != 10_000 || reports[0].Total != 20_001 || reports[0].Message != "1229 primes so far" {
		t.Errorf("reports %+v", reports)
	}
}

func TestCancellation(t *testing.T) {
	c := mcptest.New(t, NewMCPServer(), mcptest.Options{})
	started := make(chan struct{})
	var once sync.Once
	running := c.Start("count_primes", map[string]any{"below": 100_000_000},
		mcptest.WithProgress(func(mcpclient.Progress) { once.Do(func() { close(started) }) }))
	<-started
	running.Cancel("takes too long")
	if _, err := running.Result(); !errors.Is(err, mcptest.ErrCancelled) {
		t.Errorf("error %v", err)
	}
}
