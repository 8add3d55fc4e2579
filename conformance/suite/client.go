package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Columns of scenarios that belong to no revision.
const (
	// authExtensions contains the scenarios of the authorization extensions.
	authExtensions = "authorization extensions"
	// skills contains the scenarios of the skills extension, for servers too. Another program than
	// in the other scenarios is the client.
	skills = "skills"
)

// clientRevisions contains the revisions for which the suite has client scenarios.
var clientRevisions = []revision{
	{"2025-03-26", 2, 27},
	{"2025-06-18", 5, 72},
	{"2025-11-25", 19, 318},
	{"2026-07-28", 33, 467},
	{authExtensions, 6, 79},
	{skills, 4, 4},
}

// ofExtension reports whether a scenario belongs to a column other than the revisions.
var ofExtension = map[string]func(name string) bool{
	tasks:  func(name string) bool { return strings.HasPrefix(name, "tasks-") },
	skills: func(name string) bool { return strings.HasPrefix(name, "sep-2640-") },
	authExtensions: func(name string) bool {
		return slices.Contains([]string{
			"auth/client-credentials-jwt", "auth/client-credentials-basic", "auth/enterprise-managed-authorization",
			"auth/dpop", "auth/dpop-nonce", "auth/wif-jwt-bearer",
		}, name)
	},
}

// runClient runs the client scenarios of a revision one after the other: one of them measures the
// time of a reconnection, to a fifth of a second.
func (s *suite) runClient(ctx context.Context, r revision) (*outcome, error) {
	args := []string{"--spec-version", r.name}
	extension := ofExtension[r.name]
	if extension != nil {
		args = nil
	}
	names, err := s.names(ctx, append([]string{"--client"}, args...)...)
	if err != nil {
		return nil, err
	}
	if extension != nil {
		names = slices.DeleteFunc(names, func(name string) bool { return !extension(name) })
	}
	if err := r.complete(names); err != nil {
		return nil, err
	}
	began := time.Now()
	o := &outcome{revision: r.name}
	for _, name := range names {
		checks, err := s.runClientScenario(ctx, name, filepath.Join(s.output, r.name, name), args)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		o.scenarios = append(o.scenarios, scenario{name, checks})
	}
	o.took = time.Since(began)
	return o, nil
}

// runClientScenario runs one scenario. The suite also fails if the checks pass and the client
// fails, or does not end: that counts as one more check here.
func (s *suite) runClientScenario(ctx context.Context, name, folder string, args []string) ([]check, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(folder, "suite.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	client := s.client
	if ofExtension[skills](name) {
		client = s.skillClient
	}
	cmd := exec.CommandContext(ctx, s.node, append([]string{s.script, "client", "--command", client,
		"--scenario", name, "--output-dir", folder}, args...)...)
	cmd.Stdout, cmd.Stderr = log, log
	failed := cmd.Run()
	if failed != nil {
		if _, ok := errors.AsType[*exec.ExitError](failed); !ok || ctx.Err() != nil {
			return nil, errors.Join(failed, context.Cause(ctx))
		}
	}
	// The suite creates a folder from the name, which may contain a slash, and the time.
	files, err := filepath.Glob(filepath.Join(folder, filepath.Dir(name), "*", "checks.json"))
	if err != nil || len(files) != 1 {
		return nil, err // a scenario without results has not passed
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		return nil, err
	}
	var checks []check
	if err := json.Unmarshal(text, &checks); err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	if failed != nil {
		checks = append(checks, check{ID: "client", Status: failure, Message: "the suite or the client has failed: see " + log.Name()})
	}
	return checks, nil
}
