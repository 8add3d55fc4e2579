package mcpauth

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net/url"
	"strings"

	"github.com/mcpgen/mcpgen/internal/httpflags"
	"github.com/mcpgen/mcpgen/runtime/mcpcmd"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// Flags adds flags to a program of mcpcmd, with which the user configures who may call:
//
//	mcpcmd.Main(NewMCPServer(), mcpauth.Flags())
//
//	-auth ISSUER     access tokens of that issuer, by JWT
//	-url URL         Options.Resource; on the loopback interface it follows from -http
//	-audience NAME   JWTOptions.Audience
//	-keys FILE       API keys, by KeysFile
//	-roles FILE      Options.Roles, by RolesFile
//
// With -client-ca of mcpcmd, client certificates are credentials too. Tokens may be bound to keys
// (DPoPAccept). With -auth, -keys or -client-ca, the guard refuses requests without a valid
// credential. Without these flags, nothing changes. Contradictory flags are a *mcpcmd.UsageError,
// which names the missing flag.
//
// The guard replaces the program's functions of mcphttp.WithPrincipal and mcphttp.WithChallenge. If
// the program listens on the loopback interface, the host of -url is added to
// mcphttp.WithAllowedHosts.
func Flags() mcpcmd.Option {
	return mcpcmd.WithHTTPFlags(func(set *flag.FlagSet) func(mcpcmd.HTTPServing) (mcpcmd.HTTPSetup, error) {
		f := new(httpflags.Auth)
		f.Define(set)
		return func(s mcpcmd.HTTPServing) (mcpcmd.HTTPSetup, error) { return setUp(f, s) }
	})
}

// setUp creates the guard that the flags describe.
func setUp(f *httpflags.Auth, s mcpcmd.HTTPServing) (mcpcmd.HTTPSetup, error) {
	var setup mcpcmd.HTTPSetup
	err := f.Check(httpflags.Serving{HTTP: s.URL != "", Loopback: s.Loopback, ClientCA: s.ClientCA != ""})
	if err != nil || !f.Given() && s.ClientCA == "" {
		return setup, err
	}
	o := Options{Resource: s.URL}
	if f.URL != "" {
		o.Resource = f.URL
		if s.Loopback {
			setup.Options = append(setup.Options, allowHost(f.URL)...)
		}
	}
	var callers []string
	if f.Issuer != "" {
		o.Verifiers = append(o.Verifiers, JWT(JWTOptions{Issuer: f.Issuer, Audience: f.Audience, DPoP: DPoPOptions{Mode: DPoPAccept}}))
		audience := o.Resource
		if f.Audience != "" {
			audience += " or " + f.Audience
		}
		callers = append(callers, "a token of "+f.Issuer+" for "+audience)
	}
	if f.Keys != "" {
		file := watch(f.Keys, ReadKeys)
		if file.wrong != nil {
			return setup, fileError("keys", f.Keys, file.wrong, "mcpgen key new NAME -file "+f.Keys+" makes one")
		}
		o.Verifiers = append(o.Verifiers, APIKeys(keysFile{file}))
		callers = append(callers, "a key of "+f.Keys)
	}
	if s.ClientCA != "" {
		o.Verifiers = append(o.Verifiers, Certificates(CertificateOptions{}))
		callers = append(callers, "a certificate of the authorities in "+s.ClientCA)
	}
	if f.Roles != "" {
		file := watch(f.Roles, readRoles)
		if file.wrong != nil {
			return setup, fileError("roles", f.Roles, file.wrong, `write {"roles": {"NAME": {"allow": ["*"]}}}`)
		}
		o.Roles = rolesFile{file}
	}
	guard, err := New(o)
	if err != nil {
		return setup, err
	}
	setup.Options = append(setup.Options, guard.HTTP()...)
	setup.Wrap = guard.Wrap
	setup.Callers = strings.Join(callers, ", or ")
	if f.Roles != "" {
		setup.Callers += "; what they see is in " + f.Roles
	}
	return setup, nil
}

// allowHost allows a proxy on this machine to forward the host of the public URL.
func allowHost(text string) []mcphttp.Option {
	u, err := url.Parse(text)
	if err != nil {
		return nil
	}
	return []mcphttp.Option{mcphttp.WithAllowedHosts(u.Host)}
}

// fileError reports an unreadable file. It adds the hint if the file does not exist.
func fileError(name, path string, err error, hint string) error {
	if cause, ok := errors.AsType[*fs.PathError](err); ok {
		err = cause.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("flag -%s: read %s: %w: %s", name, path, err, hint)
	}
	return fmt.Errorf("flag -%s: read %s: %w", name, path, err)
}
