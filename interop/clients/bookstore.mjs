// The walk through the bookstore, whose code is generated.

import { until } from './facts.mjs';

export async function bookstore(s, facts, plan) {
  const { client } = s;
  await facts.note('hello', () => s.hello());
  await facts.note('tools', async () => (await s.tools()).map((tool) => tool.name));

  const calls = async (list) => {
    const all = [];
    for (const { tool, args } of list) {
      const result = await s.call(tool, args);
      all.push({ text: result.content.map((c) => c.text).join(), failed: result.isError ?? false, structured: result.structuredContent !== undefined });
    }
    return all;
  };
  await facts.note('calls', () => calls(plan.calls));
  await facts.note('errors', () => calls(plan.errors));

  const read = async (uri) => (await client.readResource({ uri })).contents.map((c) => ({ uri: c.uri, type: c.mimeType, text: c.text }));
  await facts.note('resources', async () => (await s.every('listResources', 'resources')).map((r) => r.uri));
  await facts.note('templates', async () => (await s.every('listResourceTemplates', 'resourceTemplates')).map((t) => t.uriTemplate));
  await facts.note('book', () => read('books://2701'));
  await facts.note('cover', () => read('books://2701/cover'));
  await facts.note('no book', () => read('books://1'));

  await facts.note('prompts', async () => (await s.every('listPrompts', 'prompts')).map((p) => p.name));
  await facts.note('prompt', async () => {
    const { messages } = await client.getPrompt({ name: 'discuss_book', arguments: { title: 'Middlemarch' } });
    return messages.map((m) => m.content.text ?? m.content.resource.uri);
  });
  await facts.note('wrong argument', () => client.getPrompt({ name: 'recommend_books', arguments: { subject: 'whales', count: '11' } }));
  await facts.note('completion', async () =>
    (await client.complete({ ref: { type: 'ref/prompt', name: 'discuss_book' }, argument: { name: 'title', value: 'Middle' } })).completion);

  await s.level('info');
  await facts.note('remove', () => s.say('remove_book', { id: 145 }, { level: 'info' }));
  await facts.note('keep', () => s.say('remove_book', { id: 521 }, { level: 'info' }));
  if (s.plan.revision >= '2025-06-18') await facts.note('log', async () => {
    const removal = () => s.logs.now().find((log) => log.includes('"id":145'));
    await until('log of the removal', removal);
    return removal();
  });

  await facts.note('watch', () => s.watch('books://2701'));
  await facts.note('reprice', async () => s.say('update_price', { id: 2701, priceCents: 999 }));
  await facts.note('updates', () => s.updates.wait(1));
  await facts.note('unwatch', () => s.unwatch('books://2701'));

  const abort = new AbortController();
  const waiting = s.call('wait_for_copies', { id: 2701, copies: 10, patience: '5m' }, { signal: abort.signal });
  waiting.catch(() => {}); // until somebody looks
  await facts.note('beside a call that waits', () => s.say('describe_book', { id: 2701 }));
  abort.abort('had enough');
  await facts.note('waiting', () => waiting);
  await s.told();
}
