package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"time"
)

// server is the process under test.
type server struct {
	url   string
	log   string
	ended chan error
	end   context.CancelFunc
}

// endpoint matches the URL that a server or an issuer prints when it is ready.
var endpoint = regexp.MustCompile(`http://[^\s/]+/(?:mcp|issuer)\b`)

// startTime limits the time in which a server starts, and stops.
const startTime = 20 * time.Second

// startServer starts a program with options on a free port, and returns when it responds. It writes
// the program's output to a file.
func startServer(ctx context.Context, program, log string, options ...string) (*server, error) {
	file, err := os.Create(log)
	if err != nil {
		return nil, fmt.Errorf("make log of the server: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, program, append(options, "-http", "127.0.0.1:0")...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = startTime
	lines, said := io.Pipe()
	cmd.Stdout, cmd.Stderr = file, io.MultiWriter(file, said)
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, errors.Join(fmt.Errorf("start server: %w", err), file.Close())
	}
	s := &server{log: log, ended: make(chan error, 1), end: cancel}
	go func() {
		err := cmd.Wait()
		said.CloseWithError(io.EOF)
		s.ended <- errors.Join(err, file.Close())
	}()
	if err := s.await(ctx, lines); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

// await waits until the server prints its URL and responds there.
func (s *server) await(ctx context.Context, lines *io.PipeReader) error {
	urls := make(chan string, 1)
	go func() {
		for in := bufio.NewScanner(lines); in.Scan(); {
			if url := endpoint.FindString(in.Text()); url != "" {
				urls <- url
				break
			}
		}
		_, _ = io.Copy(io.Discard, lines)
		close(urls)
	}()
	timer := time.NewTimer(startTime)
	defer timer.Stop()
	select {
	case s.url = <-urls:
	case <-timer.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if s.url == "" {
		return fmt.Errorf("start server: it has not said at which URL it serves; its log is %s", s.log)
	}
	return s.reach(ctx)
}

// reach sends a request and accepts any response.
func (s *server) reach(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodOptions, s.url, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("reach server: %w; its log is %s", err, s.log)
	}
	return answer.Body.Close()
}

// stop ends the process and waits for it. An error means that the shutdown was not graceful.
func (s *server) stop() error {
	s.end()
	if err := <-s.ended; err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("the server has ended: %w; its log is %s", err, s.log)
	}
	return nil
}
