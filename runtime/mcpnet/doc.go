// Package mcpnet serves the Model Context Protocol over byte streams other than standard input
// and output: TCP, Unix sockets, TLS, anything that is a net.Conn. It uses the framing of the stdio
// transport, one message per line, and its rules: cancellation by notification, and the revision of
// each request by its content. The specification has no such transport; it allows custom ones that
// keep the message format and the life cycle (basic/transports, custom transports).
//
// [Serve] serves the clients that connect to a listener. [NewConn] frames one connection for
// mcp.Server.Serve. An [Endpoint] is the client's view of such a server, for mcpclient.Connect.
//
// # Who may connect
//
// Ports have no owner: every program of every user of the machine can connect to a TCP port on
// loopback. Web pages can send HTTP there. Therefore the server closes a connection that begins
// like an HTTP request, or like TLS, before it parses any line. Against other programs use
// [WithPrincipal], or a Unix socket in a directory that only its owner can enter:
//
//	dir := filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "bookstore") // mode 0700
//	l, err := net.Listen("unix", filepath.Join(dir, "mcp.sock"))
//	if err != nil {
//		return err
//	}
//	return mcpnet.Serve(ctx, server, l)
//
// On a Unix socket the operating system knows the user at the other end. On Linux, with
// golang.org/x/sys/unix:
//
//	mcpnet.WithPrincipal(func(c net.Conn) (mcp.Principal, error) {
//		raw, err := c.(*net.UnixConn).SyscallConn()
//		if err != nil {
//			return mcp.Principal{}, err
//		}
//		var peer *unix.Ucred
//		var failed error
//		if err := raw.Control(func(fd uintptr) {
//			peer, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
//		}); err != nil {
//			return mcp.Principal{}, err
//		}
//		if failed != nil {
//			return mcp.Principal{}, failed
//		}
//		return mcp.Principal{ID: strconv.Itoa(int(peer.Uid)), Value: peer}, nil
//	})
//
// macOS and BSD have GetsockoptXucred for this purpose. For TLS, pass the listener of
// tls.NewListener to [Serve]; client certificates are in c.(*tls.Conn).ConnectionState().
package mcpnet
