import type { Budget } from '../../../kernel/cost.ts';
import { counted } from '../../../kernel/enumerate.ts';
import { lineage } from '../fold/work.ts';
import type { Sent } from '../event.ts';
import type { Protocol } from '../../format/protocol.ts';
import type { MailState } from '../state.ts';
import { fitsThread } from './thread-budgets.ts';
import type { ThreadId } from '../../../kernel/ids.ts';

/** The bounds of sub-threads that these messages would break, for their author. */
export function openingProblems(state: MailState, protocol: Protocol, sent: readonly Sent[]): string[] {
  const opening = sent.filter(({ opens }) => opens !== null);
  const parent = opening[0]?.opens?.parent;
  if (parent === undefined) return [];
  return [
    ...tooMany(state, protocol, parent, opening),
    ...tooDeep(state, protocol, parent, opening),
    ...tooExpensive(state, protocol, parent, opening),
  ];
}

function tooMany(
  state: MailState,
  { types }: Protocol,
  parent: ThreadId,
  opening: readonly Sent[],
): string[] {
  const names = opening.map(({ message }) => message.type);
  return [...new Set(names)].flatMap((name) => {
    const most = types.get(name)?.opens?.fanOut ?? 0;
    const open = openOf(state, parent, name);
    const more = names.filter((other) => other === name).length;
    if (open + more <= most) return [];
    const rest = open === 0 ? '' : `, of which ${String(open)} ${open === 1 ? 'is' : 'are'} open`;
    return [
      `\`${name}\` may open ${counted(most, 'sub-thread')} at once (\`fan_out\`)${rest}, and this turn sends ` +
        `${String(more)}: send at most ${String(Math.max(0, most - open))}`,
    ];
  });
}

/** How many open sub-threads a thread has from requests of this type. */
function openOf({ threads, mail }: MailState, parent: ThreadId, type: string): number {
  const children = threads.get(parent)?.children ?? [];
  return children.filter((id) => threads.get(id)?.state === 'open' && mail.get(id)?.message.type === type)
    .length;
}

function tooDeep(
  state: MailState,
  { limits }: Protocol,
  parent: ThreadId,
  [first]: readonly Sent[],
): string[] {
  const depth = lineage(state, parent).length;
  if (depth <= limits.nesting) return [];
  return [
    `\`${first?.message.type ?? ''}\` would open a sub-thread at depth ${String(depth)}, and \`limits.nesting\` ` +
      `allows ${String(limits.nesting)}: do the work in this thread`,
  ];
}

/** What sub-threads reserve must be left in the budget of their thread. */
function tooExpensive(
  state: MailState,
  protocol: Protocol,
  parent: ThreadId,
  opening: readonly Sent[],
): string[] {
  const budgets = opening.flatMap(({ opens }) => opens?.budget ?? []);
  const total = (unit: keyof Budget) => budgets.reduce((all, budget) => all + (budget[unit] ?? 0), 0);
  const wanted = { usd: total('usd'), tokens: total('tokens') };
  if (fitsThread(state, protocol, [], parent, wanted) === 'fits') return [];
  const parts = [
    ...(wanted.usd > 0 ? [`${String(wanted.usd)} USD`] : []),
    ...(wanted.tokens > 0 ? [counted(wanted.tokens, 'token')] : []),
  ];
  return [
    `the sub-threads of this turn would reserve ${parts.join(' and ')}, and the budget of this thread has less left: ` +
      'open fewer of them',
  ];
}
