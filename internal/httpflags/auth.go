package httpflags

import (
	"errors"
	"flag"
	"net/url"
	"strings"

	"github.com/mcpgen/mcpgen/internal/secureurl"
)

// Auth contains the values of the flags of mcpauth.Flags, "" for flags that are not set.
type Auth struct {
	Issuer   string // -auth
	URL      string // -url
	Audience string // -audience
	Keys     string // -keys
	Roles    string // -roles
}

// authFlags are the flags, in the order in which a program receives them.
var authFlags = []struct {
	name, usage, empty string
	value              func(*Auth) *string
}{
	{
		"auth", "with -http: who calls needs an access token of `ISSUER`, a URL as the tokens have it",
		"it needs the URL of an issuer", func(f *Auth) *string { return &f.Issuer },
	},
	{
		"url", "with -auth or -keys: the `URL` of the endpoint as clients write it, such as https://mcp.example.com/mcp. " +
			"On a server for this machine alone it follows from -http",
		"it needs the URL of the endpoint as clients write it", func(f *Auth) *string { return &f.URL },
	},
	{
		"audience", "with -auth: take tokens for `NAME`, too, where the issuer has an identifier of its own for the server",
		"it needs the audience of tokens", func(f *Auth) *string { return &f.Audience },
	},
	{
		"keys", "with -http: who calls needs one of the API keys in `FILE`, which mcpgen key new makes",
		"it needs the path of a file", func(f *Auth) *string { return &f.Keys },
	},
	{
		"roles", "with -auth or -keys: what each role may see, by `FILE`",
		"it needs the path of a file", func(f *Auth) *string { return &f.Roles },
	},
}

// Names returns the names of all flags, those for TLS first.
func Names() []string {
	var names []string
	for _, f := range tlsFlags {
		names = append(names, f.name)
	}
	for _, f := range authFlags {
		names = append(names, f.name)
	}
	return names
}

// Define adds the flags to a set. Empty values are errors: an unset shell variable must not open a
// server to everyone.
func (f *Auth) Define(set *flag.FlagSet) {
	for _, each := range authFlags {
		define(set, each.name, each.usage, each.empty, each.value(f))
	}
}

// Given reports whether any flag is set.
func (f *Auth) Given() bool { return *f != Auth{} }

// Args returns the set flags as command line arguments.
func (f *Auth) Args() []string {
	var args []string
	for _, each := range authFlags {
		if value := *each.value(f); value != "" {
			args = append(args, "-"+each.name, value)
		}
	}
	return args
}

// Serving describes how the program serves.
type Serving struct {
	HTTP     bool // -http
	Loopback bool // other machines cannot connect
	ClientCA bool // -client-ca
}

// Check returns an [*Error] if the flags are invalid. It reads no files.
func (f *Auth) Check(s Serving) error {
	if !s.HTTP {
		if args := f.Args(); args != nil {
			return &Error{"flag " + args[0] + " has no meaning without -http", "add -http ADDR, or leave it out: over standard input and output the client is the user"}
		}
		return nil
	}
	decided := f.Issuer != "" || f.Keys != "" || s.ClientCA
	const decide = "add -auth ISSUER, -keys FILE or -client-ca FILE"
	switch {
	case f.Audience != "" && f.Issuer == "":
		return &Error{"flag -audience has no meaning without -auth", "it is about the tokens of an issuer: add -auth ISSUER"}
	case f.Roles != "" && !decided:
		return &Error{"flag -roles has no meaning where it is not known who calls", decide}
	case f.URL != "" && !decided:
		return &Error{"flag -url has no meaning where all may call", decide}
	case decided && f.URL == "" && !s.Loopback:
		return &Error{
			"flag -url is missing: other machines can connect, and the server does not know its name",
			"add -url with the URL of the endpoint as clients write it, such as -url https://mcp.example.com/mcp, or listen at 127.0.0.1",
		}
	}
	if err := f.checkIssuer(); err != nil {
		return err
	}
	return f.checkURL()
}

func (f *Auth) checkIssuer() error {
	if f.Issuer == "" {
		return nil
	}
	u, err := secureurl.Check(f.Issuer)
	if err == nil && (u.RawQuery != "" || u.ForceQuery) {
		err = errors.New("must not have a query")
	}
	if err != nil {
		return &Error{"flag -auth: the URL of the issuer " + err.Error(), hint(f.Issuer, "it is what the issuer has in its metadata and the claim iss of its tokens")}
	}
	return nil
}

func (f *Auth) checkURL() error {
	if f.URL == "" {
		return nil
	}
	u, err := secureurl.Check(f.URL)
	switch {
	case err != nil:
	case u.RawQuery != "" || u.ForceQuery:
		err = errors.New("must not have a query")
	case u.Host != strings.ToLower(u.Host):
		err = errors.New("must have its host in lower case, as clients write it")
	}
	if err != nil {
		return &Error{"flag -url: the URL of the endpoint " + err.Error(), hint(f.URL, "write it as clients do, such as https://mcp.example.com/mcp")}
	}
	return nil
}

// hint suggests the same URL with https, or returns the other hint.
func hint(text, other string) string {
	if rest, ok := strings.CutPrefix(text, "http://"); ok || !strings.Contains(text, "://") {
		if !ok {
			rest = text
		}
		proposal := "https://" + rest
		if u, err := secureurl.Check(proposal); err == nil && isName(u) {
			return "write " + proposal
		}
	}
	return other
}

// isName reports whether the host of a URL looks like a host name instead of a word.
func isName(u *url.URL) bool {
	return strings.Contains(u.Hostname(), ".") || strings.Contains(u.Hostname(), ":")
}
