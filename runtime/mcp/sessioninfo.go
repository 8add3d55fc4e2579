package mcp

// SessionInfo describes a session when it begins. None of it changes afterwards.
type SessionInfo struct {
	// ID is that of [Call.Session].
	ID string
	// Transport is that of [Call.Transport].
	Transport string
	// Principal is the sender of initialize; the zero Principal without authentication. Over
	// HTTP, later requests with another [Principal.ID] do not find the session; their Value,
	// such as claims, may differ.
	Principal Principal
	// Client is the identity that the client declares. It is not authenticated.
	Client ClientInfo
	// Revision is the negotiated revision of the protocol, such as 2025-11-25.
	Revision string
	// Header are the header fields of the HTTP request with initialize, or of the one that
	// has opened the WebSocket; nil over transports without header fields. It must not be
	// changed, and may hold credentials.
	Header map[string][]string
}
