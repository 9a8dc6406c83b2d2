import type { Calls } from '../../kernel/cost.ts';
import type { CostsDocument, CostsSum } from '../../documents/mail.ts';

/** What tokens are used for, in the order in which they are shown. */
export type Part = 'system' | 'role' | 'mail' | 'files' | 'answers' | 'unknown';
type Tokens = Readonly<Record<Part, number>>;

/** The document of `costs --by part`. */
export interface PartCosts extends Omit<CostsDocument, 'by' | 'rows'> {
  readonly by: readonly ['part'];
  /** Every part once. Their tokens are those of the total. */
  readonly rows: readonly {
    readonly part: Part;
    readonly tokens: number;
    /** Of all tokens, from 0 to 1. */
    readonly share: number;
    /** Whether the tokens of the prompt were counted as its bytes divided by four. */
    readonly estimated: boolean;
  }[];
}

/** A launch of an agent, as far as it is known. */
export interface PartLaunch {
  /** Whether it is counted; otherwise it only began a conversation that others resumed. */
  readonly counts: boolean;
  readonly tokens: number;
  /** The conversation that it left or resumed; null: unknown. */
  readonly session: string | null;
  readonly resumed: boolean;
  /** Tokens of its prompt: the standing orders of its role, and the rest. */
  readonly prompt: { readonly role: number; readonly mail: number };
  /** At least one. */
  readonly calls: Calls;
}

/** What each call of a conversation reads again, in tokens. `system` null: it is unknown. */
interface Had {
  readonly system: number | null;
  readonly role: number;
  readonly mail: number;
}

const none: Tokens = { system: 0, role: 0, mail: 0, files: 0, answers: 0, unknown: 0 };
const estimated: readonly Part[] = ['system', 'role', 'mail', 'files'];

/** `launches`: in order of time. What they do not explain of the total is unknown. */
export function partCostsOf(
  launches: readonly PartLaunch[],
  since: string | null,
  total: CostsSum,
): PartCosts {
  const conversations = new Map<string, Had>();
  let sum = none;
  for (const launch of launches) {
    const had = hadBy(launch, conversations.get(launch.session ?? ''));
    if (launch.session !== null) conversations.set(launch.session, had);
    const added = plus(sum, tokensOf(launch, had));
    if (launch.counts && tokensIn(added) <= total.cost.tokens) sum = added;
  }
  const left = total.cost.tokens - tokensIn(sum);
  const all = Object.entries(plus(sum, { ...none, unknown: left })) as [Part, number][];
  const rows = all.map(([part, tokens]) => ({
    part,
    tokens,
    share: total.cost.tokens === 0 ? 0 : tokens / total.cost.tokens,
    estimated: estimated.includes(part),
  }));
  return { schema: 1, by: ['part'], since, rows, total };
}

function hadBy({ resumed, prompt, calls }: PartLaunch, before: Had | undefined): Had {
  const { role, mail } = prompt;
  if (before !== undefined) return { ...before, role: before.role + role, mail: before.mail + mail };
  const system = Math.max(0, (calls.inputs[0] ?? 0) - role - mail);
  return { system: resumed ? null : system, role, mail };
}

/** What a launch reports beyond its calls is unknown, and all of it where its calls are more. */
function tokensOf({ tokens, calls }: PartLaunch, had: Had): Tokens {
  const { inputs, output } = calls;
  const counted = inputs.reduce((sum, input) => plus(sum, inputOf(input, had)), { ...none, answers: output });
  const unknown = tokens - tokensIn(counted);
  return unknown >= 0 ? plus(counted, { ...none, unknown }) : { ...none, unknown: tokens };
}

function inputOf(input: number, had: Had): Tokens {
  const mail = Math.min(input, had.mail);
  const role = Math.min(input - mail, had.role);
  const rest = input - mail - role;
  if (had.system === null) return { ...none, mail, role, unknown: rest };
  const system = Math.min(rest, had.system);
  return { ...none, mail, role, system, files: rest - system };
}

function plus(a: Tokens, b: Tokens): Tokens {
  const parts = Object.keys(none) as Part[];
  return Object.fromEntries(parts.map((part) => [part, a[part] + b[part]])) as Record<Part, number>;
}

function tokensIn(tokens: Tokens): number {
  return Object.values(tokens).reduce((sum, each) => sum + each, 0);
}

/** The rows as CSV (RFC 4180) with a header. */
export function partCostsCsv({ rows }: PartCosts): string {
  const lines = rows.map(({ part, tokens, share, estimated: about }) =>
    [part, tokens, share, about].join(','),
  );
  return ['part,tokens,share,estimated', ...lines].map((line) => `${line}\r\n`).join('');
}
