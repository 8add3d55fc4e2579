package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// The test program also acts as server and as suite, if these variables are set.
const (
	serverRole = "SUITE_TEST_SERVER" // serve, exit at once, end when the suite runs, leave with an error
	suiteRole  = "SUITE_TEST_SUITE"  // JSON: the checks of each scenario
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-http" {
		playServer(os.Args[2])
	}
	if len(os.Args) > 2 && os.Args[1] == "script.js" {
		playSuite(os.Args[2:])
	}
	os.Exit(m.Run())
}

func playServer(address string) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if os.Getenv(serverRole) == "exit" {
		fmt.Fprintln(os.Stderr, "no licence")
		os.Exit(3)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	go func() {
		_ = http.Serve(l, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodDelete {
				os.Exit(0)
			}
		}))
	}()
	fmt.Fprintf(os.Stderr, "reading the configuration\nserving at http://%s/mcp\n", l.Addr())
	<-ctx.Done()
	if os.Getenv(serverRole) == "leave" {
		os.Exit(4)
	}
	os.Exit(0)
}

// playSuite lists the scenarios of SUITE_TEST_SUITE, or writes their results.
func playSuite(args []string) {
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	var scenarios map[string]json.RawMessage
	fail(json.Unmarshal([]byte(os.Getenv(suiteRole)), &scenarios))
	if args[0] == "list" {
		fmt.Println("Server scenarios (test against a server):")
		for name := range scenarios {
			fmt.Printf("  - %s [2025-06-18,2026-07-28]\n", name)
		}
		os.Exit(0)
	}
	if os.Getenv(serverRole) == "end" {
		req, err := http.NewRequest(http.MethodDelete, args[slices.Index(args, "--url")+1], nil)
		fail(err)
		_, _ = http.DefaultClient.Do(req) // ends the server
	}
	folder := args[slices.Index(args, "--output-dir")+1]
	for name, checks := range scenarios {
		dir := filepath.Join(folder, "server-"+name+"-2026-08-01T10-11-12-345Z")
		fail(os.Mkdir(dir, 0o755))
		if string(checks) != "null" {
			fail(os.WriteFile(filepath.Join(dir, "checks.json"), checks, 0o644))
		}
	}
	os.Exit(1) // like the suite when a scenario fails
}

// play runs the program with the test's own server and suite.
func play(t *testing.T, role, results string, checks int) (string, error) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no process can be interrupted there")
	}
	t.Setenv("GORACE", "atexit_sleep_ms=0") // the test starts many processes
	t.Setenv(serverRole, role)
	t.Setenv(suiteRole, results)
	saved := revisions
	t.Cleanup(func() { revisions = saved })
	revisions = []revision{{"2025-06-18", 1, checks}, {"2026-07-28", 1, checks}}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = run(t.Context(), []string{
		"-server", program, "-node", program, "-suite", "script.js", "-output", filepath.Join(t.TempDir(), "out"), "2026-07-28",
	}, &out)
	return out.String(), err
}

func TestRun(t *testing.T) {
	const passed = `[{"id":"a","status":"SUCCESS"},{"id":"b","status":"SUCCESS"},{"id":"c","status":"INFO"}]`
	for name, test := range map[string]struct {
		results string
		checks  int
		cell    string // of the scenario ping
		problem string // "" = no problem
	}{
		"passed":   {passed, 2, "2/2", ""},
		"skipped":  {`[{"id":"a","status":"SUCCESS"},{"id":"b","status":"SKIPPED"}]`, 1, "1/1", ""},
		"failed":   {`[{"id":"a","status":"SUCCESS"},{"id":"b","status":"FAILURE","errorMessage":"wrong"}]`, 1, "1/2 FAILED", "  FAILURE b: wrong\n"},
		"warned":   {`[{"id":"a","status":"SUCCESS"},{"id":"b","status":"WARNING","description":"slow"}]`, 1, "1/2 FAILED", "  WARNING b: slow\n"},
		"unknown":  {`[{"id":"a","status":"SUCCESS"},{"id":"b","status":"ODD"}]`, 1, "1/2 FAILED", "  ODD b: \n"},
		"nothing":  {`[{"id":"a","status":"INFO"}]`, 1, "0/0 FAILED", "ping in revision 2026-07-28 has checked nothing\n"},
		"no check": {`[]`, 1, "0/0 FAILED", "ping in revision 2026-07-28 has checked nothing\n"},
		"lost":     {`null`, 1, "no result", "ping in revision 2026-07-28 has checked nothing\n"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := play(t, "serve", `{"ping":`+test.results+`}`, test.checks)
			if (err != nil) != (test.problem != "") || !strings.Contains(out, test.problem) {
				t.Errorf("%v, want %q in\n%s", err, test.problem, out)
			}
			var row string
			for line := range strings.Lines(out) {
				if rest, ok := strings.CutPrefix(line, "ping "); ok && row == "" {
					row = strings.TrimSpace(rest)
				}
			}
			if row != test.cell {
				t.Errorf("the cell is %q, want %q, in\n%s", row, test.cell, out)
			}
		})
	}
}

func TestRunFails(t *testing.T) {
	const passed = `[{"id":"a","status":"SUCCESS"}]`
	for name, test := range map[string]struct {
		server, results string
		want            string
	}{
		"fewer checks than expected":    {"serve", `{"ping":[{"id":"a","status":"INFO"},{"id":"b","status":"SUCCESS"}]}`, "1 checks are passed in revision 2026-07-28, and 2 are expected"},
		"server that ends at once":      {"exit", `{"ping":` + passed + `}`, "exit status 3"},
		"server that ends in between":   {"end", `{"ping":` + passed + `}`, "reach server"},
		"server that stops with errors": {"leave", `{"ping":` + passed + `}`, "exit status 4"},
		"fewer scenarios than expected": {"serve", `{}`, "lists 0 scenarios, and 1 are expected"},
		"more scenarios than expected":  {"serve", `{"ping":[],"pong":[]}`, "lists 2 scenarios, and 1 are expected"},
		"results that cannot be read":   {"serve", `{"ping":{}}`, "read results of ping"},
		"suite that does not start":     {"serve", `oops`, "list scenarios: exit status 2"},
	} {
		t.Run(name, func(t *testing.T) {
			if out, err := play(t, test.server, test.results, 2); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q, in\n%s", err, test.want, out)
			}
		})
	}
}

func TestChoose(t *testing.T) {
	if got, err := choose(revisions, []string{"2026-07-28"}); err != nil || len(got) != 1 || got[0].scenarios != 40 {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := choose(revisions, nil); err != nil || !slices.Equal(got, revisions) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := choose(revisions, []string{"2024-11-05"}); err == nil || !strings.Contains(err.Error(), "2025-06-18, 2025-11-25, 2026-07-28") {
		t.Errorf("%v", err)
	}
}

func TestTable(t *testing.T) {
	ok := []check{{Status: success}, {Status: information}}
	var out bytes.Buffer
	printTable(&out, []outcome{
		{revision: "2025-06-18", scenarios: []scenario{{"ping", ok}, {"tools-list", []check{{Status: success}, {Status: warning}}}}},
		{revision: "2026-07-28", scenarios: []scenario{{"tools-list", ok}, {"caching", nil}}},
	})
	const want = `scenario          2025-06-18  2026-07-28
ping              1/1         -
tools-list        1/2 FAILED  1/1
caching           -           no result

scenarios passed  1/2         1/2
checks passed     2           1
checks failed     0           0
warnings          1           0
information       1           1
skipped           0           0
seconds           0.0         0.0
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}
