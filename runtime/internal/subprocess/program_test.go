//go:build unix

package subprocess_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

const programEnv = "SUBPROCESS_TEST_PROGRAM"

// TestMain is also the program that the tests start.
func TestMain(m *testing.M) {
	if name := os.Getenv(programEnv); name != "" {
		time.AfterFunc(time.Minute, func() { os.Exit(99) }) // whatever the test does
		name, argument, _ := strings.Cut(name, "=")
		os.Exit(programs[name](argument))
	}
	if r, w, err := os.Pipe(); err == nil { // the files of the poller count as open from now on
		r.Close()
		w.Close()
	}
	goleak.VerifyTestMain(m)
}

// echo writes each line that it reads, after a prefix.
func echo(prefix string) int {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return 0
		}
		fmt.Print(prefix, line)
	}
}

// forever goes on until a signal ends the program.
func forever() int {
	for {
		time.Sleep(time.Hour)
	}
}

// ready reports to the test that the program is running.
func ready() { fmt.Println(`{"ready":` + strconv.Itoa(os.Getpid()) + `}`) }

// child starts another program of this file with the same streams.
func child(name string, attr *syscall.SysProcAttr) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), programEnv+"="+name)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = os.Stdin, os.Stdout, os.Stderr, attr
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(98)
	}
}

func ignoreTerminate() { signal.Ignore(syscall.SIGTERM) }

var programs = map[string]func(argument string) int{
	"echo": func(prefix string) int { return echo(strings.ReplaceAll(prefix, "|", "\n")) },
	"print": func(text string) int { // and then echo
		fmt.Print(strings.ReplaceAll(text, "|", "\n"))
		return echo("")
	},
	"repeat": func(argument string) int { // a text, for ever
		text := bytes.Repeat([]byte(strings.ReplaceAll(argument, "|", "\n")), 1000)
		for {
			if _, err := os.Stdout.Write(text); err != nil {
				return 5
			}
		}
	},
	"huge": func(argument string) int { // a reply of as many bytes, and then echo
		size, _ := strconv.Atoi(argument)
		fmt.Print(`{"result":"`)
		part := strings.Repeat("x", 1<<16)
		for ; size > 0; size -= len(part) {
			fmt.Print(part[:min(size, len(part))])
		}
		fmt.Println(`","id":7}`)
		return echo("")
	},
	"stderr": func(argument string) int { // as many MB, and then echo
		size, _ := strconv.Atoi(argument)
		part := []byte(strings.Repeat("noise ", 10_000) + "\n")
		for written := 0; written < size<<20; written += len(part) {
			os.Stderr.Write(part)
		}
		fmt.Fprintln(os.Stderr, "the last words")
		return echo("")
	},
	"exit": func(argument string) int { // at once
		fmt.Fprintln(os.Stderr, "cannot start:", argument)
		code, _ := strconv.Atoi(argument)
		return code
	},
	"die": func(string) int { // by a signal, after a message
		ready()
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		return forever()
	},
	"unread": func(string) int { // does not read its input
		ready()
		return forever()
	},
	"stubborn": func(string) int {
		ignoreTerminate()
		ready()
		return forever()
	},
	"drains": func(string) int { // ignores the end of its input, and prints a message on SIGTERM
		got := make(chan os.Signal, 1)
		signal.Notify(got, syscall.SIGTERM)
		ready()
		io.Copy(io.Discard, os.Stdin)
		fmt.Println(`{"eof":true}`)
		<-got
		return 17
	},
	"closes output": func(string) int {
		ready()
		os.Stdout.Close()
		return forever()
	},
	"closes output and ends with its input": func(string) int {
		ready()
		os.Stdout.Close()
		io.Copy(io.Discard, os.Stdin)
		return 4
	},
	"closes input": func(string) int {
		os.Stdin.Close()
		ready()
		return forever()
	},
	"closes stderr": func(string) int {
		os.Stderr.Close()
		ready()
		return echo("")
	},
	"leaves a child": func(argument string) int { // which inherits its streams
		child(argument, nil)
		return 3
	},
	"leaves a distant child": func(argument string) int { // in a session of its own
		child(argument, &syscall.SysProcAttr{Setsid: true})
		return 3
	},
	"has a child": func(argument string) int {
		child(argument, nil)
		return forever()
	},
	"environment": func(string) int {
		wd, _ := os.Getwd()
		fmt.Printf("{%q}\n", append(os.Environ(), wd))
		return echo("")
	},
}
