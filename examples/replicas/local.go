package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// child is a replica that this program started.
type child struct {
	name  string
	cmd   *exec.Cmd
	input io.Closer     // standard input: the child stops when it is closed, also if this program is killed
	url   chan string   // receives the URL when the child listens
	ended chan struct{} // closed when err is set
	err   error
}

// serveAll starts all replicas on this machine, prints their addresses, and stops them when ctx is
// cancelled.
func serveAll(ctx context.Context, c *config, stdout, stderr io.Writer) (err error) {
	dir := c.dir
	if dir == "" {
		if dir, err = os.MkdirTemp("", "shop-"); err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
	}
	secret, err := c.secret(dir)
	if err != nil {
		return err
	}
	routes, err := freeAddresses(c.replicas)
	if err != nil {
		return err
	}
	var children []*child
	defer func() { err = errors.Join(err, stopAll(children, c.stopDelay+stopTime)) }()
	for i := range c.replicas {
		one, err := startChild(c, i, dir, routes, secret, stderr)
		if err != nil {
			return err
		}
		children = append(children, one)
	}
	for _, one := range children {
		url, err := one.ready(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		fmt.Fprintf(stdout, "%s: %s (process %d)\n", one.name, url, one.cmd.Process.Pid)
	}
	fmt.Fprintln(stdout, "all replicas are ready; Ctrl-C stops them")
	return wait(ctx, children, stdout)
}

// wait waits until ctx is cancelled, or all children exited. While some children run, they replace
// those that exited, such as by kill -9.
func wait(ctx context.Context, children []*child, stdout io.Writer) error {
	var running sync.WaitGroup
	for _, one := range children {
		running.Go(func() {
			select {
			case <-one.ended:
				if ctx.Err() == nil {
					fmt.Fprintf(stdout, "%s has ended (%v); the others go on\n", one.name, one.err)
				}
			case <-ctx.Done():
			}
		})
	}
	running.Wait()
	if ctx.Err() == nil {
		return errors.New("all replicas have ended")
	}
	return nil
}

// freeAddresses returns unused addresses of the loopback interface.
func freeAddresses(n int) (addresses []string, err error) {
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer func() { _ = l.Close() }() // all at the end, so that they differ
		addresses = append(addresses, l.Addr().String())
	}
	return addresses, nil
}

// startChild starts a replica.
func startChild(c *config, i int, dir string, routes []string, secret []byte, stderr io.Writer) (*child, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	port := 0
	if c.port != 0 {
		port = c.port + i
	}
	one := &child{name: "shop-" + strconv.Itoa(i), url: make(chan string, 1), ended: make(chan struct{})}
	args := []string{
		"-until-eof", "-name", one.name, "-dir", filepath.Join(dir, one.name), "-http", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
		"-copies", strconv.Itoa(c.copies), "-supplier-time", c.supplierTime.String(), "-stop-delay", c.stopDelay.String(),
		"-sync=" + strconv.FormatBool(c.sync),
	}
	if len(routes) > 1 {
		args = append(args, "-routes", routes[i], "-peers", strings.Join(routes, ","))
	}
	one.cmd = exec.Command(program, args...)
	one.cmd.Env = append(os.Environ(), secretVariable+"="+string(secret))
	one.cmd.Stderr = stderr
	if one.input, err = one.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	output, err := one.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := one.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", one.name, err)
	}
	go func() {
		defer close(one.ended)
		lines := bufio.NewScanner(output)
		for lines.Scan() {
			select {
			case one.url <- lines.Text():
			default: // there is only one
			}
		}
		one.err = one.cmd.Wait()
	}()
	return one, nil
}

// ready waits until the replica serves and is ready, and returns its URL.
func (one *child) ready(ctx context.Context) (url string, err error) {
	select {
	case url = <-one.url:
	case <-one.ended:
		return "", fmt.Errorf("start %s: %w", one.name, one.err)
	case <-ctx.Done():
		return "", ctx.Err()
	}
	for !isReady(ctx, strings.TrimSuffix(url, "/mcp")+readyPath) {
		select {
		case <-one.ended:
			return "", fmt.Errorf("start %s: %w", one.name, one.err)
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	return url, nil
}

// isReady reports whether a replica is ready.
func isReady(ctx context.Context, url string) bool {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// stopAll closes the input of all children, and kills those that do not exit in time. Its error is
// about children that did not stop gracefully, except those that exited before.
func stopAll(children []*child, within time.Duration) error {
	var running []*child
	for _, one := range children {
		select {
		case <-one.ended:
		default:
			running = append(running, one)
			_ = one.input.Close()
		}
	}
	late := time.After(within)
	var errs []error
	for _, one := range running {
		select {
		case <-one.ended:
		case <-late:
			for _, other := range running {
				_ = other.cmd.Process.Kill() // a process that exited returns an error
			}
			<-one.ended
		}
		if one.err != nil {
			errs = append(errs, fmt.Errorf("stop %s: %w", one.name, one.err))
		}
	}
	return errors.Join(errs...)
}
