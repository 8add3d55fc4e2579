package mcpcmd

import (
	"flag"
	"net/http"

	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// HTTPFlags defines flags for serving over HTTP. The function that it returns is called once, after
// the flags are parsed, also if the program serves its standard streams, for which an unsuitable
// flag is an error. Every error becomes a [*UsageError] with the same message, which must name the
// flag and explain how to correct it.
type HTTPFlags func(set *flag.FlagSet) func(HTTPServing) (HTTPSetup, error)

// HTTPServing describes how the program serves over HTTP.
type HTTPServing struct {
	// URL is the endpoint URL for clients on this machine, such as http://127.0.0.1:8080/mcp, with
	// the actual port. It is "" without -http.
	URL string
	// Loopback reports that no other machine can connect.
	Loopback bool
	// ClientCA is the file given by -client-ca, or "". With it, TLS verifies the certificates that
	// clients send.
	ClientCA string
}

// HTTPSetup is the configuration that flags result in.
type HTTPSetup struct {
	// Options are options for the handlers, added after the options of [WithHTTPOptions].
	Options []mcphttp.Option
	// Wrap wraps the HTTP handlers, inside the middleware of [WithHandler]. It may be nil.
	Wrap func(http.Handler) http.Handler
	// Callers describes the callers that the flags admit, such as "keys of keys.json". The program
	// prints it when it starts. "" means that the flags do not decide who may call. If no flags do,
	// -client-ca refuses connections without a certificate.
	Callers string
}

// WithHTTPFlags adds flags of another package, such as those of mcpauth.Flags. If the program has
// its own flags, pass the option to [WithFlags] instead of [Main] or [Run].
func WithHTTPFlags(define HTTPFlags) Option {
	return func(p *program) { p.defines = append(p.defines, define) }
}

// defineMore defines the flags of WithHTTPFlags.
func (f *flags) defineMore(defines []HTTPFlags) {
	for _, define := range defines {
		f.more = append(f.more, define(f.set))
	}
}

// setUp calls the functions of WithHTTPFlags.
func (f *flags) setUp(serving HTTPServing) ([]HTTPSetup, error) {
	all := make([]HTTPSetup, 0, len(f.more))
	for _, parsed := range f.more {
		setup, err := parsed(serving)
		if err != nil {
			return nil, &UsageError{text: err.Error(), err: err}
		}
		all = append(all, setup)
	}
	return all, nil
}
