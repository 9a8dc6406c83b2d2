import type { Context } from '../context.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { untilEnd } from '../until-end.ts';

export interface WorkerOptions {
  readonly roles: string;
  readonly slots?: string;
  readonly queue?: string;
}

export async function worker(context: Context, { roles, slots, queue }: WorkerOptions): Promise<number> {
  context.outsideTurn('worker');
  const project = context.project();
  context.announce();
  const { terminal } = context;
  const say = (text: string) => terminal.print(`${text}\n`);
  const names = rolesIn(roles);
  const host = await project.worker({ queue: queue ?? null, roles: names, slots: slotsIn(slots), say });
  say(`worker: takes turns of ${names.join(', ')}`);
  const ending = {
    stopping: 'Stopping once running turns have finished',
    atOnce: 'ended at once; its turns are taken from it after the lease',
    end: () => host.end('drain'),
  };
  await untilEnd(terminal, { say, close: () => Promise.resolve() }, ending, () => host.run());
  say('stopped');
  return 0;
}

function rolesIn(given: string): string[] {
  const roles = given.split(',').map((role) => role.trim());
  const wrong = roles.find((role) => !/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(role));
  if (wrong === undefined) return [...new Set(roles)];
  throw new MailroomError(
    'E_USAGE',
    `\`--roles\` must be names of roles with commas between them, not \`${given}\``,
    'write for example --roles engineer,qa',
  );
}

function slotsIn(given = '1'): number {
  if (/^[1-9]\d{0,2}$/.test(given)) return Number(given);
  throw new MailroomError('E_USAGE', `\`--slots\` must be a number from 1 to 999, not \`${given}\``);
}
