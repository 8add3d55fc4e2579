// The walk through a server that is replaced by a newer one while the session lasts. The
// SDK validates results by the list that it has fetched before, and which is not fetched
// again.

export async function replaced(s, facts) {
  await facts.note('tools', async () => (await s.tools()).map((tool) => tool.name).sort());
  const find = async () => (await s.call('find', { title: 'Emma' })).structuredContent;
  await facts.note('before', find);
  await facts.note('replace', () => s.say('replace'));
  await facts.note('after', find);
}
