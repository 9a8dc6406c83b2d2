import { counted } from '../../kernel/enumerate.ts';
import type { Context } from '../context.ts';
import type { CheckDocument } from '../../project/check.ts';
import { countedParts, defaultTimeoutNote } from '../format.ts';
import { json } from '../output.ts';
import { complainOf } from '../failures.ts';

interface CheckOptions {
  /** Undefined: explore, and report everything else too. */
  readonly explore?: boolean;
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
  const { document, text } = await check(project, exploring);
  const code = document.ok ? 0 : document.errors.some((error) => error.code === 'E_PATH') ? 3 : 2;
  if (options.json === true) {
    terminal.write(json(document));
    return code;
  }
  complainOf(text, terminal);
  terminal.print(`${summary(document)}\n`);
  return code;
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
  const explored = exploration ? [`explored ${counted(exploration.states, 'state')}${bounded}`] : [];
  const defined = [
    // Without a protocol the only role is `user`, which always exists.
    ...(types > 0 || roles > 1 ? [counted(roles, 'role'), counted(types, 'type')] : []),
    ...countedParts([workflows, 'workflow']),
  ];
  return `ok: ${[...defined, ...found, ...explored].join(', ')}${defaultTimeoutNote(untimed)}`;
}
