// Package mcpauth authenticates the callers of a server: it verifies access tokens and other
// credentials of requests.
//
// [JWT] verifies access tokens that are JWTs (RFC 9068), with the published keys of their issuer,
// and [Introspection] asks the issuer (RFC 7662). Tokens may be bound to a key (RFC 9449) or a
// certificate (RFC 8705) of the client. [APIKeys], [Basic] and [Certificates] serve clients without
// an issuer. A [Guard] combines some of them, refuses requests without a valid credential, and
// publishes where clients get a token (RFC 9728).
//
// Errors, log records and formatted values of this package contain no tokens, keys or passwords.
package mcpauth
