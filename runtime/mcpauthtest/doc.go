// Package mcpauthtest tests servers that authenticate callers. [New] serves a server over HTTP at a
// loopback address, behind a guard of mcpauth, with an issuer of mcpissuer beside it. Tests get
// tokens of any persona, scope, age and audience, invalid tokens, and clients that log in without a
// browser.
//
// For tests in memory, in which only the principal matters, mcptest.Options.Principal suffices.
package mcpauthtest
