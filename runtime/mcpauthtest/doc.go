// Package mcpauthtest tests servers that know who calls. [New] serves a server over HTTP at a
// loopback address, behind a guard of mcpauth, with an issuer of mcpissuer beside it. Tests get tokens
// of any persona, scope, age and audience, and broken ones, and clients that log in without a browser.
//
// For tests in memory, where the principal alone matters, mcptest.Options.Principal is enough.
package mcpauthtest
