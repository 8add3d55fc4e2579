// The client of @modelcontextprotocol/client reads every skill of the server at the URL that is its
// argument, and prints them. The SDK verifies each file.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';

const client = new Client({ name: 'interop', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2])));
const skills = new SkillsClient(client);
const found = { supported: skills.supported, directoryRead: skills.directoryRead, skills: {}, files: {}, directories: {} };
const { skills: entries } = await skills.list();
for (const entry of entries) {
  const { skill } = await skills.get(entry.uri);
  if (JSON.stringify(skill) !== JSON.stringify(entry)) throw new Error(`${entry.uri}: skills/get returns another entry`);
  found.skills[entry.uri] = entry.frontmatter;
  const main = await skills.read(entry);
  found.files[entry.uri] = Buffer.from(main.bytes).toString('base64');
  if (entry.resources === 'dynamic') continue;
  for (const { uri } of entry.resources) {
    const file = await skills.read(entry, uri);
    if (!file.verified) throw new Error(`${uri}: not verified`);
    found.files[uri] = Buffer.from(file.bytes).toString('base64');
  }
  const { resources } = await skills.readDirectory(entry.uri.slice(0, -'/SKILL.md'.length));
  found.directories[entry.uri] = resources.map((r) => `${r.uri} ${r.mimeType}`).sort();
}
await client.close();
console.log(JSON.stringify(found));
