// The client of @modelcontextprotocol/sdk: revisions up to 2025-11-25.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import * as types from '@modelcontextprotocol/sdk/types.js';
import { main } from './main.mjs';

const schemas = {
  'elicitation/create': types.ElicitRequestSchema,
  'sampling/createMessage': types.CreateMessageRequestSchema,
  'roots/list': types.ListRootsRequestSchema,
  'notifications/message': types.LoggingMessageNotificationSchema,
  'notifications/resources/updated': types.ResourceUpdatedNotificationSchema,
  'notifications/tools/list_changed': types.ToolListChangedNotificationSchema,
  'notifications/prompts/list_changed': types.PromptListChangedNotificationSchema,
  'notifications/resources/list_changed': types.ResourceListChangedNotificationSchema,
};

await main({
  Client,
  Stdio: StdioClientTransport,
  HTTP: StreamableHTTPClientTransport,
  SSE: SSEClientTransport,
  options: () => ({}),
  // Only the transport over HTTP says it.
  revision: (client, transport) => transport.protocolVersion,
  onRequest: (client, method, f) => client.setRequestHandler(schemas[method], f),
  onNotification: (client, method, f) => client.setNotificationHandler(schemas[method], f),
  Unauthorized: UnauthorizedError,
  finish: (transport, callback) => transport.finishAuth(callback.get('code')),
  call: (client, params, options) => client.callTool(params, undefined, options),
});
