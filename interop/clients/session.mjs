// A connected client of either SDK, as far as they differ.

import { Heard, until, within } from './facts.mjs';
import { Wire } from './wire.mjs';
import * as answers from './answers.mjs';

const logLevelKey = 'io.modelcontextprotocol/logLevel';

export class Session {
  updates = new Heard();
  changes = new Heard();
  logs = new Heard();
  complaints = []; // what the SDK holds against the server
  wire = new Wire();

  constructor(sdk, plan) {
    this.sdk = sdk;
    this.plan = plan;
    this.modern = plan.revision === '2026-07-28';
    this.client = new sdk.Client(
      { name: 'interop', version: '1' },
      { capabilities: answers.capabilities, ...sdk.options(plan) },
    );
    this.client.onerror = (error) => this.complaints.push(error.message);
    for (const [method, answer] of Object.entries(answers.handlers)) {
      sdk.onRequest(this.client, method, (request) => answer(request.params));
    }
    const hear = (method, f) => sdk.onNotification(this.client, method, (n) => f(n.params));
    hear('notifications/message', (p) => this.logs.add(`${p.level} ${p.logger} ${JSON.stringify(p.data)}`));
    hear('notifications/resources/updated', (p) => this.updates.add(p.uri));
    for (const list of ['tools', 'prompts', 'resources']) {
      hear(`notifications/${list}/list_changed`, () => this.changes.add(list));
    }
  }

  async connect() {
    const { plan, sdk } = this;
    const url = plan.url && new URL(plan.url);
    const options = { fetch: this.wire.fetch };
    switch (plan.transport) {
      case 'stdio':
        this.transport = new sdk.Stdio({ command: plan.command, stderr: 'pipe' });
        this.stderr = '';
        this.transport.stderr.on('data', (chunk) => (this.stderr += chunk));
        break;
      case 'http':
        this.transport = new sdk.HTTP(url, options);
        break;
      case 'sse':
        this.transport = new sdk.SSE(url, options);
        break;
    }
    await within('connect', this.client.connect(this.transport));
    if (plan.transport === 'http' && !this.modern) {
      // The SDK opens the stream for what belongs to no request by itself, and
      // does not wait until it is there.
      await until('open the stream', () => this.wire.count((e) => e.method === 'GET' && e.status) > 0);
    }
    this.child = this.transport._process;
  }

  // another returns a client of the same kind that uses the session of this one.
  async another(options) {
    const other = new Session(this.sdk, this.plan);
    other.transport = new this.sdk.HTTP(new URL(this.plan.url), options);
    await within('connect again', other.client.connect(other.transport));
    return other;
  }

  hello() {
    return {
      revision: this.sdk.revision(this.client, this.transport) ?? null,
      server: this.client.getServerVersion(),
      instructions: this.client.getInstructions(),
      capabilities: Object.keys(this.client.getServerCapabilities()).sort(),
    };
  }

  // every collects all pages of a list.
  async every(list, field) {
    const all = [];
    for (let cursor; ; ) {
      const page = await this.client[list](cursor === undefined ? undefined : { cursor });
      all.push(...page[field]);
      cursor = page.nextCursor;
      if (cursor === undefined) return all;
    }
  }

  tools() {
    return this.every('listTools', 'tools');
  }

  // call calls a tool; the SDK checks what comes back against its output schema.
  call(name, args, options = {}) {
    const params = { name, arguments: args };
    if (options.level !== undefined && this.modern) params._meta = { [logLevelKey]: options.level };
    return within(`call ${name}`, this.sdk.call(this.client, params, { signal: options.signal, onprogress: options.onprogress }));
  }

  // say calls a tool that answers with one text.
  async say(name, args = {}, options) {
    const result = await this.call(name, args, options);
    if (result.content.length !== 1) throw new Error(`${name}: ${JSON.stringify(result.content)}`);
    return (result.isError ? 'failed: ' : '') + result.content[0].text;
  }

  async level(level) {
    if (!this.modern) await this.client.setLoggingLevel(level);
  }

  // watch has the server tell about resources, and about its lists.
  async watch(...uris) {
    if (this.modern) {
      this.subscription = await within('listen', this.client.listen({
        toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true, resourceSubscriptions: uris,
      }));
      return this.subscription.honoredFilter;
    }
    for (const uri of uris) await this.client.subscribeResource({ uri });
  }

  async unwatch(...uris) {
    if (this.modern) {
      await this.subscription.close();
      return within('end of the listen', this.subscription.closed);
    }
    for (const uri of uris) await this.client.unsubscribeResource({ uri });
  }

  // told waits until the server knows of a call that was given up; the SDK does not
  // wait for that. Without a session, or over stdio, there is nothing to wait for.
  async told() {
    if (this.plan.transport === 'stdio' || this.modern) return;
    await until('tell of the cancellation', () => this.wire.count((e) => e.call === 'notifications/cancelled' && e.status) > 0);
  }

  // close ends the connection, and the server over stdio with it.
  async close() {
    if (this.plan.transport === 'http') await this.transport.terminateSession();
    await this.client.close();
    if (this.plan.transport !== 'stdio') return;
    await until('end of the server', () => this.child.exitCode !== null || this.child.signalCode !== null);
    return { code: this.child.exitCode, signal: this.child.signalCode, stderr: this.stderr };
  }
}
