//go:build unix

package mcpclient_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcpclient"
)

const hostileEnv = "MCPCLIENT_TEST_HOSTILE"

// TestHostileProgram is the program of the tests below: a server without sessions that misbehaves
// at its start or in its tools. It records each start and each call.
func TestHostileProgram(t *testing.T) {
	start := os.Getenv(hostileEnv)
	if start == "" {
		t.Skip("this is the program of other tests")
	}
	time.AfterFunc(time.Minute, func() { os.Exit(99) }) // whatever the test does
	note("start")
	switch start {
	case "exits":
		fmt.Fprintln(os.Stderr, "no configuration found")
		os.Exit(3)
	case "silent":
		select {}
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		select {}
	case "legacy": // exits on any first message but initialize
		line, _ := bufio.NewReader(os.Stdin).ReadString('\n')
		if !strings.Contains(line, `"initialize"`) {
			os.Exit(1)
		}
		var m message
		_ = json.Unmarshal([]byte(line), &m)
		fmt.Println(m.reply(initializeResult))
	case "nonsense":
		for {
			fmt.Println("usage: server [flags]")
		}
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			os.Exit(0)
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			os.Exit(98)
		}
		if m.Method == "server/discover" {
			fmt.Println(m.reply(discoverResult))
			continue
		}
		if len(m.ID) == 0 {
			continue
		}
		tool := strings.Trim(m.member("name"), `"`)
		note(tool)
		switch tool {
		case "banner":
			fmt.Print("[info] calling\n\nlook: {}\n")
		case "stderr":
			noise := bytes.Repeat([]byte("noise "), 100_000)
			for range 50 {
				os.Stderr.Write(noise)
			}
		case "exit":
			fmt.Fprint(os.Stderr, "panic: oh\n")
			os.Exit(2)
		case "close output":
			os.Stdout.Close()
			select {}
		case "close input":
			os.Stdin.Close()
			fmt.Println(m.reply(okResult))
			select {}
		case "leave a child":
			cmd := exec.Command(os.Args[0], os.Args[1:]...)
			cmd.Env = append(os.Environ(), hostileEnv+"=stubborn")
			cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
			if err := cmd.Start(); err != nil {
				os.Exit(97)
			}
			os.Exit(4)
		}
		fmt.Println(m.reply(okResult))
	}
}

// notes is the environment variable with the file for the program's notes.
const notes = "MCPCLIENT_TEST_NOTES"

func note(text string) {
	f, err := os.OpenFile(os.Getenv(notes), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		os.Exit(96)
	}
	fmt.Fprintln(f, text)
	f.Close()
}

// hostile returns the program, and a function that counts its notes.
func hostile(t *testing.T, start string) (mcpclient.Command, func(text string) int) {
	file := t.TempDir() + "/notes"
	c := mcpclient.Command{
		Path: os.Args[0], Args: []string{"-test.run=^TestHostileProgram$"},
		Env: []string{hostileEnv + "=" + start, notes + "=" + file, "GORACE=atexit_sleep_ms=0"},
	}
	return c, func(text string) int {
		data, _ := os.ReadFile(file)
		n := 0
		for line := range strings.Lines(string(data)) {
			if line == text+"\n" {
				n++
			}
		}
		return n
	}
}

// programOptions are options with short times.
func programOptions() mcpclient.Options {
	o := mcpclient.Options{OnProtocolError: func(error) {}}
	o.Limits.CloseTime = 200 * time.Millisecond
	o.Retry.First = time.Millisecond
	return o
}

// TestHostilePrograms: a call returns its result or an error that names the cause, and the next
// call works. A call that may have run is not sent again.
func TestHostilePrograms(t *testing.T) {
	testbed.Bound(t)
	for tool, want := range map[string]func(t *testing.T, err error){
		"banner": nil, "stderr": nil, "close input": nil,
		"exit": func(t *testing.T, err error) {
			e := errorAs[*mcpclient.ExitError](t, err)
			if e.Status != "exit status 2" || !strings.Contains(err.Error(), "panic: oh") {
				t.Errorf("the error is %v", err)
			}
		},
		"close output": func(t *testing.T, err error) {
			if e := errorAs[*mcpclient.ExitError](t, err); !strings.HasPrefix(e.Status, "signal: ") {
				t.Errorf("the error is %v", err)
			}
		},
		"leave a child": func(t *testing.T, err error) {
			if e := errorAs[*mcpclient.ExitError](t, err); e.Status != "exit status 4" {
				t.Errorf("the error is %v", err)
			}
		},
	} {
		t.Run(tool, func(t *testing.T) {
			command, count := hostile(t, "modern")
			var v violations
			o := programOptions()
			o.OnProtocolError = v.add
			goroutines := testbed.Goroutines()
			c, err := mcpclient.Connect(t.Context(), command, o)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := c.Close(); err != nil {
					t.Error(err)
				}
				eventually(t, "the goroutines end", func() bool { return testbed.Goroutines() <= goroutines })
			}()
			_, err = c.Call(t.Context(), tool, nil)
			switch {
			case want == nil && err != nil:
				t.Fatal(err)
			case want != nil:
				want(t, err)
				if lost := errorAs[*mcpclient.ConnectionError](t, err); !lost.Sent {
					t.Errorf("the error is %v", err)
				}
			}
			if result, err := c.Call(t.Context(), "next", nil); err != nil || result.Text() != "ok" {
				t.Errorf("the next call: %v, %v", result, err)
			}
			if n := count(tool); n != 1 {
				t.Errorf("the tool has run %d times", n)
			}
			if n := len(v.texts()); n != map[string]int{"banner": 2}[tool] { // "look: {}" is counted
				t.Errorf("reported %q", v.texts())
			}
		})
	}
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			buf := make([]byte, 1<<20)
			t.Fatalf("%s: not within 20 seconds\n%s", what, buf[:runtime.Stack(buf, true)])
		}
	}
}

// TestProgramsThatEnd: a program that exits at once is given up, and the error contains its last
// output.
func TestProgramsThatEnd(t *testing.T) {
	testbed.Bound(t)
	command, count := hostile(t, "exits")
	_, err := mcpclient.Connect(t.Context(), command, programOptions())
	if e := errorAs[*mcpclient.ExitError](t, err); e.Code != 3 || !strings.Contains(err.Error(), "no configuration found") {
		t.Errorf("the error is %v", err)
	}
	if n := count("start"); n < 2 || n > 10 {
		t.Errorf("%d starts", n)
	}
}

// TestProgramLegacy: a program that exits on the probe is started once more.
func TestProgramLegacy(t *testing.T) {
	command, count := hostile(t, "legacy")
	c, err := mcpclient.Connect(t.Context(), command, programOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if n := count("start"); n != 2 || c.Revision() != "2025-11-25" {
		t.Errorf("%d starts, revision %s", n, c.Revision())
	}
	if _, err := c.Call(t.Context(), "x", nil); err != nil {
		t.Error(err)
	}
}

// TestProgramsWithoutReply: Connect returns when its context is done.
func TestProgramsWithoutReply(t *testing.T) {
	testbed.Bound(t)
	for _, start := range []string{"silent", "stubborn", "nonsense"} {
		t.Run(start, func(t *testing.T) {
			command, _ := hostile(t, start)
			goroutines := testbed.Goroutines()
			cause := errors.New("a cause")
			ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, cause)
			defer cancel()
			_, err := mcpclient.Connect(ctx, command, programOptions())
			if err == nil {
				t.Error("there is a connection")
			}
			if start != "nonsense" && !errors.Is(err, cause) {
				t.Errorf("the error is %v", err)
			}
			eventually(t, "the goroutines end", func() bool { return testbed.Goroutines() <= goroutines })
		})
	}
}

// TestIdleProgram: an idle client has two goroutines.
func TestIdleProgram(t *testing.T) {
	command, _ := hostile(t, "modern")
	goroutines := testbed.Goroutines()
	c, err := mcpclient.Connect(t.Context(), command, programOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var calls sync.WaitGroup
	for range 20 {
		calls.Go(func() {
			if _, err := c.Call(t.Context(), "x", nil); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	eventually(t, "two goroutines", func() bool { return testbed.Goroutines() <= goroutines+2 })
}
