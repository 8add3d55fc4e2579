package remote

import (
	"net/http"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpnet"
	"github.com/mcpgen/mcpgen/runtime/mcpws"
)

// IsServer reports whether an operand names a server and not a package: a URL, or an entry
// of a configuration file, @NAME.
func IsServer(operand string) bool {
	return strings.HasPrefix(operand, "@") || scheme(operand) != ""
}

// schemes of servers.
var schemes = []string{"http", "https", "ws", "wss", "tcp", "unix"}

// scheme returns the scheme of a URL of a server, "" for anything else.
func scheme(operand string) string {
	for _, s := range schemes {
		if len(operand) > len(s) && strings.EqualFold(operand[:len(s)], s) && strings.HasPrefix(operand[len(s):], "://") {
			return s
		}
	}
	return ""
}

// Credentials are added to the requests of a server behind a URL.
type Credentials struct {
	Header http.Header
	Bearer string                   // token; "" for none
	Auth   mcphttpclient.Authorizer // where there is neither Bearer nor a field Authorization; may be nil
}

// URL returns the server behind a URL.
func URL(url string, with Credentials) mcpclient.Target {
	var auth mcphttpclient.Authorizer
	switch {
	case with.Bearer != "":
		auth = mcphttpclient.Bearer(with.Bearer)
	case with.Header.Get("Authorization") == "":
		auth = with.Auth
	}
	s := scheme(url)
	address := url[min(len(s)+len("://"), len(url)):]
	switch s {
	case "ws", "wss":
		return mcpws.Endpoint{URL: url, Header: with.Header, Auth: auth}
	case "tcp", "unix":
		return mcpnet.Endpoint{Network: s, Address: address}
	}
	return mcphttpclient.Endpoint{URL: url, Header: with.Header, Auth: auth}
}

// TakesHeader reports whether requests to a URL have header fields.
func TakesHeader(url string) bool {
	s := scheme(url)
	return s != "tcp" && s != "unix"
}
