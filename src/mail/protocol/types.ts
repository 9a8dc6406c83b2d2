import picomatch from 'picomatch';
import { isAskedAlready, maySettle, type Problem } from './check.ts';
import type { Blocking, FieldType, Lands, MessageType } from '../format/protocol.ts';
import type { Merged } from './merge.ts';
import type { MessageTypeInput } from './schema.ts';
import type { TypeName } from '../../kernel/ids.ts';
import type { MessageCheck } from '../../kernel/message-check.ts';

const checkTimeout = 5 * 60_000;

/**
 * Every message type with its defaults filled in (`protectedBranches`: globs); the default end of a
 * wait depends on which roles can send the replies.
 */
export function lowerTypes(
  merged: Merged,
  protectedBranches: readonly string[],
  problems: Problem[],
): Map<TypeName, MessageType> {
  for (const [name, input] of merged.messages) problems.push(...alone(name, input));
  const types = new Map(
    [...merged.messages].map(([name, input]) => [name, lowerType(name, input, protectedBranches)]),
  );
  for (const [name, type] of types) {
    if (merged.messages.get(name)?.on_timeout !== undefined) continue;
    const replies = type.reply.flatMap((reply) => types.get(reply) ?? []);
    if (maySettle(type, replies) && !isAskedAlready(type))
      types.set(name, { ...type, onTimeout: 'escalate' });
  }
  return types;
}

function lowerType(
  name: TypeName,
  input: MessageTypeInput,
  protectedBranches: readonly string[],
): MessageType {
  const reply = input.reply ?? [];
  return {
    name,
    from: input.from,
    ...lowerRecipients(input.to),
    reply,
    blocking: lowerBlocking(input.blocking ?? reply.length > 0),
    timeout: input.timeout ?? null,
    onTimeout: input.on_timeout ?? 'fail',
    escalateTo: input.escalate_to ?? 'user',
    checks: (input.gates ?? []).map(lowerCheck),
    fields: Object.fromEntries(
      Object.entries(input.fields ?? {}).map(([key, field]) => [key, lowerField(field)]),
    ),
    closes: input.closes ?? false,
    lands: input.lands === undefined ? null : lowerLands(input.lands, protectedBranches),
    opens: input.thread === undefined ? null : lowerOpens(input),
  };
}

/** Keys that only a type with sub-threads can have. */
function alone(name: TypeName, input: MessageTypeInput): Problem[] {
  if (input.thread !== undefined) return [];
  const keys = (['join', 'fan_out', 'budget'] as const).filter((key) => input[key] !== undefined);
  return keys.map((key) => ({
    code: 'E_PROTOCOL',
    severity: 'error',
    path: ['messages', name, key],
    message: `\`${key}\` without \`thread: new\`: \`${name}\` opens no sub-threads`,
    hint: `set \`thread: new\`, or leave \`${key}\` out`,
  }));
}

const defaultFanOut = 5;

function lowerOpens({ fan_out: fanOut = defaultFanOut, budget }: MessageTypeInput): MessageType['opens'] {
  return { fanOut, budget: budget ?? null };
}

function lowerLands(
  lands: NonNullable<MessageTypeInput['lands']>,
  protectedBranches: readonly string[],
): Lands {
  const { branch, by = 'merge' } = typeof lands === 'string' ? { branch: lands } : lands;
  const approval = protectedBranches.length > 0 && picomatch([...protectedBranches])(branch);
  return { branch, by, approval };
}

function lowerRecipients(to: MessageTypeInput['to']): Pick<MessageType, 'to' | 'toAll'> {
  return Array.isArray(to) ? { to, toAll: false } : { to: to.all, toAll: true };
}

function lowerBlocking(blocking: boolean | 'role' | 'thread'): Blocking {
  if (blocking === false) return 'none';
  return blocking === true ? 'role' : blocking;
}

type CheckInput = NonNullable<MessageTypeInput['gates']>[number];
type FieldInput = NonNullable<MessageTypeInput['fields']>[string];

function lowerCheck(check: CheckInput): MessageCheck {
  if ('changed' in check) return { kind: 'changed', globs: check.changed };
  return { kind: 'run', argv: check.run, timeout: check.timeout ?? checkTimeout, on: check.on ?? 'own' };
}

function lowerField(field: FieldInput): FieldType {
  return {
    type: field.type,
    enum: field.enum ?? null,
    required: field.required ?? false,
    default: field.default ?? null,
    description: field.description ?? null,
  };
}
