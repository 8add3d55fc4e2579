// A server of @modelcontextprotocol/sdk: revisions up to 2025-11-25.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { address, answer, features, form, listen, message } from './features.mjs';

const sdk = {
  McpServer, ResourceTemplate, completable,
  args: (shape) => shape,
  call: (extra) => ({
    signal: extra.signal,
    token: extra._meta?.progressToken,
    notify: extra.sendNotification,
    log: (server, level, data) => server.sendLoggingMessage({ level, logger: 'steps', data }, extra.sessionId),
  }),
  ask: async (server, extra) => {
    const related = { relatedRequestId: extra.requestId };
    return answer(
      await server.server.elicitInput(form, related),
      await server.server.createMessage(message, related),
      await server.server.listRoots(undefined, related),
    );
  },
};

function newServer() {
  const server = features(sdk);
  server.server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  return server;
}

const sessions = new Map();

async function open(transport) {
  transport.onclose = () => sessions.delete(transport.sessionId);
  await newServer().connect(transport);
}

async function streamable(request, response) {
  const id = request.headers['mcp-session-id'];
  if (id !== undefined) {
    const transport = sessions.get(id);
    if (transport) return transport.handleRequest(request, response);
    response.writeHead(404, { 'Content-Type': 'application/json' });
    response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}');
    return;
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => sessions.set(id, transport),
  });
  await open(transport);
  await transport.handleRequest(request, response);
}

async function sse(request, response) {
  if (request.method !== 'GET') return response.writeHead(405).end();
  const transport = new SSEServerTransport('/message', response);
  sessions.set(transport.sessionId, transport);
  await open(transport);
}

function post(request, response) {
  const id = new URL(request.url, 'http://localhost').searchParams.get('sessionId');
  const transport = sessions.get(id);
  if (transport) return transport.handlePostMessage(request, response);
  response.writeHead(404).end();
}

const routes = { '/mcp': streamable, '/sse': sse, '/message': post };

if (address) {
  listen(createServer((request, response) => {
    const route = routes[new URL(request.url, 'http://localhost').pathname];
    if (route) return route(request, response);
    response.writeHead(404).end();
  }));
} else {
  await newServer().connect(new StdioServerTransport());
}
