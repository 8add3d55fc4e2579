package mcpauth

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/challenge"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// retryTime is the time in seconds after which to retry a request that could not be decided.
const retryTime = "10"

// refusal is a refused request.
type refusal struct {
	status  int
	reason  string // for the audit, without secrets
	text    string // for the client
	header  http.Header
	counts  bool      // as a failure of the address
	counted bool      // already counted
	who     *Identity // nil if unknown
	wanted  []string  // missing scopes
}

func (e *refusal) response() *mcphttp.Refusal {
	return &mcphttp.Refusal{Status: e.status, Header: e.header, Text: e.text}
}

// tooMany returns the refusal to use in place of e after too many failures from an address.
func (e *refusal) tooMany() *refusal {
	return &refusal{
		status: http.StatusTooManyRequests, reason: e.reason + "; too many of the address",
		text: "too many credentials have been refused", header: http.Header{"Retry-After": {strconv.Itoa(int(failureTime.Seconds()))}},
	}
}

// cannotTell returns the refusal if a verifier cannot decide.
func cannotTell(reason string) *refusal {
	return &refusal{
		status: http.StatusServiceUnavailable, reason: reason,
		text: "the credential cannot be verified now", header: http.Header{"Retry-After": {retryTime}},
	}
}

// malformed returns the refusal of an invalid request (RFC 6750, section 3.1).
func (g *Guard) malformed(reason string) *refusal {
	return &refusal{
		status: http.StatusBadRequest, reason: reason, text: reason, counts: true,
		header: g.challenges("invalid_request", reason, "", g.current().challenge),
	}
}

// invalidCredential returns the refusal of a credential. from is an error of this package, or nil
// for other errors, whose messages clients do not get.
func (g *Guard) invalidCredential(reason string, from *invalid) *refusal {
	e := &refusal{status: http.StatusUnauthorized, reason: reason, text: "the credential is not valid", counts: true}
	code, nonce, description := "invalid_token", "", ""
	if from != nil {
		e.text, description, e.counted = from.reason, from.reason, from.counted
		if from.code != "" {
			code, nonce = from.code, from.nonce
		}
	}
	e.counts = nonce == "" // a client cannot know the first nonce
	e.header = g.challenges(code, description, nonce, g.current().challenge)
	return e
}

// needsScopes returns the refusal if scopes for every request are missing.
func (g *Guard) needsScopes(missing []string, i *Identity) *refusal {
	return &refusal{
		status: http.StatusForbidden, reason: "scopes are missing", text: "the credential does not have the scopes that are needed",
		header: g.challenges("insufficient_scope", "", "", g.current().challenge), who: i, wanted: missing,
	}
}

// challenges returns the header fields of a response that asks for credentials. code is "" if the
// request contained none (RFC 6750, section 3.1).
func (g *Guard) challenges(code, description, nonce string, scopes []string) http.Header {
	var params []challenge.Param
	add := func(name, value string) {
		if value != "" {
			params = append(params, challenge.Param{Name: name, Value: value})
		}
	}
	add("resource_metadata", g.metaURL)
	add("scope", strings.Join(scopes, " "))
	proof := code == "invalid_dpop_proof" || code == "use_dpop_nonce"
	add("error", code)
	add("error_description", description)
	var fields []string
	d := &g.described
	if d.bearer && (!d.dpop || !d.dpopOnly) && !proof {
		fields = append(fields, challenge.Challenge{Scheme: SchemeBearer, Params: params}.String())
	}
	if d.dpop {
		algs := challenge.Param{Name: "algs", Value: strings.Join(algorithms, " ")}
		fields = append(fields, challenge.Challenge{Scheme: SchemeDPoP, Params: append(params, algs)}.String())
	}
	if d.basic && code != "insufficient_scope" {
		fields = append(fields, challenge.Challenge{Scheme: SchemeBasic, Params: []challenge.Param{{Name: "realm", Value: g.o.Resource}, {Name: "charset", Value: "UTF-8"}}}.String())
	}
	if fields == nil { // certificates, or verifiers of the program
		fields = []string{challenge.Challenge{Scheme: SchemeBearer, Params: params}.String()}
	}
	h := http.Header{"Www-Authenticate": fields}
	if nonce != "" {
		h["Dpop-Nonce"] = []string{nonce}
	}
	return h
}
