// A client that logs in, step by step: the plan has "url" and "revision", and where it is
// registered before, "client" and "issuer"; "scope" is asked for where the server names none.
// Each line of the input is a step:
//
//   {"do": "connect" | "list" | "call" | "watch", "tool": the tool to call}
//
// Its answer is a line {"result": ...} or {"error": ...}. Before that, a line {"open": URL}
// may ask for a browser; the next line of the input is then {"at": the URL at which the browser
// ended}, which is "" where no login follows.

import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { within } from './facts.mjs';

// Provider keeps in memory what the SDK gives it.
class Provider {
  redirectUrl = 'http://127.0.0.1:7777/callback';
  clientMetadata = {
    client_name: 'interop', redirect_uris: [this.redirectUrl], application_type: 'native', response_types: ['code'],
    grant_types: ['authorization_code', 'refresh_token'], token_endpoint_auth_method: 'none',
  };

  constructor({ client, issuer, scope }) {
    if (scope) this.clientMetadata.scope = scope;
    if (client) this.client = { client_id: client, issuer };
  }

  state() { return (this.expected = randomUUID()); }
  clientInformation() { return this.client; }
  saveClientInformation(client) { this.client = client; }
  tokens() { return this.kept; }
  saveTokens(tokens) { this.kept = tokens; }
  codeVerifier() { return this.verifier; }
  saveCodeVerifier(verifier) { this.verifier = verifier; }
  redirectToAuthorization(url) { this.page = url; }
}

export async function login(sdk, plan) {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    return done ? undefined : JSON.parse(value);
  };
  const print = (line) => process.stdout.write(JSON.stringify(line) + '\n');
  const provider = new Provider(plan);
  let client, transport, streamed;
  // One stream for what belongs to no request, which is not opened again: another one would have
  // the SDK log in, or use its refresh token, beside a step.
  const once = async (url, init) => {
    if ((init?.method ?? 'GET') === 'GET' && String(url) === plan.url) {
      if (streamed) return new Response(null, { status: 405 });
      streamed = true;
    }
    return fetch(url, init);
  };
  const steps = {
    connect: async () => {
      client = new sdk.Client({ name: 'interop', version: '1' }, sdk.options(plan));
      client.onerror = () => {}; // such as that of a stream whose token has expired
      transport = new sdk.HTTP(new URL(plan.url), { authProvider: provider, fetch: once });
      await client.connect(transport);
      return 'connected';
    },
    list: async () => (await client.listTools()).tools.map((tool) => tool.name).sort().join(),
    call: async ({ tool }) => {
      const result = await sdk.call(client, { name: tool, arguments: {} });
      if (result.isError) throw new Error(result.content[0].text);
      return result.content[0].text;
    },
    watch: async () => {
      if (plan.revision === '2026-07-28') await client.listen({ resourceSubscriptions: ['shop:///stock'] });
      else await client.subscribeResource({ uri: 'shop:///stock' });
      return 'watched';
    },
  };

  for (let step; (step = await next()); ) {
    // The SDK throws an error where somebody has to log in. The program lets that happen, and
    // does the step again, twice at most.
    for (let logins = 0; ; logins++) {
      provider.page = undefined;
      try {
        print({ result: await within(step.do, steps[step.do](step)) });
        break;
      } catch (error) {
        if (!(error instanceof sdk.Unauthorized) || !provider.page || logins === 2) {
          print({ error: error.message });
          break;
        }
      }
      print({ open: provider.page });
      const { at } = await next();
      const callback = at && new URL(at).searchParams;
      try {
        if (!callback) throw new Error('the user is away');
        if (callback.get('state') !== provider.expected) throw new Error('the state is another one');
        await sdk.finish(transport, callback);
      } catch (error) {
        print({ error: error.message });
        break;
      }
    }
  }
  process.exit(0);
}
