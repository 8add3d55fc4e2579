package hardening_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/faultconn"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// lineLink is a stream with one message in each line.
type lineLink struct {
	raw    io.WriteCloser
	finish func() error // closes the input of the server
	served chan error   // result of Serve, if there is one
}

func newLineLink(in *inbox, raw io.WriteCloser, read func() (string, error)) *lineLink {
	in.running.Go(func() {
		defer in.end()
		for {
			in.listen()
			text, err := read()
			if text = strings.TrimSuffix(text, "\n"); text != "" {
				m := parse(text)
				m.signal = err != nil // the message is truncated
				in.add(m)
			}
			if err != nil {
				return
			}
		}
	})
	return &lineLink{raw: raw, served: make(chan error, 1)}
}

// linesOf reads lines, without storing them.
func linesOf(r io.Reader) func() (string, error) {
	lines := bufio.NewReader(r)
	return func() (string, error) { return lines.ReadString('\n') }
}

func (l *lineLink) send(p parcel) *delivery {
	if p.body != nil {
		_, err := io.Copy(l.raw, p.body)
		if err == nil {
			_, err = l.raw.Write([]byte{'\n'})
		}
		return delivered(err)
	}
	_, err := l.raw.Write([]byte(p.text + "\n"))
	return delivered(err)
}

func (l *lineLink) vanish() { _ = l.raw.Close() }

// pipes are the input and output of a process.
type pipes struct {
	*io.PipeReader
	*io.PipeWriter
}

func (p *pipes) Close() error {
	_ = p.PipeReader.Close()
	return p.PipeWriter.Close()
}

// dialStdio frames two pipes, like the standard input and output of a process.
func dialStdio(s *site, in *inbox, who string) (link, error) {
	upRead, upWrite := io.Pipe()
	downRead, downWrite := io.Pipe()
	limit := s.setup.limits.MessageBytes
	l := newLineLink(in, &pipes{downRead, upWrite}, linesOf(downRead))
	l.finish = upWrite.Close
	var server io.ReadWriteCloser = &pipes{upRead, downWrite}
	if s.setup.plan != nil {
		server = faultconn.Stream(server, s.setup.plan(int(s.pipes.Add(1))-1))
	}
	s.served.Go(func() {
		l.served <- s.server.Serve(callerContext(s, who), jsonrpc.NewLineConn(server, server, limit))
	})
	return l, nil
}

func dialMemory(s *site, in *inbox, who string) (link, error) {
	conn, wait := s.server.Connect(callerContext(s, who))
	l := newLineLink(in, writer{conn}, func() (string, error) {
		text, err := conn.Read()
		return string(text), err
	})
	l.finish = conn.(interface{ CloseWrite() error }).CloseWrite
	s.served.Go(func() { l.served <- wait() })
	return l, nil
}

func callerContext(s *site, who string) context.Context {
	return mcp.CallerContext(s.ctx, mcp.Principal{ID: who}, nil)
}

// writer writes pieces of messages to a connection that does not inspect them.
type writer struct{ jsonrpc.Conn }

func (w writer) Write(p []byte) (int, error) { return len(p), w.Conn.Write(p) }

func dialTCP(s *site, in *inbox, who string) (link, error) {
	conn, err := s.net.Dial(s.ctx)
	if err != nil {
		return nil, err
	}
	if s.setup.authentic {
		if _, err := io.WriteString(conn, who+"\n"); err != nil {
			return nil, err
		}
	}
	l := newLineLink(in, conn, linesOf(conn))
	l.finish = func() error {
		half, ok := conn.(*net.TCPConn)
		if !ok {
			return errors.ErrUnsupported
		}
		return half.CloseWrite()
	}
	return l, nil
}
