// Package mcpauth finds out who makes a call of a server: it verifies access tokens, and what
// else a request proves its sender with.
//
// [JWT] verifies access tokens that are JWTs (RFC 9068), by the keys that their issuer
// publishes, and [Introspection] asks the issuer (RFC 7662). Tokens may be bound to a key (RFC
// 9449) or a certificate (RFC 8705) of the client. [APIKeys], [Basic] and [Certificates] are for
// clients without an issuer. A [Guard] has some of them, answers requests that are not let in,
// and publishes where clients get a token (RFC 9728).
//
// No error, log line or formatted value of this package has a token, a key or a password.
package mcpauth
