package mcpcmd

import (
	"flag"
	"net/http"

	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// HTTPFlags defines flags for serving over HTTP. The function that it returns is called once, after
// they have been parsed, also where the program serves its standard streams: a flag that has no
// meaning there is an error. Every error becomes a [*UsageError] with its text, which has to name
// the flag and say how to correct it.
type HTTPFlags func(set *flag.FlagSet) func(HTTPServing) (HTTPSetup, error)

// HTTPServing says how the program serves over HTTP.
type HTTPServing struct {
	// URL is that of the endpoint for clients on this machine, such as http://127.0.0.1:8080/mcp,
	// with the port that it listens at. It is "" without -http.
	URL string
	// Loopback reports that no other machine can connect.
	Loopback bool
	// ClientCA is the file of -client-ca, "" without. Then TLS has verified the certificates that
	// clients send.
	ClientCA string
}

// HTTPSetup is what flags do.
type HTTPSetup struct {
	// Options are added to those of the handlers, after those of [WithHTTPOptions].
	Options []mcphttp.Option
	// Wrap wraps what is served over HTTP, within the middleware of [WithHandler]. It may be nil.
	Wrap func(http.Handler) http.Handler
	// Callers says who may call, such as "keys of keys.json". The program prints it when it starts.
	// "" means that the flags do not decide about it. Where no flags do, -client-ca refuses
	// connections without a certificate.
	Callers string
}

// WithHTTPFlags adds flags of another package, such as those of mcpauth.Flags. If the program has
// flags of its own, the option is passed to [WithFlags] instead of [Main] and [Run].
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
