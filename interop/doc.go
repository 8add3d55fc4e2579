// Package interop runs programs with third-party clients, as their users would: as a process, over
// its standard input and output, and over HTTP. The bookstore of the examples has features with
// generated code; the talker, in this module, has hand-written ones of every kind. The clients are
//
//   - the client of the Go SDK, in tests,
//   - the clients of both generations of the TypeScript SDK, in programs below clients that print
//     their findings, which tests compare with the expected ones,
//   - the command line of the Inspector,
//   - for tasks also package ext-tasks and mcp-go.
//
// "npm ci" in the directory clients installs the clients for Node.js, including Node.js itself;
// without them, tests that need them are skipped, unless the environment contains CI=true.
//
// In the other direction, mcpgen's client calls third-party servers, and one of mcpgen: the servers
// in the directory servers, which have the same features with each SDK, and servers that are
// published on npm.
//
// The directory hostile contains servers that violate the protocol: mcpgen's client and command are
// tested with them, and compared with the clients of the Go SDK and mcp-go.
//
// A guarded server and the clients use two authorization servers: oidc-provider, on Node.js, and
// package op of zitadel/oidc. A table in docs/decide/comparison.md shows which steps each client
// passes.
//
// The dependencies of these clients and servers remain outside of the module graph of other
// programs.
package interop
