package diag

import (
	"net/url"
	"regexp"
	"strings"
)

// refused matches the go command's error for a reply of a proxy, or of a source of modules.
var refused = regexp.MustCompile(`reading (https?://\S+): ([1-5][0-9]{2}) `)

// unreachable contains parts of its errors if there is no reply.
var unreachable = []string{"dial tcp", "no such host", "connection refused", "i/o timeout", "TLS handshake", "proxyconnect", "x509: "}

// DownloadHint returns a hint for an output of the go command, if it could not download a module,
// or "". A module that was not downloaded cannot be added to go.mod, either.
func DownloadHint(text string) string {
	if strings.Contains(text, "disabled by GOPROXY=off") {
		return "GOPROXY=off allows no download: set it to a proxy that has the module, or vendor it"
	}
	if m := refused.FindStringSubmatch(text); m != nil {
		host := "the proxy"
		if u, err := url.Parse(m[1]); err == nil && u.Host != "" {
			host = u.Host
		}
		switch code := m[2]; {
		case code == "404" || code == "410":
			return "" // the module does not exist
		case code == "401" || code == "407":
			return host + " wants credentials: go help goauth, or set GOPROXY to another proxy"
		case code[0] == '5' || code == "429":
			return host + " cannot serve it now: try again later, or set GOPROXY to another proxy"
		}
		return host + " refuses it: have the module allowed there, or set GOPROXY to a proxy that has it"
	}
	for _, part := range unreachable {
		if strings.Contains(text, part) {
			return "the source of modules cannot be reached: see the network, and GOPROXY in go env"
		}
	}
	return ""
}
