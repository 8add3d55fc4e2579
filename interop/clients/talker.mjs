// The walk through the talker, which has features of every kind.

import { Heard } from './facts.mjs';

export async function talker(s, facts) {
  const { client } = s;
  await facts.note('hello', () => s.hello());
  await lists(s, facts);
  await facts.note('add', async () => (await s.call('add', { numbers: [1.5, 2, 3] })).structuredContent);
  await facts.note('blocks', async () => (await s.call('blocks')).content.map(block));
  await facts.note('route', () => s.say('route', { region: 'Zürich ', lane: 4 }));
  await facts.note('unknown tool', () => s.say('burn'));
  await reads(client, facts);
  await completes(client, facts);

  await s.level('warning');
  await facts.note('climb', () => s.say('climb', {}, { level: 'warning' }));
  await facts.note('logs', () => s.logs.wait(3));

  // The SDKs drop what they read together with the result, so they get no result
  // before they have been told everything.
  const progress = new Heard();
  const meeting = s.say('meet', {}, { onprogress: (p) => progress.add(`${p.progress} of ${p.total}: ${p.message}`) });
  for (const n of [1, 2]) {
    await progress.wait(n);
    await s.say('arrive');
  }
  await facts.note('meet', () => meeting);
  await facts.note('progress', () => progress.now());

  for (const question of ['feast', 'pay', 'rhyme', 'roots']) {
    await facts.note(question, () => s.say(question));
  }
  await facts.note('diary', async () => (await client.readResource({ uri: 'talker://diary' })).contents[0].text);
  await facts.note('letter', async () => (await client.getPrompt({ name: 'letter' })).messages[0].content.text);

  const begun = new Heard();
  const abort = new AbortController();
  const waiting = s.call('wait', {}, { signal: abort.signal, onprogress: () => begun.add('waits') });
  waiting.catch(() => {}); // until somebody looks
  await begun.wait(1);
  abort.abort('had enough');
  await facts.note('wait', () => waiting);
  await facts.note('how it ended', () => s.say('how_it_ended'));

  await facts.note('watch', () => s.watch('talker://rules', 'talker://picture'));
  await facts.note('touch', () => s.say('touch'));
  await facts.note('updates', () => s.updates.wait(2));
  await facts.note('grow', () => s.say('grow'));
  await facts.note('changes', async () => (await s.changes.wait(3)).sort());
  await facts.note('new tool', async () => [(await s.tools()).at(-1).name, await s.say('new_tool')]);
  await facts.note('unwatch', () => s.unwatch('talker://rules'));
  if (s.modern) await s.watch('talker://picture');
  await facts.note('touch again', () => s.say('touch'));
  await facts.note('updates after that', async () => (await s.updates.wait(3)).slice(2));
  if (s.modern) {
    await facts.note('unwatch all', () => s.unwatch());
  } else {
    await facts.note('ping', () => client.ping());
  }
}

async function lists(s, facts) {
  await facts.note('tools', async () =>
    (await s.tools()).map((tool) => ({
      name: tool.name, title: tool.title ?? '', hint: tool.annotations?.readOnlyHint ?? false, output: tool.outputSchema !== undefined,
    })));
  await facts.note('resources', async () =>
    (await s.every('listResources', 'resources')).map((r) => `${r.uri} ${r.mimeType}`));
  await facts.note('templates', async () =>
    (await s.every('listResourceTemplates', 'resourceTemplates')).map((t) => t.uriTemplate));
  await facts.note('prompts', async () =>
    (await s.every('listPrompts', 'prompts')).map((p) => `${p.name}(${(p.arguments ?? []).map((a) => a.name + (a.required ? '' : '?'))})`));
}

async function reads(client, facts) {
  const read = async (uri) => {
    const { contents } = await client.readResource({ uri });
    return contents.map((c) => c.text ?? `blob ${c.blob}`);
  };
  await facts.note('rules', () => read('talker://rules'));
  await facts.note('picture', () => read('talker://picture'));
  await facts.note('person', () => read('talker://people/ada'));
  await facts.note('nobody', () => read('talker://people/bob'));
  await facts.note('greet', async () => {
    const { messages } = await client.getPrompt({ name: 'greet', arguments: { name: 'Ada', tone: 'formal' } });
    return messages.map((m) => `${m.role}: ${block(m.content)}`);
  });
  await facts.note('greet nobody', () => client.getPrompt({ name: 'greet' }));
}

async function completes(client, facts) {
  const complete = async (ref, name, value, context) =>
    (await client.complete({ ref, argument: { name, value }, ...(context && { context: { arguments: context } }) })).completion.values;
  const greet = { type: 'ref/prompt', name: 'greet' };
  await facts.note('complete', () => complete(greet, 'name', 'a'));
  await facts.note('complete with context', () => complete(greet, 'name', 'a', { tone: 'formal' }));
  await facts.note('complete a choice', () => complete(greet, 'tone', 'fr'));
  await facts.note('complete a template', () => complete({ type: 'ref/resource', uri: 'talker://people/{name}' }, 'name', 'gr'));
}

// block says in a line what a content block is.
function block(c) {
  switch (c.type) {
    case 'text': return `text ${c.text}`;
    case 'image': case 'audio': return `${c.type} ${atob(c.data)}`;
    case 'resource_link': return `link ${c.uri} ${c.title}`;
    case 'resource': return `resource ${c.resource.text ?? atob(c.resource.blob)}`;
  }
  return c.type;
}
