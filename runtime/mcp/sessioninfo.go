package mcp

// SessionInfo describes a session when it begins. Its fields do not change afterwards.
type SessionInfo struct {
	// ID is the session id that [Call.Session] returns.
	ID string
	// Transport is the name that [Call.Transport] returns.
	Transport string
	// Principal is the sender of initialize; the zero Principal without authentication. Over HTTP,
	// later requests with another [Principal.ID] do not find the session; their Value, such as
	// claims, may differ.
	Principal Principal
	// Client is the identity that the client declares. It is not authenticated.
	Client ClientInfo
	// Revision is the negotiated revision of the protocol, such as 2025-11-25.
	Revision string
	// Header are the header fields of the HTTP request with initialize, or of the request that has
	// opened the WebSocket. It is nil over transports without header fields. It must not be
	// changed, and may contain credentials.
	Header map[string][]string
}
