// Package mcpcmd implements the command line of a server program:
//
//	func main() { mcpcmd.Main(NewMCPServer()) }
//
// The program serves the client that started it over standard input and output, or, with -http, any
// number of clients over HTTP:
//
//	program               # one client, over standard input and output
//	program -http 8080    # any number, at http://127.0.0.1:8080/mcp
//	program install NAME  # add it to a client; also uninstall, status and completion
//	program -help         # everything else
//
// Over HTTP the path /mcp serves every revision of the protocol (streamable HTTP), and /sse serves
// clients of revision 2024-11-05 (HTTP with SSE). The program listens on the loopback interface
// unless a host is given, and the checks and limits of package mcphttp apply. With -tls-cert and
// -tls-key it serves HTTPS, TLS 1.2 or later.
//
// Authentication comes from flags of other packages ([WithHTTPFlags]), such as mcpauth, or from
// options and middleware of the program.
//
// On SIGINT and SIGTERM the program shuts down gracefully. Over HTTP it refuses new calls and waits
// up to DrainTime of mcp.Limits for running calls; over standard input and output it cancels the
// contexts of calls at once, since a client that wants to wait for calls closes the input instead.
// A second signal exits at once; one within 500 ms of the first is ignored.
//
// Output that the program prints before Main or Run, such as during package initialization, reaches
// the client as a broken message, unless the program imports package mcpstdout.
//
// If a server needs a database or secrets, pass a function that creates it to [MainFunc], which
// calls the function only to serve, not for help, the version and the commands.
//
// [Main] handles signals and exit codes. [Run] is for programs that handle them themselves, and for
// tests.
package mcpcmd
