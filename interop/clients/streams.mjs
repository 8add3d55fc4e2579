// The walk through what goes wrong with streams over HTTP: they break off, are let
// go, and end for good.

import { Heard, until, within } from './facts.mjs';

export async function streams(s, facts) {
  await facts.note('hello', () => s.hello().revision);
  if (s.modern) {
    await modern(s, facts);
  } else {
    await legacy(s, facts);
  }
}

// The streams of a session can be taken up again where they broke off.
async function legacy(s, facts) {
  const { wire, transport } = s;
  const resumed = () => wire.count((e) => e.method === 'GET' && e.status === 200 && 'last-event-id' in e.sent);
  // again waits until the client has come back for a stream.
  const again = async (f) => {
    const before = resumed();
    f();
    await until('come back for the stream', () => resumed() > before);
  };

  await s.watch('talker://rules', 'talker://picture');
  await s.say('touch');
  await facts.note('updates', () => s.updates.wait(2));
  wire.cut('GET');
  await facts.note('missed', () => s.say('touch'));
  await facts.note('missed updates', async () => (await s.updates.wait(4)).slice(2));
  await facts.note('streams taken up', resumed);

  const progress = new Heard();
  const meeting = s.say('meet', {}, { onprogress: (p) => progress.add(p.message) });
  await progress.wait(1);
  await again(() => wire.cut('POST', 'tools/call meet'));
  await s.say('arrive');
  await progress.wait(2);
  await s.say('arrive');
  await facts.note('meet', () => meeting);
  await facts.note('progress', () => progress.now());

  const napping = s.say('nap');
  if (s.plan.revision >= '2025-11-25') {
    await again(() => {}); // the server lets the stream go
  }
  await s.say('arrive');
  await facts.note('nap', () => napping);
  await facts.note('streams taken up at last', resumed);

  // What has ended stays so: nobody comes back for it again and again.
  const before = wire.exchanges.length;
  await facts.note('stumble', () => s.say('stumble', {}, { onprogress: () => {} }));
  const wait = await waiting(s);
  wait.abort();
  await facts.note('wait', () => wait.ended);
  await facts.note('how it ended', () => s.say('how_it_ended'));
  await facts.note('comes back', async () => {
    await quiet(wire);
    return wire.exchanges.slice(before).filter((e) => e.method === 'GET').map((e) => e.status);
  });

  // Another client may go on with the session while it lasts.
  const { sessionId } = transport;
  const { revision } = s.hello();
  const other = await s.another({ sessionId, protocolVersion: revision });
  await facts.note('another client of the session', () => other.say('arrive'));
  await facts.note('terminate', async () => {
    await transport.terminateSession();
    return wire.exchanges.at(-1).status;
  });
  await facts.note('after the session', () => other.say('arrive'));
  await other.client.close();
}

// Responses cannot be taken up again: what breaks off is cancelled, or asked for
// once more.
async function modern(s, facts) {
  const { wire } = s;
  await facts.note('watch', () => s.watch('talker://rules'));
  const first = s.subscription;
  wire.cut('POST', 'subscriptions/listen');
  await facts.note('broken off', () => within('end of the listen', first.closed));
  await s.watch('talker://rules');
  await facts.note('touch', () => s.say('touch'));
  await facts.note('updates', () => s.updates.wait(1));

  const wait = await waiting(s);
  wire.cut('POST', 'tools/call wait');
  await facts.note('how it ended', () => s.say('how_it_ended')); // the SDK leaves the caller waiting
  await s.say('arrive');
  await facts.note('nap', () => s.say('nap'));
  await facts.note('stumble', () => s.say('stumble', {}, { onprogress: () => {} }));
  await facts.note('listens', () => wire.count((e) => e.call === 'subscriptions/listen'));

  process.kill(s.plan.pid, 'SIGTERM');
  await facts.note('server stops', () => within('end of the listen', s.subscription.closed));
}

// waiting is a call that goes on until it is given up.
async function waiting(s) {
  const begun = new Heard();
  const abort = new AbortController();
  const ended = s.call('wait', {}, { signal: abort.signal, onprogress: () => begun.add('waits') });
  ended.catch(() => {}); // until somebody looks
  await begun.wait(1);
  return { ended, abort: () => abort.abort('had enough') };
}

// quiet waits until nothing has been asked for longer than clients wait before they
// come back, which is a second.
async function quiet(wire) {
  for (let i = 0; i < 6; i++) {
    const n = wire.exchanges.length;
    await new Promise((resolve) => setTimeout(resolve, 2500));
    if (wire.exchanges.length === n) return;
  }
  throw new Error('requests do not end');
}
