// The client of @modelcontextprotocol/client: every revision, one at a time.

import { Client, SSEClientTransport, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { main } from './main.mjs';

await main({
  Client,
  Stdio: StdioClientTransport,
  HTTP: StreamableHTTPClientTransport,
  SSE: SSEClientTransport,
  options: ({ revision }) =>
    revision === '2026-07-28'
      ? { versionNegotiation: { mode: { pin: revision } } }
      : { supportedProtocolVersions: [revision] },
  revision: (client) => client.getNegotiatedProtocolVersion(),
  onRequest: (client, method, f) => client.setRequestHandler(method, f),
  onNotification: (client, method, f) => client.setNotificationHandler(method, f),
  Unauthorized: UnauthorizedError,
  finish: (transport, callback) => transport.finishAuth(callback),
  call: (client, params, options) => client.callTool(params, options),
});
