// Package mcpissuer is an authorization server (OAuth 2.1) for development and tests. It serves
// clients of this machine alone: every program that can reach it can log in as any persona.
//
// It supports the features that MCP clients use: metadata (RFC 8414, OpenID Connect Discovery 1.0),
// the authorization code with PKCE (RFC 7636), a page on which a person chooses a persona and
// scopes, refresh tokens that are replaced at each use, client credentials, registration (RFC
// 7591), client ID metadata documents, resource indicators (RFC 8707), iss (RFC 9207), DPoP (RFC
// 9449), introspection (RFC 7662) and revocation (RFC 7009). Access tokens are JWTs (RFC 9068).
//
// Keys, logins and tokens are in memory, for the lifetime of the process. A full table drops its
// oldest entry; see the constants. A client without a secret remains registered: its id contains
// its registration.
package mcpissuer
