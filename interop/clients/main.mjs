// What both programs do: follow the plan that is their argument, and print what
// they found out.
//
//   {"walk": "bookstore" | "login" | "many" | "replaced" | "sessionless" | "streams" | "talker", "revision": "2025-11-25",
//    "transport": "stdio" | "http" | "sse",
//    "command": the program to start, over stdio,
//    "url": where it serves, and "pid": its process, over http and sse,
//    "calls" and "errors": [{"tool": ..., "args": ...}], for the bookstore}

import { Facts } from './facts.mjs';
import { Session } from './session.mjs';
import { many } from './many.mjs';
import { login } from './login.mjs';
import { bookstore } from './bookstore.mjs';
import { replaced } from './replaced.mjs';
import { sessionless } from './sessionless.mjs';
import { streams } from './streams.mjs';
import { talker } from './talker.mjs';

const walks = { bookstore, many, replaced, sessionless, streams, talker };

export async function main(sdk) {
  const plan = JSON.parse(process.argv[2]);
  if (plan.walk === 'login') return login(sdk, plan);
  const session = new Session(sdk, plan);
  const facts = new Facts();
  await session.connect();
  await walks[plan.walk](session, facts, plan);
  await facts.note('complaints', () => session.complaints.slice());
  await facts.note('end', () => session.close());
  await facts.note('wire', () => session.wire.kinds());
  await facts.note('compressed', () => session.wire.count((e) => e.encoding === 'gzip') > 0);
  facts.print();
}
