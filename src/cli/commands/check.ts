import type { Command } from 'commander';
import type { Protocol } from '../../core/mail/protocol.ts';
import type { Context } from '../context.ts';
import { json } from '../output.ts';
import { paintDiagnostics } from '../failures.ts';

/** `check`: everything that is wrong with the protocol and the settings; starts nothing. */
export function addCheck(program: Command, context: Context): void {
  program
    .command('check')
    .description('check mailroom.yaml and protocols/ without starting anything')
    .option('--explore', 'only look for states in which somebody waits for ever')
    .option('--no-explore', 'do not look for such states')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  $ mailroom check && mailroom up')
    .action(context.act((options: CheckOptions) => runCheck(context, options)));
}

interface CheckOptions {
  /** Undefined: explore, and tell everything else too. */
  readonly explore?: boolean;
  readonly json?: boolean;
}

async function runCheck(context: Context, options: CheckOptions): Promise<number> {
  const [{ check }, { stuckStates }] = await Promise.all([
    import('../../engine/operations/check.ts'),
    import('../../engine/operations/stuck-states.ts'),
  ]);
  const { terminal } = context;
  const look = (protocol: Protocol) => stuckStates(protocol, () => performance.now());
  const explore = options.explore === false ? null : look;
  const { document, text } = await check(context.project(), explore, options.explore === true);
  const code = document.ok ? 0 : 2;
  if (options.json === true) {
    terminal.write(json(document));
    return code;
  }
  if (text !== '') terminal.complain(`${paintDiagnostics(text, terminal.colours)}\n\n`);
  const { roles, types, errors, warnings } = document;
  const counted = (count: number, what: string) => `${String(count)} ${what}${count === 1 ? '' : 's'}`;
  const found = [
    ...(errors.length > 0 ? [counted(errors.length, 'error')] : []),
    ...(warnings.length > 0 ? [counted(warnings.length, 'warning')] : []),
  ].join(', ');
  const size = `${counted(roles, 'role')}, ${counted(types, 'type')}`;
  terminal.write(document.ok ? `ok: ${size}${found === '' ? '' : ` (${found})`}\n` : `${found}\n`);
  return code;
}
