package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// suite runs the suite.
type suite struct {
	node, script string // command of the suite
	output       string // folder of its output
	url          string // of the server or issuer
	client       string // the program to test, or "" in tests of a server or an issuer
	skillClient  string // the program to test in scenarios of skills
	issuer       string // the program to test
}

// outcome contains the results of one revision.
type outcome struct {
	revision  string
	took      time.Duration
	scenarios []scenario // in the order of the suite
}

// scenario contains the results of one scenario.
type scenario struct {
	name   string
	checks []check // nil if it has not ended
}

// check is one line of a scenario's checks.json.
type check struct {
	ID      string `json:"id"`
	Status  status `json:"status"`
	Message string `json:"errorMessage"`
	// Description is a description of the check.
	Description string `json:"description"`
}

// status is the result of a check.
type status string

const (
	success     status = "SUCCESS"
	failure     status = "FAILURE"
	warning     status = "WARNING"
	information status = "INFO"
	skipped     status = "SKIPPED"
)

// count returns the number of checks with a status.
func (s *scenario) count(want status) (n int) {
	for _, c := range s.checks {
		if c.Status == want {
			n++
		}
	}
	return n
}

// count returns the number of checks of all scenarios with a status.
func (o *outcome) count(want status) (n int) {
	for i := range o.scenarios {
		n += o.scenarios[i].count(want)
	}
	return n
}

// passed reports whether the scenario has checked something, without failures, warnings and unknown
// statuses.
func (s *scenario) passed() bool {
	if s.name == untested {
		return len(s.checks) > 0 && s.count(skipped) == len(s.checks) // otherwise it must be tested
	}
	return s.count(success) > 0 && s.count(success)+s.count(information)+s.count(skipped) == len(s.checks)
}

// runAll runs revision after revision.
func (s *suite) runAll(ctx context.Context, wanted []revision) ([]outcome, error) {
	var all []outcome
	run := s.run
	switch {
	case s.client != "":
		run = s.runClient
	case s.issuer != "":
		run = s.runIssuer
	}
	for _, r := range wanted {
		o, err := run(ctx, r)
		if err != nil {
			return nil, fmt.Errorf("run suite for revision %s: %w", r.name, err)
		}
		all = append(all, *o)
	}
	return all, nil
}

// run runs all scenarios of a revision in one process if the suite supports that, which is fast:
// loading the suite takes longer than most scenarios.
func (s *suite) run(ctx context.Context, r revision) (*outcome, error) {
	names, err := s.list(ctx, r)
	if err != nil {
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
	began := time.Now()
	runs := [][]string{{"--suite", "all", "--spec-version", r.name}}
	if ofExtension[r.name] != nil { // extensions have no suite
		runs = nil
		for _, name := range names {
			runs = append(runs, []string{"--scenario", name})
		}
	}
	for _, args := range runs {
		cmd := exec.CommandContext(ctx, s.node, append([]string{s.script, "server", "--url", s.url, "--output-dir", folder}, args...)...)
		cmd.Stdout, cmd.Stderr = log, log
		// It fails if a scenario fails; the results have the details.
		if err := cmd.Run(); err != nil {
			if _, ok := errors.AsType[*exec.ExitError](err); !ok || ctx.Err() != nil {
				return nil, errors.Join(err, context.Cause(ctx))
			}
		}
	}
	o := &outcome{revision: r.name, took: time.Since(began)}
	results, err := readResults(folder)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		o.scenarios = append(o.scenarios, scenario{name, results[name]})
	}
	return o, nil
}

// listed is a line of the suite's list.
var listed = regexp.MustCompile(`(?m)^\s*- (\S+)`)

// list requests the scenarios from the suite, so that none is missed.
func (s *suite) list(ctx context.Context, r revision) ([]string, error) {
	args := []string{"--server", "--spec-version", r.name}
	extension := ofExtension[r.name]
	if extension != nil {
		args = args[:1]
	}
	names, err := s.names(ctx, args...)
	if err != nil {
		return nil, err
	}
	if extension != nil {
		names = slices.DeleteFunc(names, func(name string) bool { return !extension(name) })
	}
	return names, r.complete(names)
}

// names returns the scenarios that the suite lists.
func (s *suite) names(ctx context.Context, args ...string) ([]string, error) {
	text, err := exec.CommandContext(ctx, s.node, append([]string{s.script, "list"}, args...)...).Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
		}
		return nil, fmt.Errorf("list scenarios: %w", err)
	}
	var names []string
	for _, line := range listed.FindAllSubmatch(text, -1) {
		names = append(names, string(line[1]))
	}
	return names, nil
}

// complete returns an error unless the names are as many as the scenarios of the revision.
func (r *revision) complete(names []string) error {
	if len(names) != r.scenarios {
		return fmt.Errorf("the suite lists %d scenarios, and %d are expected: after an update of the suite, change the number in conformance/suite",
			len(names), r.scenarios)
	}
	return nil
}

// resultFolder matches the folder with the results of one scenario.
var resultFolder = regexp.MustCompile(`^(?:authorization-)?server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$`)

// readResults reads the results of the completed scenarios.
func readResults(folder string) (map[string][]check, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	results := map[string][]check{}
	for _, entry := range entries {
		match := resultFolder.FindStringSubmatch(entry.Name())
		if match == nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, entry.Name(), "checks.json"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		var checks []check
		if err := json.Unmarshal(text, &checks); err != nil {
			return nil, fmt.Errorf("read results of %s: %w", match[1], err)
		}
		results[match[1]] = checks
	}
	return results, nil
}
