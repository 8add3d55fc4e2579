// Runs a published server that listens, such as "everything streamableHttp", at any port
// of loopback, and says which one that is. By itself it listens on every interface.

import net from 'node:net';

const { listen } = net.Server.prototype;
net.Server.prototype.listen = function (port, ...rest) {
  this.once('listening', () => console.error(`serves at http://127.0.0.1:${this.address().port}`));
  return listen.call(this, { port: 0, host: '127.0.0.1' }, rest.find((f) => typeof f === 'function'));
};

const [, , name, ...args] = process.argv;
const program = import.meta.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);
process.argv = [process.argv[0], program, ...args];
await import(program);
