// An authorization server: oidc-provider, with its development pages for people. The
// argument is its plan:
//
//   {"format": "jwt" | "opaque", "lifetime": seconds of access tokens, "once": no refresh tokens,
//   "short": only the settings that its documentation needs for registration and one resource server}
//
// It prints one line of JSON: first {"issuer": ...}, then one for each event of tokens. It
// ends with its standard input.

import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const plan = JSON.parse(process.argv[2]);
const print = (line) => process.stdout.write(JSON.stringify(line) + '\n');

const server = createServer();
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = `http://127.0.0.1:${server.address().port}`;

const service = { client_id: 'service', client_secret: 'service-secret-of-the-test', redirect_uris: [], response_types: [], grant_types: ['client_credentials'] };
const short = {
  scopes: ['openid'], // the default has offline_access, and with it refresh tokens
  features: {
    registration: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: () => ({ scope: 'books:read books:write', accessTokenFormat: 'jwt' }),
    },
  },
};
const provider = new Provider(issuer, plan.short ? short : {
  clients: [
    service,
    { ...service, client_id: 'guard', client_secret: 'guard-secret-of-the-test' },
  ],
  scopes: ['openid', 'offline_access', 'books:read', 'books:write'],
  // People and services of this issuer get tokens for the resource that they name.
  features: {
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (ctx, resource) => ({
        scope: 'books:read books:write',
        audience: resource,
        accessTokenTTL: plan.lifetime,
        accessTokenFormat: plan.format,
      }),
      useGrantedResource: () => true,
    },
    dPoP: { enabled: true },
    introspection: { enabled: true, allowedPolicy: (ctx, client) => client.clientId === 'guard' },
    revocation: { enabled: true },
    clientCredentials: { enabled: true },
    registration: { enabled: true },
  },
  pkce: { required: () => true },
  rotateRefreshToken: true,
  issueRefreshToken: (ctx, client) => !plan.once && client.grantTypeAllowed('refresh_token'),
  cookies: { keys: ['a key of the test'] },
});
for (const event of [
  'access_token.issued', 'access_token.saved', 'access_token.destroyed', 'refresh_token.saved', 'refresh_token.consumed', 'refresh_token.destroyed',
  'client_credentials.issued', 'client_credentials.saved', 'registration_create.success', 'grant.success', 'grant.revoked',
]) {
  provider.on(event, (of) => print({ event, id: of?.jti, grant: of?.oidc?.params?.grant_type }));
}
for (const event of ['grant.error', 'authorization.error', 'server_error', 'registration_create.error', 'revocation.error', 'introspection.error']) {
  provider.on(event, (ctx, error) => print({ event, error: `${error.message} ${error.error_description ?? ''} ${error.error_detail ?? ''}`, grant: ctx.oidc?.params?.grant_type }));
}
server.on('request', provider.callback());
print({ issuer });
process.stdin.on('end', () => process.exit(0)).resume();
