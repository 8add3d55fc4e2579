// Package interop runs programs with third-party clients, as their users would: as a
// process, over its standard input and output, and over HTTP. The bookstore of the
// examples has features whose code is generated; the talker, in this module, has
// hand-written ones of every kind. The clients are
//
//   - that of the Go SDK, in tests,
//   - those of both generations of the TypeScript SDK, in programs below clients
//     that print what they found out, which tests compare with what they should,
//   - the command line of the Inspector,
//   - for tasks also package ext-tasks and mcp-go.
//
// Those that run on Node.js are installed by "npm ci" in the directory clients,
// with a Node.js of their own; tests that need them are skipped without, unless the
// environment has CI=true.
//
// The other way round, our client calls servers of other people, and one of ours: those in
// the directory servers, which have the same features by each SDK, and those that are
// published on npm.
//
// In the directory hostile, servers break the protocol: our client and command are tested with
// them, and compared with the clients of the Go SDK and mcp-go.
//
// A guarded server and the clients log in at two authorization servers: oidc-provider, on
// Node.js, and package op of zitadel/oidc. What each client can do there is a table of
// docs/comparison.md.
//
// The dependencies of these clients and servers stay out of the module graph of other programs.
package interop
