// The walk through a server that lists three tools of a hundred. The client finds one by
// plain words, and calls it through another one, as a model does.

export async function many(s, facts) {
  await facts.note('tools', async () => (await s.tools()).map((tool) => tool.name).sort());
  await facts.note('found', async () => (await s.say('search_tools', { query: 'let a reader have a book', limit: 1 })).split('\n')[0]);
  await facts.note('borrowed', async () => (await s.call('use_tool', { name: 'borrow', arguments: { title: 'Emma' } })).structuredContent ?? {});
  await facts.note('room', () => s.say('use_readonly_tool', { name: 'room_7' }));
  await facts.note('refused', async () => (await s.call('use_readonly_tool', { name: 'borrow', arguments: { title: 'Emma' } })).content[0].text);
}
