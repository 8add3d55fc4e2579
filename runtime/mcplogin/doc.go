// Package mcplogin gets access tokens for clients of MCP servers, with OAuth 2.1 as profiled by the
// section "Authorization" of the specification. Each constructor returns a [Login], which is the
// [mcphttpclient.Authorizer] of an Endpoint:
//
//	login, err := mcplogin.New(mcplogin.Config{Name: "Report"})
//	...
//	c, err := mcpclient.Connect(ctx, mcphttpclient.Endpoint{URL: "https://mcp.example.com/mcp", Auth: login}, mcpclient.Options{})
//
// A Login sends no requests before the server refuses a request (status 401). Then it finds the
// server's authorization server and gets a token, and the client sends the request again:
//
//   - [New]: a person logs in with a browser (authorization code with PKCE);
//   - [ClientCredentials]: a service with its own credentials;
//   - [EnterpriseManaged]: a person who has logged in to the company's identity provider;
//   - [Workload]: a program that its platform vouches for;
//   - [FromTokenSource]: tokens that another library gets.
//
// After a status 403 with the error insufficient_scope it requests more scopes. It renews tokens
// with their refresh token. A Login may serve several servers; each has its own token, which is
// sent to no other server.
package mcplogin
