// Package mcplogin gets access tokens for clients of MCP servers, by OAuth 2.1 as the section
// "Authorization" of the specification profiles it. Each constructor returns a [Login], which is
// the [mcphttpclient.Authorizer] of an Endpoint:
//
//	login, err := mcplogin.New(mcplogin.Config{Name: "Report"})
//	...
//	c, err := mcpclient.Connect(ctx, mcphttpclient.Endpoint{URL: "https://mcp.example.com/mcp", Auth: login}, mcpclient.Options{})
//
// Nothing is requested before the server refuses a request (status 401). Then the Login finds
// the server's authorization server, gets a token, and the request is sent again:
//
//   - [New]: a person logs in with a browser (authorization code with PKCE);
//   - [ClientCredentials]: a service with credentials of its own;
//   - [EnterpriseManaged]: a person who has logged in to the company's identity provider;
//   - [Workload]: a program that its platform vouches for;
//   - [FromTokenSource]: tokens that another library gets.
//
// A status 403 with the error insufficient_scope makes it ask for more scopes. Tokens are
// renewed by their refresh token. A Login may serve several servers; each has its own token,
// which is sent to no other server.
package mcplogin
