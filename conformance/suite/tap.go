package main

import (
	"errors"
	"fmt"
	"sync"

	"github.com/mcpgen/mcpgen/internal/proof/spec"
)

// findings collects the errors of a tap for messages of the server.
type findings struct {
	mu   sync.Mutex
	said []error
}

// Helper, Errorf, Fatal and Cleanup implement [spec.T]. The tap is used until the program ends.
func (f *findings) Helper() {}

func (f *findings) Errorf(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.said = append(f.said, fmt.Errorf(format, args...))
}

func (f *findings) Fatal(args ...any) { f.Errorf("%s", fmt.Sprint(args...)) }

func (f *findings) Cleanup(func()) {}

// err returns all errors.
func (f *findings) err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return errors.Join(f.said...)
}

// tap returns the URL of a proxy in front of a server, and a function that stops it. The proxy
// validates the messages of the server if MCP_SPEC_DIR names the official schemas.
func (f *findings) tap(url string) (front string, stop func(), err error) {
	return spec.NewTap(f).OfServers().Proxy(url)
}
