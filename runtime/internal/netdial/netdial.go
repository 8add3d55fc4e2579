// Package netdial classifies errors of networks and of TLS for clients: whether another attempt may
// succeed later, and how to fix the cause.
package netdial

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"syscall"

	"github.com/mcpgen/mcpgen/internal/secureurl"
	"github.com/mcpgen/mcpgen/runtime/internal/dial"
)

// Error returns the error for a connection that was not opened. If ctx is cancelled, its cause is
// the reason.
func Error(ctx context.Context, err error) *dial.Error {
	if ctx.Err() != nil {
		return &dial.Error{Again: true, Err: context.Cause(ctx)}
	}
	for _, final := range finalErrors {
		if hint, ok := final(err); ok {
			return &dial.Error{Err: fmt.Errorf("%s: %w", hint, err)}
		}
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		err = fmt.Errorf("no server listens there: start it, or correct the address: %w", err)
	}
	return &dial.Error{Again: true, Err: err}
}

// finalErrors are the errors that another attempt would get again. Each function returns a hint how
// to fix the cause.
var finalErrors = []func(error) (hint string, ok bool){
	func(err error) (string, bool) {
		e, ok := errors.AsType[*net.DNSError](err)
		return "there is no such host: correct the address", ok && e.IsNotFound && !e.IsTemporary
	},
	func(err error) (string, bool) {
		_, address := errors.AsType[*net.AddrError](err)
		_, network := errors.AsType[net.UnknownNetworkError](err)
		_, invalid := errors.AsType[net.InvalidAddrError](err)
		return "the address is not valid", address || network || invalid
	},
	func(err error) (string, bool) {
		return "this user may not connect there", errors.Is(err, fs.ErrPermission)
	},
	func(err error) (string, bool) {
		_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
		return "the certificate of the server is of an authority that is not known here: add that to the authorities of this machine, or to RootCAs of the client's tls.Config", unknown
	},
	func(err error) (string, bool) {
		_, ok := errors.AsType[*tls.CertificateVerificationError](err)
		return "the certificate of the server is not valid for it", ok
	},
	func(err error) (string, bool) {
		_, ok := errors.AsType[tls.RecordHeaderError](err)
		return "the server does not speak TLS", ok
	},
	func(err error) (string, bool) {
		e, ok := errors.AsType[*net.OpError](err)
		return "the server refuses the TLS connection", ok && e.Op == "remote error"
	},
}

// IsThisMachine reports whether a host name or address of a URL means this machine, whatever the
// name resolves to (RFC 6761, section 6.3).
func IsThisMachine(host string) bool { return secureurl.IsThisMachine(host) }

// HasCredentials reports whether a header field contains credentials, by its name.
func HasCredentials(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case "authorization", "proxy-authorization", "cookie":
		return true
	}
	for _, part := range []string{"api-key", "apikey", "token", "secret", "password"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
