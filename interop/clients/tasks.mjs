// Calls tools as tasks, by a client that has tasks, and prints what comes of them. The argument is
// {"client": "sdk1" | "ext-tasks", "revision": ..., "command": a program, or "url": where it serves}.

import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HTTP1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client as Client2, StreamableHTTPClientTransport as HTTP2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import { createApplicationInputHandler, createTaskSessionFromClient, resultFromTaskOutcome, toolDeclarationFromMcpTool } from '@modelcontextprotocol/ext-tasks/client';
import { Facts } from './facts.mjs';

const plan = JSON.parse(process.argv[2]);
const facts = new Facts();
const info = { name: 'interop', version: '1' };
let asked = 0;

function answer() {
  asked++;
  return { action: 'accept', content: { name: 'Ada' } };
}

function say(result) {
  return (result.isError ? 'failed: ' : '') + result.content[0].text;
}

async function sdk1() {
  const client = new Client1(info, { capabilities: { elicitation: { form: {} }, tasks: {} } });
  client.setRequestHandler(ElicitRequestSchema, answer);
  await client.connect(plan.command ? new Stdio1({ command: plan.command, stderr: 'ignore' }) : new HTTP1(new URL(plan.url)));
  await client.listTools(); // it learns which tools are tasks
  const tasks = client.experimental.tasks;
  // run returns what a call goes through: its statuses, once each in a row, and its end.
  const run = async (name) => {
    const seen = [];
    for await (const m of tasks.callToolStream({ name, arguments: {} }, CallToolResultSchema, { task: { ttl: 60000 } })) {
      if (m.type === 'result') seen.push(say(m.result));
      else if (m.type === 'error') seen.push(`error: ${m.error.message}`);
      else if (m.type === 'taskCreated') seen.push('created');
    }
    return seen;
  };
  await facts.note('count', () => run('count'));
  await facts.note('import', () => run('import'));
  await facts.note('fail', () => run('fail'));
  await facts.note('ask', () => run('ask'));
  await facts.note('asked', () => asked);
  await facts.note('cancel', async () => {
    const stream = tasks.callToolStream({ name: 'wait', arguments: {} }, CallToolResultSchema, { task: {} });
    const { task } = (await stream.next()).value;
    const cancelled = await tasks.cancelTask(task.taskId);
    return [cancelled.status, (await tasks.getTask(task.taskId)).status];
  });
  await facts.note('plain', async () => say(await client.callTool({ name: 'count', arguments: {} })));
  await client.close();
}

// Over HTTP, requests of the extension are those of the host: the codec of the SDK does not have them.
async function dispatch(request, options = {}) {
  const { method, params } = request;
  const name = params.name ?? params.taskId;
  const response = await fetch(plan.url, {
    method: 'POST', signal: options.signal,
    headers: {
      'Content-Type': 'application/json', Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': plan.revision, 'Mcp-Method': method, ...(name && { 'Mcp-Name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...request }),
  });
  const text = await response.text();
  const data = response.headers.get('content-type').startsWith('text/event-stream') ? text.split('\n').filter((l) => l.startsWith('data: {')).at(-1).slice(6) : text;
  const message = JSON.parse(data);
  return message.error ? { kind: 'error', error: message.error } : { kind: 'result', result: message.result };
}

async function extension() {
  const modern = plan.revision === '2026-07-28';
  const capabilities = { elicitation: { form: {} } };
  const client = new Client2(info, {
    capabilities,
    ...(modern ? { versionNegotiation: { mode: { pin: plan.revision } } } : { supportedProtocolVersions: [plan.revision] }),
  });
  await client.connect(plan.command ? new Stdio2({ command: plan.command, stderr: 'ignore' }) : new HTTP2(new URL(plan.url)));
  const session = createTaskSessionFromClient(client, {
    endpointId: 'interop', onInputRequest: createApplicationInputHandler({ elicitation: answer }),
    ...(modern && {
      rawDispatch: dispatch,
      v2RequestFraming: { protocolVersion: plan.revision, clientInfo: info, clientCapabilities: { ...capabilities, extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    }),
  });
  const { tools } = await client.listTools();
  const run = async (name) => {
    const execution = await session.callTool(name, {}, {
      declaration: toolDeclarationFromMcpTool(tools.find((t) => t.name === name)), task: { preference: 'require' },
    });
    const { outcome } = await execution.settle();
    return [execution.kind, say(resultFromTaskOutcome(outcome))];
  };
  // Of a task that asks, this client polls the status until it changes. In revision 2025-11-25 the server asks when
  // a client calls tasks/result.
  for (const name of ['count', 'import', 'fail', ...(modern ? ['ask'] : [])]) await facts.note(name, () => run(name));
  await facts.note('asked', () => asked);
  await session.close();
  await client.close();
}

await (plan.client === 'sdk1' ? sdk1() : extension());
facts.print();
