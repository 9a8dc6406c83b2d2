import { expect, it } from 'vitest';
import { defaultConfig } from '../../../src/config/config.ts';
import { parseProtocol } from '../../../src/mail/protocol/read.ts';

const why = new Map([['pi', 'it has no client']]);

/** A role of this provider with these settings; `mcp`: that of mailroom.yaml. */
function read(provider: string, settings: string, mcp = false) {
  const text = `name: one\nversion: "1"\nroles:\n  maker: { provider: ${provider}${settings} }\nmessages:\n  task: { from: user, to: maker }\n`;
  const config = { ...defaultConfig, mcp };
  const found = parseProtocol([{ file: 'one.yaml', text }], config, { withoutMcp: why, withoutTools: why });
  if (!found.ok) return found.problems.map(({ message }) => message);
  const role = found.value.roles.get('maker');
  return { tools: role?.tools === true, servers: role?.mcp ?? null };
}

it.each([
  ['nothing says so', '', false, { tools: false, servers: null }],
  ['the role says so', ', mcp: on', false, { tools: true, servers: [] }],
  ['the role names them', ', mcp: [mailroom, tickets]', false, { tools: true, servers: ['tickets'] }],
  ['the role names others', ', mcp: [tickets]', false, { tools: false, servers: ['tickets'] }],
  ['mailroom.yaml says so', '', true, { tools: true, servers: null }],
] as const)("a role has Mailroom's tools only where it is said: %s", (_, settings, mcp, expected) => {
  expect(read('claude', settings, mcp)).toEqual(expected);
});

it('a role whose program cannot have them is an error, unless every role has them', () => {
  const refused = ['the MCP server `mailroom` cannot be connected to `pi`: it has no client'];
  expect(read('pi', ', mcp: on')).toEqual(refused);
  expect(read('pi', ', mcp: [mailroom]')).toEqual(refused);
  expect(read('pi', '', true)).toMatchObject({ tools: true });
});
