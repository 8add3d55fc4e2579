package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/internal/loginpage"
)

// issuerRevisions contains the revisions for which the suite has scenarios of authorization
// servers.
var issuerRevisions = []revision{
	{"2025-03-26", 2, 2},
	{"2025-06-18", 2, 2},
	{"2025-11-25", 2, 3},
	{"2026-07-28", 2, 3},
}

// Constants of the authorization server under test.
const (
	issuerClient   = "conformance"
	issuerResource = "https://mcp.example.com/mcp"
)

// runIssuer runs the scenarios of authorization servers of a revision, in one process: the second
// one needs the results of the first. The suite prints a URL that a person must open.
func (s *suite) runIssuer(ctx context.Context, r revision) (*outcome, error) {
	names, err := s.names(ctx, "--authorization", "--spec-version", r.name)
	if err != nil {
		return nil, err
	}
	if err := r.complete(names); err != nil {
		return nil, err
	}
	folder := filepath.Join(s.output, r.name)
	if err := os.Mkdir(folder, 0o755); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(folder, "suite.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	cmd := exec.CommandContext(ctx, s.node, s.script, "authorization", "--url", s.url, "--client-id", issuerClient,
		"--resource", issuerResource, "--port", strconv.Itoa(port), "--spec-version", r.name, "--output-dir", folder)
	cmd.Stderr = log
	said, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	failed := s.logIn(ctx, io.TeeReader(said, log))
	if failed != nil {
		_ = cmd.Process.Kill() // otherwise it would wait for minutes
	}
	// It fails if a scenario fails; the results have the details.
	if err := cmd.Wait(); err != nil {
		if _, ok := errors.AsType[*exec.ExitError](err); !ok || ctx.Err() != nil {
			failed = errors.Join(failed, err, context.Cause(ctx))
		}
	}
	if failed != nil {
		return nil, failed
	}
	o := &outcome{revision: r.name, took: time.Since(began)}
	results, err := readResults(folder)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		o.scenarios = append(o.scenarios, scenario{name, withoutSkips(results[name])})
	}
	return o, nil
}

// logIn reads the output of the suite, and opens the authorization URL in it. The suite prints the
// URL first, and then that it waits for the browser.
func (s *suite) logIn(ctx context.Context, said io.Reader) error {
	in := bufio.NewScanner(said)
	address := ""
	for in.Scan() {
		line := strings.TrimSpace(in.Text())
		switch {
		case strings.HasPrefix(line, s.url+"/") && strings.Contains(line, "?response_type=code&"):
			address = line
		case strings.HasPrefix(line, "Callback server started") && address != "":
			if err := loginpage.Open(ctx, address, loginpage.Choice{}); err != nil {
				return fmt.Errorf("log in for the suite: %w", err)
			}
			address = ""
		}
	}
	return in.Err()
}

// withoutSkips returns the checks, with skipped ones as failed: the suite skips the whole grant if
// it has no client.
func withoutSkips(checks []check) []check {
	for i := range checks {
		if c := &checks[i]; c.Status == skipped {
			c.Status, c.Message = failure, "skipped: "+c.text()
		}
	}
	return checks
}

// freePort returns a currently free port, for a program that cannot take a listener.
func freePort(ctx context.Context) (int, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := l.Addr().(*net.TCPAddr).Port
	return port, l.Close()
}
