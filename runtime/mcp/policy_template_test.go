package mcp_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// denyGroup returns a careless server on which the templates of the group secret are denied.
func denyGroup(opened *[]string, template string) *mcp.Server {
	s := careless(opened, mcp.Policy{Deny: []string{"group:secret"}})
	s.Register(mcp.NewTemplate(
		mcp.TemplateInfo{URITemplate: template, Name: "secret", Groups: []string{"secret"}},
		func(context.Context, string, map[string]string) (*mcp.ResourceResult, error) {
			return mcp.TextContents("secret"), nil
		},
	))
	return s
}

// No spelling of a denied template's URI reaches a wider template.
func TestPolicyDeniedTemplateCannotBePassed(t *testing.T) {
	var opened []string
	client := connect(t, denyGroup(&opened, "file:///secret/{+name}"))
	r := rand.New(rand.NewPCG(5, 6))
	for range 5_000 {
		uri := secretWay(r)
		opened = nil
		if got := client(request(1, "resources/read", `{"uri":`+quoted(uri)+`}`)); strings.Contains(got, `"result"`) {
			t.Fatalf("%s was read: %s", uri, got)
		}
	}
}

// A denied template covers the possible expansions of its expressions, and no more.
func TestPolicyDeniedTemplates(t *testing.T) {
	for _, test := range []struct {
		template, uri string
		want          bool
	}{
		{"file:///secret/{name}", "file:///secret/key", false},
		{"file:///secret/{name}", "file:////secret/key", false},
		{"file:///secret/{name}", "file:///secret//key", false},
		{"file:///secret/{name}", "file:///SECRET/key", false},
		{"file:///secret/{name}", "file:/secret/key", false},
		{"file:///secret/{name}", "file://localhost/secret/key", false},
		{"file:///secret/{name}", "file:///secret%5Ckey", false},
		{"file:///secret/{name}", "file:///secret%255Ckey", false},
		{"file:///secret/{name}", "file:///secret/key/", false},
		{"file:///secret/{name}", "file:///secret/key?x", false},
		{"file:///secret/{name}", "file:///secret/key#x", false},
		{"file:///secret/{name}", "file:///public/../secret/key", false},
		{"file:///secret/{name}", "file:///public/..%2Fsecret%2Fkey", false},
		{"file:///secret/{name}", "file:////secret/a%2Fb", false},
		{"file:///secret/{name}", "file:///secret%5Ca%2Fb", false},
		{"file:///secret/{name}", "file:///SECRET/a%252Fb/", false},
		{"file:///secret/{name}", "file:///secret/a/b", true},
		{"file:///secret/{name}", "file:///secrets/a", true},
		{"file:///secret/{name}", "file:///public/secret/a", true},
		{"file:///secret/{name}.pem", "file:///secret//key.PEM", false},
		{"file:///secret/{name}.pem", "file:///secret//key.txt", true},
		{"file:///{tenant}/secret{/path*}", "file:///a//secret/b/c", false},
		{"file:///{tenant}/secret{/path*}", "file:///a/b/secret/c", true},
		{"file:///secret{/kind,name}", "file:///secret//a/b?x", false},
		{"file:///secret{/kind,name}", "file:///secret/a/b/c", true},
		{"file:///secret{?page}", "file:///secret?page=1", false},
		{"file:///secret{?page}", "file:////secret", false},
		{"file:///secret{?page}", "file:///secretary", true},
		{"docs://vault/{id}{;rev}", "docs:///vault/7;rev=2", false},
		{"docs://vault/{id}{.ext}", "docs://VAULT/7.json", false},
		{"docs://vault/{id}{#part}", "docs://vault/%37#a/b", false},
	} {
		var opened []string
		client := connect(t, denyGroup(&opened, test.template))
		got := client(request(1, "resources/read", `{"uri":`+quoted(test.uri)+`}`))
		if strings.Contains(got, `"result"`) != test.want {
			t.Errorf("deny %s: %s: %s", test.template, test.uri, got)
		}
	}
}
