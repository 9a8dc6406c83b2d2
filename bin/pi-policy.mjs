// An extension of pi: decides each use of a tool by the capabilities of the role, as
// bin/acp-policy.mjs does for agents that ask. The file that MAILROOM_PI_POLICY names holds the
// policy; src/providers/pi.ts writes it and knows the words of a refusal. Uses only Node's own
// modules.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { refusal } from './acp-policy.mjs';

const kinds = {
  read: 'read',
  grep: 'search',
  find: 'search',
  ls: 'search',
  write: 'edit',
  edit: 'edit',
  bash: 'execute',
};

/** Registers the guard; `pi` is the interface that pi gives to its extensions. */
export default function guard(pi) {
  const policy = JSON.parse(readFileSync(process.env.MAILROOM_PI_POLICY, 'utf8'));
  pi.on('tool_call', ({ toolName, input }) => {
    const kind = kinds[toolName];
    if (kind === undefined) return { block: true, reason: `Mailroom refuses ${toolName}: unknown tool` };
    // The tool receives the path that is judged: pi itself expands some spellings.
    if (kind !== 'execute') input.path = absolute(policy.workspace, input.path ?? '.');
    const refused = refusal(policy, { kind, rawInput: input });
    return refused === null
      ? undefined
      : { block: true, reason: `Mailroom refuses ${toolName}: ${refused.why}` };
  });
}

/** Absolute, as pi reads it: without a leading `@`, with `~` as the home, and with plain spaces. */
function absolute(workspace, given) {
  const plain = String(given)
    .replaceAll(/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g, ' ')
    .replace(/^@/, '');
  if (plain.startsWith('file://')) return fileURLToPath(plain);
  return plain === '~' || plain.startsWith('~/') ? homedir() + plain.slice(1) : resolve(workspace, plain);
}
