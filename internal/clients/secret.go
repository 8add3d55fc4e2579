package clients

import (
	"net/url"
	"strings"
)

// LooksSecret reports whether a value is likely to be one that must not be in a repository, by
// its name or by its form.
func LooksSecret(name, value string) bool {
	if value == "" || strings.Contains(value, "${") {
		return false
	}
	upper := strings.ToUpper(name)
	for _, part := range []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "APIKEY", "API_KEY", "API-KEY", "PRIVATE_KEY", "ACCESS_KEY", "AUTHORIZATION", "COOKIE"} {
		if strings.Contains(upper, part) {
			return true
		}
	}
	for _, prefix := range []string{"sk-", "ghp_", "gho_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "AKIA", "AIza", "eyJ", "-----BEGIN", "Bearer ", "Basic "} {
		if strings.HasPrefix(value, prefix) {
			return true
		}
	}
	if u, err := url.Parse(value); err == nil && u.User != nil {
		_, has := u.User.Password()
		return has
	}
	return false
}
