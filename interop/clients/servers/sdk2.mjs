// A server of @modelcontextprotocol/server: every revision.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import { McpServer, ResourceTemplate, completable, createMcpHandler, inputRequired, isLegacyRequest } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { address, answer, features, form, listen, message } from './features.mjs';

const sdk = {
  McpServer, ResourceTemplate, completable,
  args: (shape) => z.object(shape),
  call: ({ mcpReq }) => ({
    signal: mcpReq.signal,
    token: mcpReq._meta?.progressToken,
    notify: mcpReq.notify,
    log: (server, level, data) => mcpReq.log(level, data, 'steps'),
  }),
  // The SDK asks by requests where the revision has them.
  ask: (server, { mcpReq }) => {
    const answers = mcpReq.inputResponses;
    if (answers === undefined) {
      return inputRequired({
        requestState: 'state',
        inputRequests: {
          form: inputRequired.elicit(form),
          message: inputRequired.createMessage(message),
          roots: inputRequired.listRoots(),
        },
      });
    }
    if (mcpReq.requestState() !== 'state') throw new Error(`state ${mcpReq.requestState()}`);
    return answer(answers.form, answers.message, answers.roots);
  },
};

function newServer(notify) {
  const server = features(sdk, notify);
  if (server.server.getCapabilities().resources) {
    server.server.setRequestHandler('resources/subscribe', () => ({}));
    server.server.setRequestHandler('resources/unsubscribe', () => ({}));
  }
  return server;
}

if (address) {
  const handler = createMcpHandler(() => newServer({
    touch: (uri) => handler.notify.resourceUpdated(uri),
    grow: () => handler.notify.toolsChanged(),
  }));
  const modern = toNodeHandler(handler);
  const sessions = new Map();
  const withSession = async (request, response, body) => {
    const id = request.headers['mcp-session-id'];
    let transport = sessions.get(id);
    if (id !== undefined && !transport) {
      response.writeHead(404, { 'Content-Type': 'application/json' });
      response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}');
      return;
    }
    if (!transport) {
      transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => { sessions.set(id, transport); },
      });
      transport.onclose = () => sessions.delete(transport.sessionId);
      await newServer().connect(transport);
    }
    await transport.handleRequest(request, response, body);
  };
  const read = async (request) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    return text === '' ? undefined : JSON.parse(text);
  };
  listen(createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    if (pathname === '/stateless') return modern(request, response);
    if (pathname !== '/mcp') return response.writeHead(404).end();
    const body = await read(request);
    if (await isLegacyRequest(await toWebRequest(request, body))) return withSession(request, response, body);
    return modern(request, response, body);
  }));
} else {
  serveStdio(() => newServer());
}
