package subprocess

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/internal/children"
	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// past is a deadline in the past.
var past = time.Unix(1, 0)

// Conn is the connection to a program. It is a [dial.Stream].
type Conn struct {
	options dial.Options
	process *os.Process
	group   bool   // the process leads a process group
	counted func() // removes it from the count in package children

	stdin, stdout *os.File
	stderr        *stderr // nil if standard error is a file of the user

	reading sync.Mutex // guards lines, readErr and reading from stdout
	lines   lineConn
	readErr error

	writeErr atomic.Pointer[dial.Error] // error after a message was written in part
	closing  atomic.Bool                // Close has been called
	closed   sync.Once
	end      sync.Once

	outputEnd     chan struct{} // closed at the end of stdout
	ended         chan struct{} // closed when the program has exited
	signalled     chan struct{} // closed when no further signal will be sent
	reaped        chan struct{} // closed when state is set
	done          chan struct{} // closed when all resources of the connection are released
	state         *os.ProcessState
	forced        bool // the program was ended by a signal of this package; read after done
	outputEndOnce sync.Once
}

// lineConn is the line framing of package jsonrpc.
type lineConn interface {
	jsonrpc.Conn
	Identify()
}

// Start starts a program. If w is a file, it is the program's standard error; otherwise standard
// error is copied to w, unless w is nil, and its last part is kept. The error is an error of
// cmd.Start, or of opening pipes.
func Start(cmd *exec.Cmd, w io.Writer, o dial.Options) (*Conn, error) {
	c := &Conn{
		options: o, outputEnd: make(chan struct{}), ended: make(chan struct{}),
		signalled: make(chan struct{}), reaped: make(chan struct{}), done: make(chan struct{}),
	}
	var ours, theirs []*os.File
	closeAll := func(files []*os.File) {
		for _, f := range files {
			f.Close()
		}
	}
	pipe := func() (r, w *os.File, err error) {
		if r, w, err = os.Pipe(); err != nil {
			closeAll(ours)
			closeAll(theirs)
			return nil, nil, fmt.Errorf("open a pipe: %w", err)
		}
		return r, w, nil
	}
	r, in, err := pipe()
	if err != nil {
		return nil, err
	}
	c.stdin, cmd.Stdin, ours, theirs = in, r, append(ours, in), append(theirs, r)
	out, into, err := pipe()
	if err != nil {
		return nil, err
	}
	c.stdout, cmd.Stdout, ours, theirs = out, into, append(ours, out), append(theirs, into)
	if f, ok := w.(*os.File); ok && f != nil {
		cmd.Stderr = f
	} else {
		r, into, err := pipe()
		if err != nil {
			return nil, err
		}
		cmd.Stderr, ours, theirs = into, append(ours, r), append(theirs, into)
		c.stderr = &stderr{file: r, to: w, last: tail{limit: o.Limits.StderrBytes}, logger: o.Logger}
	}
	c.group = ownGroup(cmd)
	err = cmd.Start()
	closeAll(theirs)
	if err != nil {
		closeAll(ours)
		return nil, err
	}
	c.process, c.counted = cmd.Process, children.Add()
	c.lines = jsonrpc.NewLineConn(&messages{r: c.stdout, report: o.Report}, nil, o.Limits.MessageBytes).(lineConn)
	c.lines.Identify()
	go c.watch()
	return c, nil
}

// Read returns the next message. After the program exits, the error is a [*dial.Exit].
func (c *Conn) Read() ([]byte, error) {
	c.reading.Lock()
	defer c.reading.Unlock()
	if c.readErr != nil {
		return nil, c.readErr
	}
	message, err := c.lines.Read()
	if err == nil {
		return message, nil
	}
	if _, ok := errors.AsType[*jsonrpc.FrameError](err); ok {
		return nil, err
	}
	c.readErr = c.reasonOf(err)
	return nil, c.readErr
}

// reasonOf returns the reason for an error of reading.
func (c *Conn) reasonOf(err error) error {
	if errors.Is(err, io.EOF) {
		c.noteOutputEnd()
	}
	if c.closing.Load() {
		return os.ErrClosed
	}
	if _, ok := errors.AsType[*dial.Violation](err); ok {
		return err
	}
	c.finish()
	<-c.done
	return c.exit()
}

func (c *Conn) noteOutputEnd() { c.outputEndOnce.Do(func() { close(c.outputEnd) }) }

// Write sends messages. If the program does not read them within WriteTime, the connection cannot
// be used any more. If the program has exited or closed its input, the error is a [*dial.Exit], as
// for Read. All errors are *dial.Error.
func (c *Conn) Write(batch []byte) error {
	if broken := c.writeErr.Load(); broken != nil {
		return &dial.Error{Again: true, Err: broken.Err}
	}
	within := c.options.Limits.WriteTime
	if errors.Is(c.stdin.SetWriteDeadline(time.Now().Add(within)), os.ErrNoDeadline) {
		defer time.AfterFunc(within, c.finish).Stop()
	}
	n, err := c.stdin.Write(batch)
	if err == nil {
		return nil
	}
	switch {
	case c.closing.Load():
		return &dial.Error{Sent: n > 0, Again: true, Err: os.ErrClosed}
	case errors.Is(err, os.ErrDeadlineExceeded):
		failed := &dial.Error{Sent: n > 0, Again: true, Err: fmt.Errorf("the program has not read its input for %v", within)}
		c.writeErr.Store(failed)
		return failed
	}
	c.finish()
	<-c.done
	return &dial.Error{Sent: n > 0, Again: true, Err: c.exit()}
}

// Close stops the program and returns when it has exited: it closes its input, after CloseTime
// sends SIGTERM to its process group, and after another CloseTime SIGKILL. Further output is
// discarded.
func (c *Conn) Close() error {
	c.closed.Do(func() {
		c.closing.Store(true)
		_ = c.stdout.SetReadDeadline(past) // makes a Read that waits return
		c.finish()
		c.discardOutput()
	})
	<-c.done
	return nil
}

// discardOutput reads the output to its end, so that a full pipe does not block the program. It
// returns at the latest when the pipe is closed.
func (c *Conn) discardOutput() {
	c.reading.Lock()
	defer c.reading.Unlock()
	_ = c.stdout.SetReadDeadline(time.Time{})
	if _, err := io.Copy(io.Discard, c.stdout); err == nil {
		c.noteOutputEnd()
	}
}

// exit returns the error for the exit of the program.
func (c *Conn) exit() *dial.Exit {
	e := &dial.Exit{Status: "unknown status", Code: -1}
	if c.stderr != nil {
		e.Stderr = c.stderr.last.bytes()
	}
	select {
	case <-c.reaped:
		if c.state != nil {
			e.Status, e.Code = c.state.String(), c.state.ExitCode()
		}
	default:
	}
	if c.forced {
		e.Status += ", after it had closed its input or output and gone on"
	}
	return e
}
