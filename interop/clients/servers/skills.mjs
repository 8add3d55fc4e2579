// A server of @modelcontextprotocol/server with skills, over stdio. Its argument is an object of
// the files, by path, in base64.

import { McpServer } from '@modelcontextprotocol/server';
import { SkillsExtension, memorySkillFiles } from '@modelcontextprotocol/server/ext/skills';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const files = {};
for (const [path, data] of Object.entries(JSON.parse(process.argv[2]))) files[path] = Buffer.from(data, 'base64');

const catalog = await SkillsExtension.load(memorySkillFiles(files), { prefix: 'acme', pageSize: 1, strict: true });
serveStdio(() => {
  const server = new McpServer({ name: 'skills', version: '1' }, { capabilities: { resources: {} } });
  catalog.attach(server);
  return server;
});
