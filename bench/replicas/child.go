package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Environment variables that make this program a server or a replica.
const (
	childVariable  = "REPLICAS_CHILD"
	configVariable = "REPLICAS_CONFIG" // as JSON
)

// runChild runs the program as a server or a replica, if it was started as one. It reports whether
// it was.
func runChild() bool {
	kind := os.Getenv(childVariable)
	if kind == "" {
		return false
	}
	go func() { // the pipe ends with the parent, however that ends
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(3)
	}()
	var err error
	switch kind {
	case "nats":
		err = withConfig(serveNATS)
	case "replica":
		err = withConfig(serveReplica)
	default:
		err = fmt.Errorf("unknown kind %q", kind)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", kind, err)
		os.Exit(1)
	}
	return true
}

// withConfig calls a function with the configuration from the environment.
func withConfig[T any](serve func(T) error) error {
	var config T
	if err := json.Unmarshal([]byte(os.Getenv(configVariable)), &config); err != nil {
		return err
	}
	return serve(config)
}

// child is a process that is stopped and started again.
type child struct {
	kind, name string
	config     any
	log        string // the file of its standard error
	url        string // responds with status 200 when the process is ready; "" if it has no such URL

	cmd   *exec.Cmd
	stdin io.Closer
}

// newChild returns a child without starting it.
func newChild(kind, name, dir string, config any, url string) *child {
	return &child{kind: kind, name: name, config: config, log: filepath.Join(dir, name+".log"), url: url}
}

// start starts the process, with additional environment variables.
func (c *child) start(variables ...string) error {
	config, err := json.Marshal(c.config)
	if err != nil {
		return err
	}
	log, err := os.OpenFile(c.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	program, err := os.Executable()
	if err != nil {
		return err
	}
	c.cmd = exec.Command(program)
	c.cmd.Env = append(append(os.Environ(), variables...), childVariable+"="+c.kind, configVariable+"="+string(config))
	c.cmd.Stdout, c.cmd.Stderr = log, log
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return err
	}
	return c.cmd.Start()
}

// startTime limits the time until a process is ready.
const startTime = time.Minute

// ready waits until the process answers.
func (c *child) ready() error {
	for begin := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		resp, err := http.Get(c.url)
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
			err = errors.New(resp.Status)
		}
		if time.Since(begin) > startTime {
			return fmt.Errorf("%s has not started: %w", c.name, err)
		}
	}
}

func (c *child) pid() int { return c.cmd.Process.Pid }

// signal sends a signal.
func (c *child) signal(s syscall.Signal) error { return c.cmd.Process.Signal(s) }

// wait waits for the end of the process.
func (c *child) wait() error {
	err := c.cmd.Wait()
	_ = c.stdin.Close()
	return err
}

// kill ends the process immediately.
func (c *child) kill() {
	if c.cmd == nil || c.cmd.ProcessState != nil {
		return
	}
	_ = c.signal(syscall.SIGKILL)
	_ = c.wait()
}

// freeAddresses returns unused loopback addresses.
func freeAddresses(n int) ([]string, error) {
	var addresses []string
	var listeners []net.Listener
	defer func() {
		for _, l := range listeners {
			_ = l.Close()
		}
	}()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		listeners = append(listeners, l)
		addresses = append(addresses, l.Addr().String())
	}
	return addresses, nil
}
