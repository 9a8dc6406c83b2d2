import { hostname } from 'node:os';
import type { Context } from '../../../cli/context.ts';
import { MailroomError } from '../../../kernel/errors.ts';
import { stepKinds, type StepKind } from '../../../kernel/step-queues.ts';
import { untilEnd } from '../../../cli/until-end.ts';
import { Workers } from '../workers.ts';

interface WorkerOptions {
  readonly roles?: string;
  readonly steps?: string;
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
  const names = options.roles === undefined ? [] : namesIn('--roles', options.roles, 'engineer,qa');
  const steps = options.steps === undefined ? [] : stepsIn(options.steps);
  if (names.length + steps.length === 0)
    throw new MailroomError(
      'E_USAGE',
      'nothing says what it runs',
      'name roles with `--roles`, kinds of steps of workflows with `--steps`, or both',
    );
  const labels = options.labels === undefined ? [] : namesIn('--labels', options.labels, 'linux,gpu');
  const slots = slotsIn(options.slots);
  const login = options.login === undefined ? hostname() : nameIn('--login', options.login, 'team-a');
  const takes = { roles: names, steps, labels, login, slots };
  const host = await new Workers(project).open({ queue: options.queue ?? null, ...takes, say });
  const taken = [
    ...(names.length === 0 ? [] : [`turns of ${names.join(', ')}`]),
    ...(steps.length === 0 ? [] : [`steps of workflows: ${steps.join(', ')}`]),
  ];
  say(`worker: takes ${taken.join('; ')}`);
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

function stepsIn(given: string): StepKind[] {
  const names = namesIn('--steps', given, 'agents,commands');
  const known = stepKinds.filter((kind) => names.includes(kind));
  if (known.length === names.length) return known;
  const hint = 'agents: steps with an agent; commands: scripts and commands of workflows';
  throw new MailroomError('E_USAGE', `\`--steps\` must be agents, commands or both, not \`${given}\``, hint);
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
