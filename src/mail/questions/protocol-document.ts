import type { MessageType, Protocol } from '../format/protocol.ts';
import type { ProtocolDocument } from '../../documents/protocol.ts';

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
