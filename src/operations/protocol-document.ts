import type { Budget } from '../kernel/cost.ts';
import type { FieldType, MessageType, Protocol, Role } from '../mail/format/protocol.ts';

/** A protocol with its defaults, as programs read it. Durations are in milliseconds. */
export interface ProtocolDocument {
  readonly schema: 1;
  readonly name: string;
  readonly version: string;
  readonly roles: readonly {
    readonly name: string;
    readonly provider: string;
    readonly model: string | null;
    readonly fallback: readonly string[];
    readonly capabilities: readonly string[];
    readonly session: Role['session'];
    readonly concurrency: number;
    readonly retries: number;
    readonly timeout: number | null;
  }[];
  readonly types: readonly (Pick<
    MessageType,
    'name' | 'from' | 'to' | 'reply' | 'blocking' | 'timeout' | 'closes' | 'lands'
  > & {
    readonly to_all: boolean;
    /** Each message opens a sub-thread; null: it stays in the thread of its author. */
    readonly sub_threads: {
      readonly fan_out: number;
      readonly budget: Pick<Budget, 'usd' | 'tokens'> | null;
    } | null;
    readonly on_timeout: MessageType['onTimeout'];
    readonly fields: Readonly<Record<string, Pick<FieldType, 'type' | 'enum' | 'required' | 'description'>>>;
  })[];
  readonly start: Protocol['start'];
  readonly concurrency: number;
}

export function protocolDocument({
  name,
  version,
  roles,
  types,
  start,
  concurrency,
}: Protocol): ProtocolDocument {
  return {
    schema: 1,
    name,
    version,
    roles: [...roles.values()].map((role) => ({
      name: role.name,
      provider: role.provider,
      model: role.model,
      fallback: role.fallback,
      capabilities: role.capabilities,
      session: role.session,
      concurrency: role.concurrency,
      retries: role.retries,
      timeout: role.timeout,
    })),
    types: [...types.values()].map((type) => ({
      name: type.name,
      from: type.from,
      to: type.to,
      to_all: type.toAll,
      reply: type.reply,
      blocking: type.blocking,
      timeout: type.timeout,
      on_timeout: type.onTimeout,
      closes: type.closes,
      lands: type.lands,
      sub_threads: subThreadsOf(type),
      fields: Object.fromEntries(
        Object.entries(type.fields).map(([field, { type: kind, enum: values, required, description }]) => [
          field,
          { type: kind, enum: values, required, description },
        ]),
      ),
    })),
    start,
    concurrency,
  };
}

function subThreadsOf({ opens }: MessageType) {
  if (opens === null) return null;
  const { fanOut, budget } = opens;
  return { fan_out: fanOut, budget: budget && { usd: budget.usd, tokens: budget.tokens } };
}
