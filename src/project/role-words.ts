import type { Diagnostic, Place } from '../kernel/diagnostic.ts';
import { hasQuestion, isHuman, type Protocol } from '../mail/format/protocol.ts';
import { maySend } from '../mail/machine/rules/address.ts';
import type { RoleName } from '../kernel/ids.ts';

/** The description of a role, and where a part of it lies, by its offsets. */
interface RoleWords {
  readonly role: RoleName;
  readonly text: string;
  readonly place: (start: number, end: number) => Place | null;
}

/** An order to write a message of the type that follows. */
const order = /\b(?:send|write|return|post|deliver|(?:answer|reply) (?:with|by))(?: \w+){0,3} ?`?$/i;
const denied = /\b(?:never|not|no|don't|cannot)\b/i;

/**
 * Warns where a role is described as writing what the protocol lets it never send: a type of
 * others, or a question to somebody whom it cannot ask. An agent that follows it is corrected until
 * its turn fails.
 */
export function wordsAgainstProtocol(protocol: Protocol, words: RoleWords): Diagnostic[] {
  return [...foreignTypes(protocol, words), ...unaskable(protocol, words)];
}

function foreignTypes(protocol: Protocol, { role, text, place }: RoleWords): Diagnostic[] {
  return [...protocol.types.values()].flatMap(({ name, from, to }): Diagnostic[] => {
    if (from.includes(role)) return [];
    const named = mentions(text, name).find((at) => {
      const before = sentenceBefore(text, at);
      return !denied.test(before) && (!to.includes(role) || order.test(before));
    });
    if (named === undefined) return [];
    return [warning(protocol, role, `\`${name}\``, `must not send`, place(named, named + name.length))];
  });
}

function unaskable(protocol: Protocol, { role, text, place }: RoleWords): Diagnostic[] {
  return [...protocol.roles.keys()].flatMap((other): Diagnostic[] => {
    if (other === role || canAsk(protocol, role, other)) return [];
    const asked = [...text.matchAll(/\bask (?:the )?`?([\w-]+)/gi)].find(
      ({ 1: who = '', index }) => who === other && !denied.test(sentenceBefore(text, index)),
    );
    if (asked === undefined) return [];
    const end = asked.index + asked[0].length;
    return [warning(protocol, role, `\`${other}\``, 'cannot ask', place(asked.index, end))];
  });
}

/** The built-in question goes to the sender of the mail of a turn, or to `user`. */
function canAsk(protocol: Protocol, role: RoleName, other: RoleName): boolean {
  const types = [...protocol.types.values()];
  if (types.some(({ from, to, reply }) => reply.length > 0 && from.includes(role) && to.includes(other)))
    return true;
  const writesTo = types.some(({ from, to }) => from.includes(other) && to.includes(role));
  return hasQuestion(protocol) && !isHuman(protocol, role) && (other === 'user' || writesTo);
}

/** Where the words name a type: as code, or by a name that is not an ordinary word. */
function mentions(text: string, name: string): number[] {
  const found = [...text.matchAll(/(?<![\w-])[A-Za-z][\w-]*(?![\w-])/g)].filter(
    ({ 0: word }) => word === name,
  );
  const asCode = (at: number) => text[at - 1] === '`' && text[at + name.length] === '`';
  return found.map(({ index }) => index).filter((at) => /[-_]/.test(name) || asCode(at));
}

function sentenceBefore(text: string, at: number): string {
  const start = Math.max(...['. ', ': ', '; ', '\n\n', '\n- '].map((end) => text.lastIndexOf(end, at - 1)));
  return text.slice(start + 1, at).replaceAll(/\s+/g, ' ');
}

function warning(
  protocol: Protocol,
  role: RoleName,
  what: string,
  how: 'must not send' | 'cannot ask',
  place: Place | null,
): Diagnostic {
  return {
    code: 'E_PROTOCOL',
    severity: 'warning',
    message: `this text names ${what}, which ${role} ${how}`,
    place,
    hint: `${maySend(protocol, role)}; change the text, or the protocol`,
  };
}
