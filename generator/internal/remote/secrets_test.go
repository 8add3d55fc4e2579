package remote

import (
	"net/http"
	"strings"
	"testing"
)

func TestSecrets(t *testing.T) {
	var s Secrets
	s.Add("https://a.example/mcp?key=in%2Fquery&v=1", http.Header{
		"Authorization": {"Bearer first-token"},
		"Cookie":        {"sid=cookie-value; theme=x"},
		"X-Quoted":      {`a"quoted"value`},
	}, "second-token")
	got := s.Remove(`{"a":"Bearer first-token","b":"second-token","c":"cookie-value","d":"in/query in%2Fquery","e":"a\"quoted\"value","f":"Bearer and 1 stay"}`)
	for _, secret := range []string{"first-token", "second-token", "cookie-value", "in/query", "in%2Fquery", "quoted"} {
		if strings.Contains(got, secret) {
			t.Errorf("%s is left in %s", secret, got)
		}
	}
	if !strings.Contains(got, "Bearer and 1 stay") {
		t.Errorf("more was removed than credentials: %s", got)
	}
	var none Secrets
	if got := none.Remove("text"); got != "text" {
		t.Errorf("got %s", got)
	}
}

func TestHasUser(t *testing.T) {
	for address, want := range map[string]bool{
		"https://user:password@a.example/mcp": true,
		"https://user@a.example/mcp":          true,
		"wss://:password@a.example":           true,
		"https://a.example/user@b":            false,
		"https://a.example/?a=b@c":            false,
	} {
		if got := HasUser(address); got != want {
			t.Errorf("HasUser(%q) = %t", address, got)
		}
	}
}
