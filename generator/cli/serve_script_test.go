package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// served is a command that runs in the background of a script.
type served struct {
	cmd    *exec.Cmd
	stderr *bufio.Reader
	stdout strings.Builder
}

var serverURL = regexp.MustCompile(`(http|ws|tcp|unix)://\S+`)

// serveCommands adds commands for servers to the scripts' commands:
//
//	serve NAME CMD ...      start a command, wait until it prints a URL to standard
//	                        error, and set $NAME to it, $NAME_at to its address
//	post URL FILE [K=V ...] post a message with the header fields that it needs, and
//	                        these; the output is the status and the reply
//	envfile NAME FILE       set a variable of the environment to a file's content
//	end NAME SIGNAL CODE    stop the command by a signal (interrupt, terminate),
//	                        and fail unless it exits with the code; the output is
//	                        its output
func serveCommands(all map[string]func(*testscript.TestScript, bool, []string)) map[string]func(*testscript.TestScript, bool, []string) {
	all["serve"] = func(ts *testscript.TestScript, _ bool, args []string) {
		s := new(served)
		s.cmd = exec.Command(args[1], args[2:]...)
		s.cmd.Dir = ts.MkAbs(".")
		s.cmd.Env = append(ts.Value("environment").([]string), "PWD="+s.cmd.Dir, "GOFLAGS="+ts.Getenv("GOFLAGS"))
		s.cmd.Stdout = &s.stdout
		stderr, err := s.cmd.StderrPipe()
		ts.Check(err)
		ts.Check(s.cmd.Start())
		ts.Defer(func() {
			// Unless it was stopped. Its child processes exit with it.
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
		})
		s.stderr = bufio.NewReader(stderr)
		for text := ""; ; {
			line, err := s.stderr.ReadString('\n')
			text += line
			if found := serverURL.FindString(line); found != "" {
				at, err := url.Parse(found)
				ts.Check(err)
				ts.Setenv(args[0], found)
				ts.Setenv(args[0]+"_at", at.Host)
				break
			}
			if err != nil {
				ts.Fatalf("%v before a URL was printed:\n%s", err, text)
			}
		}
		ts.Value("served").(map[string]*served)[args[0]] = s
	}
	// when TEXT FILE PROGRAM...: the file is written once the program has written the text to
	// standard error.
	all["when"] = func(ts *testscript.TestScript, _ bool, args []string) {
		cmd := exec.Command(args[2], args[3:]...)
		cmd.Dir = ts.MkAbs(".")
		cmd.Env = append(ts.Value("environment").([]string), "PWD="+cmd.Dir)
		cmd.Stdout = ts.Stdout()
		stderr, err := cmd.StderrPipe()
		ts.Check(err)
		ts.Check(cmd.Start())
		lines, found := bufio.NewReader(stderr), false
		for text := ""; ; {
			line, err := lines.ReadString('\n')
			text += line
			if !found && strings.Contains(line, args[0]) {
				found = true
				ts.Check(os.WriteFile(ts.MkAbs(args[1]), nil, 0o644))
			}
			if err != nil {
				ts.Check(cmd.Wait())
				if !found {
					ts.Fatalf("%q is not in\n%s", args[0], text)
				}
				return
			}
		}
	}
	all["envfile"] = func(ts *testscript.TestScript, _ bool, args []string) {
		ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile(args[1])))
	}
	all["post"] = func(ts *testscript.TestScript, _ bool, args []string) {
		status, answer, err := post(args[0], ts.ReadFile(args[1]), args[2:])
		ts.Check(err)
		fmt.Fprintf(ts.Stdout(), "%s\n%s\n", status, answer)
	}
	all["end"] = func(ts *testscript.TestScript, _ bool, args []string) {
		s := ts.Value("served").(map[string]*served)[args[0]]
		signals := map[string]os.Signal{"interrupt": os.Interrupt, "terminate": syscall.SIGTERM}
		ts.Check(s.cmd.Process.Signal(signals[args[1]]))
		// Reading ends when no process keeps standard error open.
		stderr, err := io.ReadAll(s.stderr)
		ts.Check(err)
		err = s.cmd.Wait()
		code := 0
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			code = exit.ExitCode()
		} else {
			ts.Check(err)
		}
		if fmt.Sprint(code) != args[2] {
			ts.Fatalf("exit code %d, want %s\n%s", code, args[2], stderr)
		}
		fmt.Fprint(ts.Stdout(), s.stdout.String())
		fmt.Fprintf(ts.Stderr(), "%s", stderr)
	}
	return all
}

// post posts a message of any revision, with the header fields that repeat its content if its
// revision requires them.
func post(to, message string, header []string) (status, answer string, err error) {
	var m struct {
		Method string
		Params struct {
			Name, URI string
			Meta      map[string]any `json:"_meta"`
		}
	}
	if err := json.Unmarshal([]byte(message), &m); err != nil {
		return "", "", err
	}
	req, err := http.NewRequest(http.MethodPost, to, strings.NewReader(message))
	if err != nil {
		return "", "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if version, ok := m.Params.Meta["io.modelcontextprotocol/protocolVersion"].(string); ok {
		req.Header.Set("MCP-Protocol-Version", version)
		req.Header.Set("Mcp-Method", m.Method)
		req.Header.Set("Mcp-Name", m.Params.Name+m.Params.URI)
	}
	for _, field := range header {
		name, value, _ := strings.Cut(field, "=")
		req.Header.Set(name, value)
		if name == "Host" {
			req.Host = value
		}
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return "", "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return fmt.Sprint(resp.StatusCode, " ", resp.Header.Get("Content-Type")), string(body), err
}
