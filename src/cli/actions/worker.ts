import { hostname } from 'node:os';
import type { Context } from '../context.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { untilEnd } from '../until-end.ts';

export interface WorkerOptions {
  readonly roles: string;
  readonly labels?: string;
  readonly login?: string;
  readonly slots?: string;
  readonly queue?: string;
}

export async function worker(context: Context, options: WorkerOptions): Promise<number> {
  context.outsideTurn('worker');
  const project = context.project();
  context.announce();
  const { terminal } = context;
  const say = (text: string) => terminal.print(`${text}\n`);
  const names = namesIn('--roles', options.roles, 'engineer,qa');
  const labels = options.labels === undefined ? [] : namesIn('--labels', options.labels, 'linux,gpu');
  const slots = slotsIn(options.slots);
  const login = options.login === undefined ? hostname() : nameIn('--login', options.login, 'team-a');
  const takes = { roles: names, labels, login, slots };
  const host = await project.worker({ queue: options.queue ?? null, ...takes, say });
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

function namesIn(option: string, given: string, example: string): string[] {
  const names = given.split(',').map((each) => each.trim());
  if (names.every((each) => /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(each))) return [...new Set(names)];
  throw new MailroomError(
    'E_USAGE',
    `\`${option}\` must be names with commas between them, not \`${given}\``,
    `write for example ${option} ${example}`,
  );
}

function nameIn(option: string, given: string, example: string): string {
  const [name = '', ...more] = namesIn(option, given, example);
  if (more.length === 0) return name;
  throw new MailroomError('E_USAGE', `\`${option}\` must be one name, not \`${given}\``);
}

function slotsIn(given = '1'): number {
  if (/^[1-9]\d{0,2}$/.test(given)) return Number(given);
  throw new MailroomError('E_USAGE', `\`--slots\` must be a number from 1 to 999, not \`${given}\``);
}
