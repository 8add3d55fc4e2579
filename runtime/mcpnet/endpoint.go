package mcpnet

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/dial"
	"github.com/mcpgen/mcpgen/runtime/internal/netdial"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Endpoint is a server at a socket address, for mcpclient.Connect.
type Endpoint struct {
	Network string // tcp, tcp4, tcp6 or unix
	Address string // host and port, or the path of a Unix socket
	// TLS is the TLS configuration; nil means no TLS. An empty ServerName is replaced by the host
	// of Address.
	TLS *tls.Config
}

// Name returns the address as a URL: tcp://host:port, tls://host:port, unix:///path.
func (e Endpoint) Name() string {
	scheme := e.Network
	if e.TLS != nil {
		scheme = "tls"
	}
	return scheme + "://" + e.Address
}

// Key returns the network and address, and a digest of the TLS configuration.
func (e Endpoint) Key() string {
	return fmt.Sprintf("socket %s %q %s", e.Network, e.Address, netdial.TLSKey(e.TLS))
}

// AuthorizationContext returns the user of this process for a Unix socket, whose server can see the
// user. The context is unknown if TLS chooses a certificate by a function, resumes sessions, or has
// a certificate without its private key. Other certificates are part of Key.
func (e Endpoint) AuthorizationContext() (context string, ok bool) {
	switch {
	case !netdial.KnowsClient(e.TLS):
		return "", true
	case e.Network == "unix":
		return "uid " + strconv.Itoa(os.Getuid()), true
	}
	return "", false
}

// Dial connects. The end of ctx aborts connecting, including the TLS handshake.
func (e Endpoint) Dial(ctx context.Context, o dial.Options) (dial.Conn, error) {
	switch e.Network {
	case "tcp", "tcp4", "tcp6", "unix":
	default:
		return nil, &dial.Error{Err: fmt.Errorf("Endpoint.Network is %q: it must be tcp, tcp4, tcp6 or unix", e.Network)}
	}
	if e.Address == "" {
		return nil, &dial.Error{Err: errors.New("Endpoint.Address is empty")}
	}
	config, err := e.tlsConfig()
	if err != nil {
		return nil, &dial.Error{Err: err}
	}
	raw, err := new(net.Dialer).DialContext(ctx, e.Network, e.Address)
	if err != nil {
		return nil, netdial.Error(ctx, err)
	}
	c := &clientConn{conn: raw, raw: raw, limits: o.Limits}
	if config != nil {
		secure := tls.Client(raw, config)
		if err := secure.HandshakeContext(ctx); err != nil {
			_ = raw.Close()
			return nil, netdial.Error(ctx, fmt.Errorf("negotiate TLS: %w", err))
		}
		c.conn = secure
	}
	c.lines = jsonrpc.NewLineConn(struct{ io.Reader }{c.conn}, nil, o.Limits.MessageBytes).(lineConn)
	c.lines.Identify()
	return c, nil
}

// tlsConfig returns the configuration with a name to verify, or nil without TLS.
func (e Endpoint) tlsConfig() (*tls.Config, error) {
	if e.TLS == nil || e.TLS.ServerName != "" || e.TLS.InsecureSkipVerify {
		return e.TLS, nil
	}
	if e.Network == "unix" {
		return nil, errors.New("Endpoint.TLS.ServerName is empty: set the name that the certificate of the server has")
	}
	host, _, err := net.SplitHostPort(e.Address)
	if err != nil {
		return nil, fmt.Errorf("Endpoint.Address: %w", err)
	}
	config := e.TLS.Clone()
	config.ServerName = host
	return config, nil
}

// lineConn is the framing of package jsonrpc.
type lineConn interface {
	jsonrpc.Conn
	Identify()
}

// clientConn is a client's connection. It is a [dial.Stream].
type clientConn struct {
	conn   net.Conn
	raw    net.Conn // below TLS
	lines  lineConn
	limits dial.Limits

	started bool  // a message has been read
	readErr error // caused by a server of another protocol

	closing atomic.Bool
	closed  sync.Once
}

var (
	errServerHTTP = errors.New("the server speaks HTTP: connect to it with mcphttpclient.Endpoint")
	errServerTLS  = errors.New("the server speaks TLS: set Endpoint.TLS")
)

// Read returns the next message.
func (c *clientConn) Read() ([]byte, error) {
	if c.readErr != nil {
		return nil, c.readErr
	}
	message, err := c.lines.Read()
	if err == nil && !c.started {
		c.started = true
		c.readErr = otherProtocol(message)
		return message, c.readErr
	}
	if _, skipped := errors.AsType[*jsonrpc.FrameError](err); err == nil || skipped {
		return message, err
	}
	switch failed := netdial.Error(context.Background(), err); {
	case c.closing.Load():
		err = net.ErrClosed
	case !c.started && !failed.Again: // with TLS 1.3, a certificate is refused only now
		err = failed
	}
	return nil, err
}

// otherProtocol detects the reply of an HTTP or TLS server to a message.
func otherProtocol(line []byte) error {
	switch {
	case bytes.HasPrefix(line, []byte("HTTP/")):
		return &dial.Error{Sent: true, Err: errServerHTTP}
	case bytes.HasPrefix(line, []byte{0x15, 0x03}): // an alert
		return &dial.Error{Sent: true, Err: errServerTLS}
	}
	return nil
}

// Write sends messages, within WriteTime.
func (c *clientConn) Write(batch []byte) error {
	if err := c.conn.SetWriteDeadline(time.Now().Add(c.limits.WriteTime)); err != nil {
		return &dial.Error{Again: true, Err: err}
	}
	n, err := c.conn.Write(batch)
	switch {
	case err == nil:
		return nil
	case c.closing.Load():
		err = net.ErrClosed
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = fmt.Errorf("the server has not read for %v", c.limits.WriteTime)
		_ = c.raw.Close() // part of a message was written
	}
	return &dial.Error{Sent: n > 0, Again: true, Err: err}
}

// Close closes the connection. It waits up to CloseTime for a server that does not read the end of
// TLS.
func (c *clientConn) Close() error {
	c.closed.Do(func() {
		c.closing.Store(true)
		cut := time.AfterFunc(c.limits.CloseTime, func() { _ = c.raw.Close() })
		defer cut.Stop()
		_ = c.conn.Close()
		_ = c.raw.Close()
	})
	return nil
}
