package mcpauth_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

// auditedSite is a shop whose records are JSON.
func auditedSite(t *testing.T, change func(*mcpauth.Options)) (*site, func() []object) {
	log := new(record)
	s := shop(t, func(o *mcpauth.Options) {
		o.Audit = slog.New(slog.NewJSONHandler(log, nil))
		if change != nil {
			change(o)
		}
	})
	read := 0
	return s, func() (records []object) {
		all := log.String()
		for line := range strings.Lines(all[read:]) {
			var r object
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatal(err)
			}
			at, _ := r["time"].(string)
			if _, err := time.Parse(time.RFC3339Nano, at); err != nil || r["msg"] != "access" || r["level"] != "WARN" {
				t.Errorf("the record is %s", line)
			}
			for _, name := range []string{"time", "msg", "level"} {
				delete(r, name)
			}
			records = append(records, r)
		}
		read = len(all)
		noSecret(t, all, canary)
		return records
	}
}

// refusalText finds the reasons of refusals in the source of the package.
var refusalText = regexp.MustCompile(`(?s:(?:malformed|invalidCredential)\("([^"]+)"|&refusal\{[^{}]*?reason: "([^"]+)")|p\.audit\(ctx, f, "([^"]+)"|errNoRole = errors\.New\("([^"]+)"`)

// Each refusal of a request or of a feature is logged in one record with everything that is known.
func TestAuditOfEachRefusal(t *testing.T) {
	const remote, trace = "192.0.2.1", "4bf92f3577b34da6a3ce929d0e0e4736"
	const traceField = "Traceparent: 00-" + trace + "-00f067aa0ba902b7-01"
	text := token(nil)
	good := "Authorization: Bearer " + text
	// For a token that was verified, and for one that was not.
	known := object{
		"scheme": "Bearer", "remote": remote, "trace": trace, "principal": issuerURL + " ada", "issuer": issuerURL, "client": "desktop", "token": "id-1",
		"scopes": "books:read books:write",
	}
	unknown := object{"scheme": "Bearer", "remote": remote, "trace": trace, "token": mcpauth.TokenID(text)}
	none := object{"remote": remote, "trace": trace}
	with := func(o, more object) object {
		o = maps.Clone(o)
		o["decision"] = "denied"
		maps.Copy(o, more)
		maps.DeleteFunc(o, func(_ string, v any) bool { return v == nil })
		return o
	}
	inQuery := func() *http.Request {
		r := post("open", good, traceField)
		r.URL.RawQuery = "access_token=" + canary
		return r
	}
	verifier := func(i *mcpauth.Identity, err error) func(*mcpauth.Options) {
		return func(o *mcpauth.Options) {
			o.Verifiers = []mcpauth.Verifier{verifierFunc(func(context.Context, *mcpauth.Credential) (*mcpauth.Identity, error) { return i, err })}
		}
	}
	seen := map[string]bool{}
	for name, test := range map[string]struct {
		change func(*mcpauth.Options)
		r      *http.Request
		want   object
	}{
		"none":  {nil, post("open", traceField), with(none, object{"reason": "the request has no credential", "status": 401.0})},
		"query": {nil, inQuery(), with(none, object{"reason": "the request has a credential in its query", "status": 400.0})},
		"two":   {nil, post("open", good, good, traceField), with(none, object{"reason": "the request has more than one credential", "status": 400.0})},
		"key header": {func(o *mcpauth.Options) { o.KeyHeader = "X-Api-Key" }, post("open", "X-Api-Key: a b", traceField),
			with(none, object{"scheme": "Key", "token": mcpauth.TokenID("a b"), "reason": "the header field with the API key is not valid", "status": 400.0})},
		"form": {nil, post("open", "Authorization: Bearer a b", traceField),
			with(none, object{"scheme": "Bearer", "token": mcpauth.TokenID("a b"), "reason": "the token does not have the form of RFC 6750", "status": 400.0})},
		"password form": {nil, post("open", "Authorization: Basic "+canary, traceField),
			with(none, object{"scheme": "Basic", "reason": "user name and password do not have the form of RFC 7617", "status": 400.0})},
		"scheme": {nil, post("open", "Authorization: Digest "+canary, traceField), with(none, object{"reason": "the scheme of the credential is not known", "status": 401.0})},
		"not recognised": {verifier(nil, mcpauth.ErrNotMine), post("open", good, traceField),
			with(unknown, object{"reason": "no verifier recognises the credential", "status": 401.0})},
		"refused": {verifier(nil, fmt.Errorf("%w: %s", mcpauth.ErrInvalid, text)), post("open", good, traceField),
			with(unknown, object{"reason": "the credential is not valid: [credential]", "status": 401.0})},
		"cannot tell": {verifier(nil, errors.New("no connection")), post("open", good, traceField), with(unknown, object{"reason": "no connection", "status": 503.0})},
		"expired": {verifier(&mcpauth.Identity{Subject: "ada", Method: "own", Expires: time.Now().Add(-time.Hour)}, nil), post("open", good, traceField),
			with(unknown, object{"reason": "the credential has expired", "status": 401.0})},
		"wrong": {nil, post("open", "Authorization: Bearer "+token(object{"exp": 1}), traceField), with(unknown, object{"token": "", "reason": "the token has expired", "status": 401.0})},
		"scopes of all": {func(o *mcpauth.Options) { o.Scopes = []string{"books:read", "books:admin", "more"} }, post("open", good, traceField),
			with(known, object{"reason": "scopes are missing", "status": 403.0, "wanted": "books:admin more"})},
		"too many": {func(o *mcpauth.Options) { o.MaxFailuresPerMinute = 1 }, post("open", "Authorization: Digest "+canary, traceField),
			with(none, object{"reason": "the scheme of the credential is not known; too many of the address", "status": 429.0})},
		"scopes of a tool": {nil, post("write", "Authorization: Bearer "+token(object{"scope": "books:read"}), traceField),
			with(known, object{"scheme": nil, "scopes": "books:read", "reason": "scopes are missing", "wanted": "books:write", "method": "tools/call", "feature": "write"})},
		"role": {func(o *mcpauth.Options) { o.Roles = mcpauth.RoleMap{"staff": {Deny: []string{"group:admin"}}} }, post("reset", "Authorization: Bearer "+token(object{"roles": "staff"}), traceField),
			with(known, object{"scheme": nil, "reason": "no role of the caller may see it", "method": "tools/call", "feature": "reset"})},
	} {
		s, records := auditedSite(t, test.change)
		if name == "too many" {
			s.do(t, post("open", "Authorization: Digest "+canary))
			records()
		}
		s.do(t, test.r)
		got := records()
		if len(got) != 1 {
			t.Errorf("%s: %d records", name, len(got))
			continue
		}
		if test.want["token"] == "" {
			test.want["token"] = got[0]["token"]
		}
		if !maps.Equal(got[0], test.want) {
			t.Errorf("%s: the record is\n%v, want\n%v", name, got[0], test.want)
		}
		reason, _, _ := strings.Cut(fmt.Sprint(got[0]["reason"]), ";")
		seen[reason] = true
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, m := range refusalText.FindAllStringSubmatch(string(source), -1) {
			if reason := strings.Join(m[1:], ""); !seen[reason] {
				t.Errorf("%s: no request is refused for the reason %q", file, reason)
			}
		}
	}
	if len(seen) < 12 {
		t.Errorf("only %v", slices.Collect(maps.Keys(seen)))
	}
}

// A refused feature is logged once per request, however it is used; lists are not logged. The trace
// is taken from the message, or else from the request.
func TestAuditOfFeatures(t *testing.T) {
	s, records := auditedSite(t, nil)
	text := token(object{"scope": "books:read", "private": canary})
	for _, use := range uses {
		s.send(t, text, use.method, fmt.Sprintf(use.params, "write"))
		got := records()
		if len(got) != 1 || got[0]["method"] != use.method || !strings.Contains(fmt.Sprint(got[0]["feature"]), "write") || got[0]["remote"] != "192.0.2.1" || got[0]["wanted"] != "books:write" {
			t.Errorf("%s %s: %v", use.method, use.params, got)
		}
		if s.send(t, text, use.list, ""); len(records()) > 0 {
			t.Errorf("%s: there are records", use.list)
		}
	}
	const trace = "0af7651916cd43dd8448eb211c80319c"
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","arguments":{"secret":"` + canary + `"},"_meta":{"traceparent":"00-` + trace + `-b7ad6b7169203331-01",` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	s.do(t, request("POST", resource, body, "Content-Type: application/json", "Accept: application/json, text/event-stream", "Mcp-Protocol-Version: 2026-07-28",
		"Mcp-Method: tools/call", "Mcp-Name: write", "Authorization: Bearer "+text, "Traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
	if got := records(); len(got) != 1 || got[0]["trace"] != trace {
		t.Errorf("%v", got)
	}
}
