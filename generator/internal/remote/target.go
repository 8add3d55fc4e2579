package remote

import (
	"net/http"
	"net/netip"
	"regexp"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/mcpclient"
	"github.com/mcpgen/mcpgen/runtime/mcphttpclient"
	"github.com/mcpgen/mcpgen/runtime/mcpnet"
	"github.com/mcpgen/mcpgen/runtime/mcpws"
)

// IsServer reports whether an operand names a server and not a package: a URL, or an entry of a
// configuration file, @NAME.
func IsServer(operand string) bool {
	return strings.HasPrefix(operand, "@") || scheme(operand) != ""
}

// schemes of servers.
var schemes = []string{"http", "https", "ws", "wss", "tcp", "unix"}

// scheme returns the scheme of a server's URL, or "" for anything else.
func scheme(operand string) string {
	for _, s := range schemes {
		if len(operand) > len(s) && strings.EqualFold(operand[:len(s)], s) && strings.HasPrefix(operand[len(s):], "://") {
			return s
		}
	}
	return ""
}

// address matches host and port, and a path, of a URL without a scheme, or with one slash missing.
// Import paths contain no colons.
var address = regexp.MustCompile(`^(?:(?:https?|wss?):/?)?((\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(?::[0-9]{1,5})?)(/[^\\]*)?$`)

// Meant returns the URL for an operand without a scheme, such as http://127.0.0.1:8080/mcp for
// 127.0.0.1:8080. It returns "" for operands that may be a package.
func Meant(operand string) string {
	m := address.FindStringSubmatch(operand)
	if m == nil || strings.HasPrefix(operand, ".") {
		return ""
	}
	host, path := strings.Trim(m[2], "[]"), m[3]
	ip, err := netip.ParseAddr(host)
	local := strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback()
	if !strings.Contains(operand, ":") && err != nil && !local || len(host) < 2 {
		return ""
	}
	if path == "" || path == "/" {
		path = "/mcp"
	}
	if local || err == nil && ip.IsPrivate() {
		return "http://" + m[1] + path
	}
	return "https://" + m[1] + path
}

// Credentials are added to the requests to a server behind a URL.
type Credentials struct {
	Header http.Header
	Bearer string                   // token, or ""
	Auth   mcphttpclient.Authorizer // used if neither Bearer nor a field Authorization is set; may be nil
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

// TakesHeader reports whether requests to a URL contain header fields.
func TakesHeader(url string) bool {
	s := scheme(url)
	return s != "tcp" && s != "unix"
}
