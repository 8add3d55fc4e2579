// The walk through what is left of a revision with sessions where a server has
// none, as one of many behind a balancer.

import { Heard } from './facts.mjs';

export async function sessionless(s, facts) {
  await facts.note('hello', () => s.hello().revision);
  await facts.note('session', () => s.transport.sessionId ?? 'none');
  await facts.note('tools', async () => (await s.tools()).length);
  await facts.note('add', async () => (await s.call('add', { numbers: [1, 2] })).structuredContent);
  const progress = new Heard();
  const meeting = s.say('meet', {}, { onprogress: (p) => progress.add(p.message) });
  for (const n of [1, 2]) {
    await progress.wait(n);
    await s.say('arrive');
  }
  await facts.note('meet', () => meeting);
  await facts.note('feast', () => s.say('feast'));
  await facts.note('stumble', () => s.say('stumble'));
  await facts.note('ping', () => s.client.ping());
}
