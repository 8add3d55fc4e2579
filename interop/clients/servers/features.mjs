// The features of interop/servers, for both SDKs:
//
//   {McpServer, ResourceTemplate, completable,
//    call(extra): {signal, token, notify(notification), log(level, data)},
//    ask(server, extra): everything that a client can answer}

import { appendFileSync, readFileSync } from 'node:fs';
import { z } from 'zod';

const cancelled = []; // calls of wait
const waiting = []; // calls of cancelled
const stays = []; // calls of steps
const grown = []; // tools that grow has added

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// features makes a server. Another server of this process may tell its clients by notify
// that something has changed.
export function features(sdk, notify = {}) {
  const server = new sdk.McpServer(
    { name: 'typescript', version: '1' },
    { capabilities: { logging: {}, resources: { subscribe: true, listChanged: true }, tools: { listChanged: true } } },
  );
  const add = (name, f) =>
    server.registerTool(
      name,
      { inputSchema: z.object({ text: z.string().optional() }), outputSchema: z.object({ text: z.string() }) },
      async ({ text = '' }, extra) => {
        const result = await f(text, extra);
        if (typeof result !== 'string') return result;
        return { content: [{ type: 'text', text: result }], structuredContent: { text: result } };
      },
    );

  add('echo', (text) => {
    if (text === '') throw new Error('text is empty');
    return text;
  });
  add('wait', (text, extra) =>
    new Promise((resolve, reject) => {
      const { signal } = sdk.call(extra);
      const late = setTimeout(() => reject(new Error('not cancelled')), 10_000);
      signal.addEventListener('abort', () => {
        clearTimeout(late);
        const ask = waiting.shift();
        if (ask) ask('yes');
        else cancelled.push(true);
        reject(new Error('cancelled'));
      });
    }));
  add('cancelled', () => {
    if (cancelled.pop()) return 'yes';
    return new Promise((resolve) => {
      waiting.push(resolve);
      sleep(1000).then(() => {
        if (waiting.includes(resolve)) waiting.splice(waiting.indexOf(resolve), 1);
        resolve('no');
      });
    });
  });
  add('once', async () => {
    appendFileSync(process.env.LEDGER, 'called\n');
    const calls = readFileSync(process.env.LEDGER, 'utf8').split('\n').length - 1;
    if (calls === 1) await new Promise(() => {});
    return String(calls);
  });
  add('pid', () => String(process.pid));
  add('proceed', () => {
    stays.shift()();
    return 'proceeds';
  });
  add('touch', async () => {
    if (notify.touch) notify.touch('test://a');
    else await server.server.sendResourceUpdated({ uri: 'test://a' });
    return 'touched';
  });
  const grow = (name) => add(name, () => 'new');
  grown.forEach(grow);
  add('grow', (name) => {
    grown.push(name);
    grow(name);
    if (notify.grow) notify.grow();
    return 'grown';
  });
  add('steps', async (text, extra) => {
    const call = sdk.call(extra);
    for (let i = 1; i <= 3 && call.token !== undefined; i++) {
      await call.notify({ method: 'notifications/progress', params: { progressToken: call.token, progress: i, total: 3 } });
    }
    for (const level of ['info', 'warning']) await call.log(server, level, 'slippery');
    await new Promise((resolve) => stays.push(resolve));
    return 'done';
  });
  add('ask', (text, extra) => sdk.ask(server, extra));

  server.registerResource('a', 'test://a', {}, () => ({ contents: [{ uri: 'test://a', text: 'A' }] }));
  server.registerResource('x', new sdk.ResourceTemplate('test://{x}', { list: undefined }), {},
    (uri) => ({ contents: [{ uri: uri.href, blob: 'AQID' }] }));
  server.registerPrompt(
    'p',
    { argsSchema: sdk.args({ subject: sdk.completable(z.string(), (typed) => [`${typed}tics`, 'math']) }) },
    ({ subject }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `About ${subject}` } }] }),
  );
  return server;
}

export const form = {
  message: 'How many?',
  requestedSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
};

export const message = { maxTokens: 10, messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }] };

export const answer = (form, message, roots) => {
  const block = Array.isArray(message.content) ? message.content[0] : message.content;
  return `${form.action} ${form.content.n} ${block.text} ${roots.roots[0].uri}`;
};

// address is what follows -http on the command line.
export const address = process.argv[2] === '-http' ? process.argv[3] : undefined;

// listen serves HTTP, and says where.
export function listen(server) {
  const [host, port] = address.split(':');
  server.listen(Number(port), host, () => console.error(`serves at http://${host}:${server.address().port}`));
}
