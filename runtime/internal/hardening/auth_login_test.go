package hardening_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
)

// loginAttacks are attacks of servers, issuers and others on a client that logs in: the attack, its
// outcome, and its tests, in packages below runtime.
var loginAttacks = [][3]string{
	{"metadata of another origin, of another server's resource, of the parent of another, with a fragment", "no login, nothing is sent to the issuer", "mcplogin/TestResourceOfAnother"},
	{"a document of an issuer whose name has another host, case or slash", "no login", "mcplogin/TestIssuerOfAnother"},
	{"metadata that redirects to another origin", "no request there", "mcplogin/TestMetadataRedirects"},
	{"places on this machine, at 169.254.169.254, in a private network; names that resolve there when they are dialled", "no request there", "mcplogin/TestNamedPlaces internal/fetch/TestResolvedAddress"},
	{"a token endpoint of another origin, that redirects, answers with HTML or 10 MB, with `token_type` mac, without a token", "credentials are sent nowhere else; an error", "mcplogin/TestTokenEndpoint"},
	{"scopes that were not asked for", "the granted ones count", "mcplogin/TestGrantedScopes"},
	{"an `authorization_endpoint` with `javascript:`, `file:`, quotes, blanks, or 1 MB", "not opened", "mcplogin/TestNamedPlaces"},
	{"an authorization response without state, of another, twice, with an `iss` that is missing or wrong, with markup and escapes", "no token request; escaped", "mcplogin/TestCallback mcplogin/TestListener"},
	{"an issuer without PKCE, or with `plain` alone", "no login", "mcplogin/TestNoPKCE"},
	{"a server that names a new issuer", "a new registration; nothing of the old one is sent", "mcplogin/TestOtherIssuer"},
	{"a refresh token that two processes use, or whose successor is lost", "one refresh; one new login", "mcplogin/TestSharedStore mcplogin/TestLostRotation mcpauthtest/TestProcesses"},
	{"401 for ever, 403 with new scopes each time", "three logins for a request", "mcplogin/TestRefusedForever"},
	{"challenges of 1 MB, 1,000 in a field, scopes with quotes and escapes", "read within limits", "mcplogin/TestChallenges"},
	{"a token of one server at another of the same issuer; a cache for two users", "a token of its own; nothing is shared", "mcplogin/TestTokenPerServer mcplogin/TestUsersAreApart"},
	{"a file of logins that others can read, a link, half written, of a later version", "refused, or written anew", "mcplogin/TestStoreFile"},
	{"a DPoP nonce that changes each time, or has 1 MB", "the request ends", "mcplogin/TestNonces"},
	{"a workload's assertion that is refused", "an error; nothing else is tried", "mcplogin/TestWorkloadRefused"},
}

// TestLoginAttackTable checks that docs/decide/security.md contains the attacks, and that their
// tests exist.
func TestLoginAttackTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("| attack | ends in | test |\n|---|---|---|\n")
	for _, a := range loginAttacks {
		var tests []string
		for test := range strings.FieldsSeq(a[2]) {
			if !hasTest(t, filepath.Join("..", "..", filepath.FromSlash(test))) {
				t.Errorf("there is no test %s", test)
			}
			folder, name := filepath.Split(test)
			tests = append(tests, fmt.Sprintf("`%s` of `runtime/%s`", name, strings.TrimSuffix(folder, "/")))
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", a[0], a[1], strings.Join(tests, ", "))
	}
	testbed.CompareTable(t, "../../../docs/decide/security.md", "<!-- attacks on logins -->\n", "<!-- end of attacks on logins -->\n", b.String(), *updateDocs)
}
