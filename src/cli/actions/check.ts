import { counted } from '../../kernel/enumerate.ts';
import type { Context } from '../context.ts';
import type { CheckDocument } from '../../project/check.ts';
import { aboutTokens } from '../../kernel/cost.ts';
import type { Definition } from '../../project/definition/definition.ts';
import type { RolePrice } from '../../project/price.ts';
import type { Project } from '../../project/project.ts';
import { countedParts, defaultTimeoutNote, table } from '../format.ts';
import { json } from '../output.ts';
import { complainOf } from '../failures.ts';
import type { Terminal } from '../terminal.ts';

interface CheckOptions {
  /** Undefined: explore, and report everything else too. */
  readonly explore?: boolean;
  readonly price?: boolean;
  readonly json?: boolean;
}

export async function runCheck(context: Context, options: CheckOptions): Promise<number> {
  const { check } = await import('../../project/check.ts');
  const { terminal } = context;
  const exploring = options.explore === undefined ? 'also' : options.explore ? 'only' : 'no';
  const project = context.project();
  context.announce();
  const definition = await project.definition();
  if (definition.ok) project.prepare(definition.value.protocol);
  const progress = exploringLine(terminal);
  const { document, text } = await check(project, exploring, progress.report);
  progress.end();
  const prices = options.price === true && definition.ok ? await pricesOf(project, definition.value) : null;
  const code = document.ok ? 0 : document.errors.some((error) => error.code === 'E_PATH') ? 3 : 2;
  if (options.json === true) {
    terminal.write(json({ ...document, prices }));
    return code;
  }
  complainOf(text, terminal);
  terminal.print(`${[summary(document), ...(prices === null ? [] : priceLines(prices))].join('\n')}\n`);
  return code;
}

/** A line on a terminal about an exploration that takes longer than a second. */
function exploringLine({ now, replace }: Terminal) {
  let shown = now();
  let isShown = false;
  return {
    report: (states: number) => {
      if (now() - shown < 1_000) return;
      shown = now();
      isShown = true;
      replace(`exploring the protocol: ${counted(states, 'state')}`);
    },
    end: () => {
      if (isShown) replace('');
    },
  };
}

function summary({
  ok,
  roles,
  types,
  workflows,
  errors,
  warnings,
  accepted,
  default_timeout: untimed,
  exploration,
}: CheckDocument): string {
  const found = [
    ...countedParts([errors.length, 'error'], [warnings.length, 'warning']),
    ...(accepted > 0 ? [`${counted(accepted, 'warning')} accepted`] : []),
  ];
  if (!ok) return found.join(', ');
  const bounded = exploration?.complete === false ? ' up to its limits, and there are more' : '';
  const isIdle = exploration?.states === 0;
  const explored =
    exploration && !isIdle ? [`explored ${counted(exploration.states, 'state')}${bounded}`] : [];
  const defined = [
    // Without a protocol the only role is `user`, which always exists.
    ...(types > 0 || roles > 1 ? [counted(roles, 'role'), counted(types, 'type')] : []),
    ...countedParts([workflows, 'workflow']),
  ];
  return `${isIdle && types > 0 ? 'no thread can begin' : 'ok'}: ${[...defined, ...found, ...explored].join(', ')}${defaultTimeoutNote(untimed)}`;
}

async function pricesOf({ settings }: Project, definition: Definition): Promise<RolePrice[]> {
  const { rolePrices } = await import('../../project/price.ts');
  return rolePrices(definition, settings.environment);
}

function priceLines(prices: readonly RolePrice[]): string[] {
  if (prices.length === 0) return ['no role runs a program'];
  const rows = prices.map(({ role, provider, model, tokens, from, usd }) => [
    role,
    provider,
    model ?? '',
    tokens === null ? 'unknown' : aboutTokens(tokens),
    usd === null ? 'unknown' : `$${usd.toFixed(4)}`,
    from ?? '',
  ]);
  return [
    '',
    'Tokens that each call reads besides the prompt (system prompt and tools), and their price in the first call:',
    ...table(['ROLE', 'PROVIDER', 'MODEL', 'TOKENS', 'DOLLARS', 'FROM'], rows),
    ...(prices.some(({ tokens }) => tokens === null)
      ? ['`mailroom doctor --probe` measures the agent programs of this machine']
      : []),
  ];
}
