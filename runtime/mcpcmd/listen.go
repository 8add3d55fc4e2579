package mcpcmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"syscall"
)

// listen listens at an address of [httpaddr.Parse].
func listen(ctx context.Context, address string) (net.Listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, &listenError{address, err}
	}
	return l, nil
}

// listenError is the error for an address at which the program cannot listen.
type listenError struct {
	address string
	err     error
}

func (e *listenError) Unwrap() error { return e.err }

// Error returns the address, the cause, and a way to correct it.
func (e *listenError) Error() string {
	what := e.err
	if op, ok := errors.AsType[*net.OpError](e.err); ok {
		what = op.Err // without a second copy of the address
	}
	return fmt.Sprintf("listen at %s: %v: %s", e.address, what, e.hint())
}

// Windows has its own numbers for these errors, and package syscall does not map them to the
// portable ones. No other system uses these numbers.
const (
	windowsAccess       syscall.Errno = 10013
	windowsAddrInUse    syscall.Errno = 10048
	windowsAddrNotAvail syscall.Errno = 10049
)

func (e *listenError) hint() string {
	_, port, _ := net.SplitHostPort(e.address)
	is := func(one, other syscall.Errno) bool { return errors.Is(e.err, one) || errors.Is(e.err, other) }
	switch {
	case is(syscall.EADDRINUSE, windowsAddrInUse):
		return "another program listens at port " + port + "; end it or take another port, 0 for any that is free"
	case is(syscall.EACCES, windowsAccess):
		return "port " + port + " needs privileges; use one from 1024 on"
	case is(syscall.EADDRNOTAVAIL, windowsAddrNotAvail):
		return "this machine does not have the address; use 127.0.0.1 for local clients, 0.0.0.0 for all of its addresses"
	}
	if _, ok := errors.AsType[*net.DNSError](e.err); ok {
		return "write 127.0.0.1 for this machine alone, 0.0.0.0 for all of its addresses"
	}
	return "try another address"
}

// endpointURL returns the URL of the MCP endpoint for clients on this machine; address is the
// requested address and bound the actual one.
func endpointURL(address string, bound net.Addr, secure bool) string {
	host, port, _ := net.SplitHostPort(address)
	if tcp, ok := bound.(*net.TCPAddr); ok {
		port = strconv.Itoa(tcp.Port)
		if tcp.IP.IsUnspecified() {
			host = "localhost"
		}
	}
	scheme := "http"
	if secure {
		scheme = "https"
	}
	u := url.URL{Scheme: scheme, Host: net.JoinHostPort(host, port), Path: endpoint}
	return u.String()
}

// isLoopback reports whether only this machine can connect to an address.
func isLoopback(bound net.Addr) bool {
	tcp, ok := bound.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// warn prints a warning if other machines can connect, unless they need TLS and callers are
// checked.
func (p *program) warn(bound net.Addr, secure, decided bool) {
	how := ", unencrypted"
	var advice []string
	if secure {
		how = ""
	}
	if !decided {
		advice = append(advice, "authenticate callers (mcpauth.Flags, mcphttp.WithPrincipal)")
	}
	if !secure {
		advice = append(advice, "put a proxy with TLS in front", "add -tls-cert and -tls-key")
	}
	if len(advice) == 0 || isLoopback(bound) {
		return
	}
	fmt.Fprintf(p.stderr, "\twarning: other machines can connect%s: %s, or listen at 127.0.0.1\n", how, strings.Join(advice, ", "))
}
