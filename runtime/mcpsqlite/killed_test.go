//go:build unix

package mcpsqlite_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
	"github.com/mcpgen/mcpgen/runtime/mcpsqlite"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var (
	kills = flag.Int("kills", 1, "how often TestKilled kills the server")
	tasks = flag.Int("tasks", 12, "how many tasks it has")
)

// serving is the environment variable that makes this program the server of TestKilled.
const serving = "MCPSQLITE_TEST_SERVER"

func TestMain(m *testing.M) {
	if folder := os.Getenv(serving); folder != "" {
		if err := serve(folder); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// steps is the number of steps of a task.
const steps = 4

type sure struct{ Yes bool }

var sureForm = mcp.FormInfo{Fields: []mcp.FormField{{Name: "yes", Kind: mcp.BooleanField, Required: true}}}

func (f *sure) MCPFormNeedsDirective() (*mcp.FormInfo, func(*wire.Decoder)) {
	return &sureForm, func(d *wire.Decoder) {
		for o := d.Object(wire.Fields{{Must: "yes"}}); o.Next(); {
			wire.Bool(d, &f.Yes)
		}
	}
}

// serve serves tasks over HTTP at the address in the folder, until it is killed.
func serve(folder string) error {
	address, err := os.ReadFile(filepath.Join(folder, "address"))
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(folder, "ledger"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	store, err := mcpsqlite.Open(filepath.Join(folder, "tasks.db"))
	if err != nil {
		return err
	}
	s := mcp.NewServer(mcp.ServerInfo{Name: "killed", Version: "1"}, mcp.WithLogger(slog.New(slog.DiscardHandler)),
		mcptask.WithStore(store, mcptask.WithLimits(mcptask.Limits{Active: 10_000, MaxAttempts: 1000})))
	s.Register(mcptask.Tool(mcp.NewTool(mcp.ToolInfo{Name: "work"}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		id := mcptask.FromContext(ctx).ID
		sum := 0
		for i := range steps {
			n, err := mcp.Once(ctx, fmt.Sprint("step", i), func() (int, error) {
				fmt.Fprintf(file, "begin %s step%d %d\n", id, i, os.Getpid())
				time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond)
				return i, nil
			})
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(file, "kept %s step%d %d\n", id, i, os.Getpid())
			sum += n
			if i == 1 {
				if a, err := mcp.Elicit[sure](ctx, "Go on?", mcp.WithKey("sure")); err != nil || !a.Value.Yes {
					return nil, fmt.Errorf("not sure: %w", err)
				}
			}
		}
		return mcp.TextResult(fmt.Sprint(id, " ", sum)), nil
	}), mcptask.Support{Required: true, Restart: true}))
	h := mcphttp.NewHandler(s)
	var l net.Listener
	for range 100 { // the port may be in use for a moment
		if l, err = net.Listen("tcp", string(address)); err == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err != nil {
		return err
	}
	return http.Serve(l, h)
}

// victim is the process that is killed.
type victim struct {
	t      *testing.T
	folder string
	url    string

	mu     sync.Mutex
	cmd    *exec.Cmd
	killed map[string]bool
}

func (v *victim) start() {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serving+"="+v.folder)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		v.t.Error(err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.cmd = cmd
}

func (v *victim) kill() {
	v.mu.Lock()
	cmd := v.cmd
	v.killed[strconv.Itoa(cmd.Process.Pid)] = true
	v.mu.Unlock()
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// ask sends a request until the server answers.
func (v *victim) ask(method, name, members string) (string, error) {
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}},"extensions":{"io.modelcontextprotocol/tasks":{}}}},` + members + `}}`
	req, err := http.NewRequest(http.MethodPost, v.url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name,
	} {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}

// outcome is a task's outcome as its client sees it.
type outcome struct {
	id, text  string
	questions map[string]bool // by their names
}

// follow calls the tool, answers its question, and returns the outcome.
func (v *victim) follow(deadline time.Time) (*outcome, error) {
	o := &outcome{questions: map[string]bool{}}
	for o.id == "" {
		reply, err := v.ask("tools/call", "work", `"name":"work","arguments":{}`)
		if _, id, ok := strings.Cut(reply, `"taskId":"`); err == nil && ok {
			o.id = id[:26]
			break
		}
		if time.Now().After(deadline) {
			return o, errors.Join(fmt.Errorf("no task: %s", reply), err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	for ; time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		reply, err := v.ask("tasks/get", o.id, `"taskId":"`+o.id+`"`)
		if err != nil {
			continue
		}
		_, reply, _ = strings.Cut(reply, "{")
		reply, _, _ = strings.Cut("{"+reply, "\n")
		var m struct {
			Result *struct {
				Status        string
				InputRequests map[string]json.RawMessage
				Result        struct{ Content []struct{ Text string } }
			}
			Error json.RawMessage
		}
		if err := json.Unmarshal([]byte(reply), &m); err != nil || m.Result == nil {
			return o, errors.Join(fmt.Errorf("task %s: %s", o.id, reply), err)
		}
		switch m.Result.Status {
		case "completed":
			o.text = m.Result.Result.Content[0].Text
			return o, nil
		case "failed", "cancelled":
			return o, fmt.Errorf("task %s: %s", o.id, reply)
		}
		for name := range m.Result.InputRequests {
			o.questions[name] = true
			_, _ = v.ask("tasks/update", o.id, `"taskId":"`+o.id+`","inputResponses":{"`+name+`":{"action":"accept","content":{"yes":true}}}`)
		}
	}
	return o, fmt.Errorf("task %s does not end", o.id)
}

// The process is killed at random moments, and restarted: every accepted task ends with one result;
// a step is repeated only if a kill happened between the step and storing its value, and no person
// is asked twice.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes longer than a lease")
	}
	v := &victim{t: t, folder: t.TempDir(), killed: map[string]bool{}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	v.url = "http://" + l.Addr().String() + "/mcp"
	if err := os.WriteFile(filepath.Join(v.folder, "address"), []byte(l.Addr().String()), 0o600); err != nil {
		t.Fatal(err)
	}
	l.Close()
	v.start()
	defer v.kill()
	deadline := time.Now().Add(2*time.Minute + time.Duration(*kills)*20*time.Second)
	outcomes := make([]*outcome, *tasks)
	var all sync.WaitGroup
	free := make(chan struct{}, 20)
	for i := range outcomes {
		all.Go(func() {
			time.Sleep(time.Duration(rand.IntN(500*(*kills)+500)) * time.Millisecond)
			free <- struct{}{}
			defer func() { <-free }()
			var err error
			if outcomes[i], err = v.follow(deadline); err != nil {
				t.Error(err)
			}
		})
	}
	for range *kills {
		time.Sleep(time.Duration(300+rand.IntN(700)) * time.Millisecond)
		v.kill()
		v.start()
	}
	all.Wait()
	for _, o := range outcomes {
		if want := o.id + " 6"; o.text != want {
			t.Errorf("result %q, want %q", o.text, want)
		}
		if len(o.questions) != 1 {
			t.Errorf("task %s has asked %v", o.id, o.questions)
		}
		if again, err := v.ask("tasks/get", o.id, `"taskId":"`+o.id+`"`); err != nil || !strings.Contains(again, o.text) {
			t.Errorf("later: %s, %v", again, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(v.folder, "ledger"))
	if err != nil {
		t.Fatal(err)
	}
	book := &ledger{strings.Split(string(text), "\n"), v.killed}
	for _, fault := range book.check() {
		t.Error(fault)
	}
	begun := bytes.Count(text, []byte("begin "))
	t.Logf("%d kills, %d tasks, %d steps begun, %d of them again after a kill", len(v.killed), *tasks, begun, begun-steps*(*tasks))
}
