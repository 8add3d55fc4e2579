package mcpotel

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// The names below come from docs/gen-ai/mcp.md of
// https://github.com/open-telemetry/semantic-conventions-genai at commit
// 0393513c908bf895e7b3ec480a2c1eb073c584af, whose status is Development.

// scope is the name of the instrumentation scope.
const scope = "github.com/mcpgen/mcpgen/runtime/mcpotel"

// Attributes.
const (
	methodName        = attribute.Key("mcp.method.name")
	protocolVersion   = attribute.Key("mcp.protocol.version")
	sessionID         = attribute.Key("mcp.session.id")
	resourceURI       = attribute.Key("mcp.resource.uri")
	operationName     = attribute.Key("gen_ai.operation.name")
	toolName          = attribute.Key("gen_ai.tool.name")
	toolCallArguments = attribute.Key("gen_ai.tool.call.arguments")
	toolCallResult    = attribute.Key("gen_ai.tool.call.result")
	promptName        = attribute.Key("gen_ai.prompt.name")
	requestID         = attribute.Key("jsonrpc.request.id")
	statusCode        = attribute.Key("rpc.response.status_code")
	errorType         = attribute.Key("error.type")
	clientAddress     = attribute.Key("client.address")
	networkTransport  = attribute.Key("network.transport")
	networkProtocol   = attribute.Key("network.protocol.name")
)

// Values of attributes.
const (
	executeTool = "execute_tool"
	toolError   = "tool_error" // error.type of a result with isError
	other       = "_OTHER"     // a method that the server does not support

	// This package defines these values of error.type, for requests without a reply and questions
	// without an answer.
	cancelled    = "cancelled"
	disconnected = "disconnected"
	timedOut     = "timeout"
)

// Histograms.
const (
	operationDuration = "mcp.server.operation.duration"
	sessionDuration   = "mcp.server.session.duration"

	operationDescription = "MCP request or notification duration as observed on the receiver from the time it was received until the result or ack is sent."
	sessionDescription   = "The duration of the MCP session as observed on the MCP server."
)

// boundaries are the bucket boundaries of both histograms, in seconds.
var boundaries = metric.WithExplicitBucketBoundaries(0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)

// networks contains the values of network.transport and network.protocol.name by the name of the
// transport, as [mcp.Call.Transport] returns it. Memory and other transports have neither.
var networks = map[string]struct{ transport, protocol string }{
	"stdio":      {"pipe", ""},
	"http":       {"tcp", "http"},
	"sse":        {"tcp", "http"},
	"websocket":  {"tcp", "websocket"},
	"tcp":        {"tcp", ""},
	"tcp4":       {"tcp", ""},
	"tcp6":       {"tcp", ""},
	"unix":       {"unix", ""},
	"unixpacket": {"unix", ""},
}

// networkOf appends the attributes of a transport.
func networkOf(attrs []attribute.KeyValue, transport string) []attribute.KeyValue {
	n := networks[transport]
	if n.transport != "" {
		attrs = append(attrs, networkTransport.String(n.transport))
	}
	if n.protocol != "" {
		attrs = append(attrs, networkProtocol.String(n.protocol))
	}
	return attrs
}
