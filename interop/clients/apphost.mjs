// A host of MCP Apps in a browser: it calls a tool, and shows the interface of the tool in a
// sandbox of another origin. The query of the page has the URLs of the server and of the sandbox,
// the tool and its arguments. What the host does is visible to a test by window.until.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AppBridge, PostMessageTransport, RESOURCE_MIME_TYPE, getToolUiResourceUri } from '@modelcontextprotocol/ext-apps/app-bridge';

console.debug = () => {}; // the library logs every message

const query = new URLSearchParams(location.search);
const seen = { calls: [], links: [], sizes: [], logs: [] };

// until resolves when a condition holds. The frame and the server report everything by events, after
// each of which the host checks the conditions.
const conditions = new Set();
window.until = (condition) =>
  new Promise((resolve) => {
    conditions.add({ condition, resolve });
    check();
  });
const check = () => {
  for (const c of conditions) {
    if (c.condition(seen)) {
      conditions.delete(c);
      c.resolve(true);
    }
  }
};
const note = (list, value) => {
  seen[list].push(value);
  check();
};

const revision = query.get('revision');
const mimeTypes = [RESOURCE_MIME_TYPE];
const client = new Client(
  { name: 'apphost', version: '1.0.0' },
  {
    capabilities: { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes } } },
    ...(revision === '2026-07-28' ? { versionNegotiation: { mode: { pin: revision } } } : { supportedProtocolVersions: [revision] }),
  },
);
await client.connect(new StreamableHTTPClientTransport(new URL(query.get('server'))));

const { tools } = await client.listTools();
const tool = tools.find((t) => t.name === query.get('tool'));
const uri = getToolUiResourceUri(tool);
if (!uri) {
  throw new Error(`${tool.name} has no interface`);
}
const { contents } = await client.readResource({ uri });
const [page] = contents;
if (contents.length !== 1 || page.uri !== uri || page.mimeType !== RESOURCE_MIME_TYPE) {
  throw new Error(`${uri} is not one page: ${JSON.stringify(contents).slice(0, 200)}`);
}

const context = {
  theme: query.get('theme') ?? 'light',
  styles: { variables: { '--color-text-primary': 'light-dark(#102030, #e0f0ff)', '--font-sans': 'serif' } },
  locale: 'de-DE',
  displayMode: 'inline',
  containerDimensions: { maxHeight: 5000, width: innerWidth },
  platform: 'web',
  toolInfo: { tool },
};
const bridge = new AppBridge(
  null, // with a client it would call every tool
  { name: 'apphost', version: '1.0.0' },
  { serverTools: {}, openLinks: {}, logging: {} },
  { hostContext: context },
);

const frame = document.createElement('iframe');
frame.title = 'Sandbox';
frame.setAttribute('sandbox', 'allow-scripts allow-same-origin');
frame.style.cssText = 'width: 100%; height: 100px; border: 0; display: block';
frame.src = query.get('sandbox');
document.body.style.margin = 0;
document.body.append(frame);

// The interface may call the tools that are visible to it, and no others.
const forInterface = (t) => t?._meta?.ui?.visibility?.includes('app') ?? Boolean(t);
const forward = async (params) => {
  if (!forInterface(tools.find((t) => t.name === params.name))) {
    throw new Error(`${params.name} is not visible to the interface`);
  }
  const result = await client.callTool(params);
  note('calls', params);
  return result;
};

bridge.addEventListener('sizechange', ({ height }) => {
  frame.style.height = `${height}px`;
  note('sizes', height);
});
bridge.addEventListener('loggingmessage', (params) => note('logs', params));
bridge.addEventListener('sandboxready', () =>
  bridge.sendSandboxResourceReady({ html: page.text, sandbox: 'allow-scripts', csp: page._meta?.ui?.csp }),
);
bridge.addEventListener('initialized', async () => {
  const args = JSON.parse(query.get('arguments'));
  await bridge.sendToolInput({ arguments: args });
  await bridge.sendToolResult(await client.callTool({ name: tool.name, arguments: args }));
  seen.delivered = true;
  check();
});
bridge.onopenlink = async ({ url }) => {
  note('links', url);
  return {};
};
bridge.oncalltool = forward;
await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
window.changeTheme = (theme) => bridge.setHostContext({ ...context, theme });
window.teardown = () => bridge.teardownResource({});
