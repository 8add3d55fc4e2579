// Package mcpcmd makes a whole program out of a server:
//
//	func main() { mcpcmd.Main(NewMCPServer()) }
//
// The program serves the client that has started it over standard input and
// output, or any number of clients over HTTP where it is started with -http:
//
//	program              # one client, over standard input and output
//	program -http 8080   # any number, at http://127.0.0.1:8080/mcp
//	program -help        # everything else
//
// Over HTTP the path /mcp has every revision of the protocol (streamable HTTP),
// and /sse is for clients of revision 2024-11-05 (HTTP with SSE). It listens at
// the loopback interface unless a host is written out, and the checks and limits of
// package mcphttp hold.
//
// On SIGINT and SIGTERM the program stops in good order. Over HTTP new calls are
// refused, and those that run may end, for as long as DrainTime in mcp.Limits says;
// over standard input and output the contexts of calls end at once, since there
// the client asks first by ending the input. A second signal ends the program as
// it stands, if it does not come so soon that it may be the first once more.
//
// [Main] is for programs that leave all this to the package, [Run] for those that
// handle signals and exit codes themselves, and for tests.
package mcpcmd
