// Package mcpcmd makes a program out of a server:
//
//	func main() { mcpcmd.Main(NewMCPServer()) }
//
// The program serves the client that has started it over standard input and output, or any number
// of clients over HTTP where it is started with -http:
//
//	program               # one client, over standard input and output
//	program -http 8080    # any number, at http://127.0.0.1:8080/mcp
//	program install NAME  # add it to a client; also uninstall, status and completion
//	program -help         # everything else
//
// Over HTTP the path /mcp has every revision of the protocol (streamable HTTP), and /sse is for
// clients of revision 2024-11-05 (HTTP with SSE). It listens on the loopback interface unless a
// host is given, and the checks and limits of package mcphttp apply. With -tls-cert and -tls-key it
// is HTTPS, TLS 1.2 or later.
//
// Who may call is decided by flags of other packages ([WithHTTPFlags]), such as those of package
// mcpauth, or by options and middleware of the program.
//
// On SIGINT and SIGTERM the program shuts down gracefully. Over HTTP it refuses new calls, and
// running calls may end within DrainTime of mcp.Limits; over standard input and output it cancels
// the contexts of calls at once, since there a client that waits for calls closes the input
// instead. A second signal exits at once; one within 500 ms of the first is ignored.
//
// What the program prints before Main or Run, such as package initialization, reaches the client
// as a broken message, unless the program imports package mcpstdout.
//
// A server that needs a database or secrets is made by a function: [MainFunc] calls it only to
// serve, not for help, the version and the commands.
//
// [Main] handles signals and exit codes. [Run] is for programs that handle them themselves, and for
// tests.
package mcpcmd
