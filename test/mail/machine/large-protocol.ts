import type { Protocol } from '../../../src/mail/format/protocol.ts';
import { protocolOf } from './texts.ts';

/** A protocol of 12 roles and 40 types, in which everybody may say everything to everybody. */
export function largeProtocol(): Protocol {
  const roles = Array.from({ length: 12 }, (_none, index) => `r${String(index)}`);
  const all = `[${roles.join(', ')}]`;
  const numbered = (count: number, line: (number: string) => string) =>
    Array.from({ length: count }, (_none, index) => line(String(index)));
  const types = [
    `  go: { from: [user], to: ${all} }`,
    ...numbered(12, (n) => `  ask${n}: { from: ${all}, to: ${all}, reply: [say${n}] }`),
    ...numbered(12, (n) => `  say${n}: { from: ${all}, to: ${all} }`),
    ...numbered(14, (n) => `  note${n}: { from: ${all}, to: ${all} }`),
    `  done: { from: ${all}, to: [user], closes: true }`,
  ];
  return protocolOf(
    `roles: { ${roles.map((role) => `${role}: {}`).join(', ')} }\nmessages:\n${types.join('\n')}\n`,
  );
}
