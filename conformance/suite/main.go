// Suite runs the server scenarios of the official conformance suite against one process of a
// server, its client scenarios against a client, or its scenarios for authorization servers against
// an issuer, and reports which of them pass. conformance/run starts it.
//
// It fails unless every scenario passes without a warning. There is no list of exceptions: all
// warnings of the suite can be avoided.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// revisions contains the revisions for which the suite has server scenarios, and its extensions.
// The numbers belong to the version of the suite that package-lock.json pins.
var revisions = []revision{
	{"2025-06-18", 27, 56},
	{"2025-11-25", 33, 83},
	{"2026-07-28", 40, 152},
	{tasks, 10, 44},
	{skills, 3, 45},
}

// tasks contains the scenarios of the extension for tasks, in revision 2026-07-28.
const tasks = "tasks"

// untested is the scenario that this version of the suite always skips.
const untested = "tasks-status-notifications"

type revision struct {
	name      string
	scenarios int
	// checks is the number of checks that a server passes if it supports all optional behavior. The
	// suite accepts fewer: if a response is not a stream, for instance, it skips the checks of
	// streams.
	checks int
}

// runTime limits the whole run, which takes seconds.
const runTime = 10 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, runTime)
	err := run(ctx, os.Args[1:], os.Stdout)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("suite", flag.ContinueOnError)
	program := flags.String("server", "", "the `program` to test, which serves with -http ADDR")
	var s suite
	flags.StringVar(&s.client, "client", "", "the `program` to test as a client, in the place of a server")
	flags.StringVar(&s.skillClient, "skillclient", "", "the `program` to test in the scenarios of skills, with -client")
	guard := flags.Bool("guard", false, "start the server with API keys, and add one to each request")
	flags.StringVar(&s.issuer, "issuer", "", "the `program` to test as an authorization server, in the place of a server")
	flags.StringVar(&s.node, "node", "node", "the `program` that runs the suite")
	flags.StringVar(&s.script, "suite", "", "the suite's own `program`")
	flags.StringVar(&s.output, "output", "results", "the `folder` to keep the suite's output in")
	if err := flags.Parse(args); err != nil {
		return err
	}
	known := revisions
	switch {
	case s.client != "":
		known = clientRevisions
	case s.issuer != "":
		known = issuerRevisions
	}
	wanted, err := choose(known, flags.Args())
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.output, 0o755); err != nil {
		return fmt.Errorf("make folder for the output: %w", err)
	}
	switch {
	case s.client != "":
		all, err := s.runAll(ctx, wanted)
		if err != nil {
			return err
		}
		return s.report(out, all, wanted)
	case s.issuer != "":
		return s.testIssuer(ctx, out, wanted)
	}
	var key string
	var options []string
	if *guard {
		file := filepath.Join(s.output, "keys.json")
		if key, err = newKey(file); err != nil {
			return fmt.Errorf("make API key: %w", err)
		}
		options = []string{"-keys", file}
	}
	server, err := startServer(ctx, *program, filepath.Join(s.output, "server.log"), options...)
	if err != nil {
		return err
	}
	url, end := server.url, func() {}
	if *guard {
		if url, end, err = authorize(ctx, server.url, key); err != nil {
			return errors.Join(err, server.stop())
		}
	}
	var wrong findings
	url, untap, err := wrong.tap(url)
	if err != nil {
		end()
		return errors.Join(err, server.stop())
	}
	s.url = url
	all, err := s.runAll(ctx, wanted)
	untap()
	end()
	if err := errors.Join(err, server.reach(ctx), server.stop(), wrong.err()); err != nil {
		return err
	}
	return s.report(out, all, wanted)
}

// testIssuer starts the issuer and tests it.
func (s *suite) testIssuer(ctx context.Context, out io.Writer, wanted []revision) error {
	issuer, err := startServer(ctx, s.issuer, filepath.Join(s.output, "issuer.log"), "-client", issuerClient, "-resource", issuerResource)
	if err != nil {
		return err
	}
	s.url = issuer.url
	all, err := s.runAll(ctx, wanted)
	if err := errors.Join(err, issuer.stop()); err != nil {
		return err
	}
	return s.report(out, all, wanted)
}

// report prints the results, and returns an error unless all scenarios have passed.
func (s *suite) report(out io.Writer, all []outcome, wanted []revision) error {
	printTable(out, all)
	fmt.Fprintf(out, "\nThe whole output is in %s.\n", s.output)
	if bad := printProblems(out, all); bad > 0 {
		return fmt.Errorf("%d scenarios are not passed", bad)
	}
	return enough(all, wanted)
}

// enough returns an error if fewer checks than possible have run.
func enough(all []outcome, wanted []revision) error {
	var errs []error
	for i, r := range wanted {
		if n := all[i].count(success); n != r.checks {
			errs = append(errs, fmt.Errorf("%d checks are passed in revision %s, and %d are expected: "+
				"see what is left out, or after an update of the suite change the number in conformance/suite", n, r.name, r.checks))
		}
	}
	return errors.Join(errs...)
}

// choose returns the revisions with the given names, or all revisions without names.
func choose(all []revision, names []string) ([]revision, error) {
	if len(names) == 0 {
		return all, nil
	}
	var chosen []revision
	for _, name := range names {
		found := false
		for _, r := range all {
			if r.name == name {
				chosen, found = append(chosen, r), true
			}
		}
		if !found {
			var known []string
			for _, r := range all {
				known = append(known, r.name)
			}
			return nil, fmt.Errorf("there is no revision %q: the suite has scenarios of %s", name, strings.Join(known, ", "))
		}
	}
	return chosen, nil
}
