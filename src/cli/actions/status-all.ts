import { MailroomError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { line, money, table } from '../format.ts';
import { json } from '../output.ts';
import type { StatusDocument } from '../../documents/status.ts';

interface ProjectStatus {
  readonly root: string;
  /** Null: it cannot be read. */
  readonly status: StatusDocument | null;
  /** Why it cannot be read; null: it can. */
  readonly problem: string | null;
}

/**
 * The status of every project in the person's list, in short; `dropGone`: removes those that no
 * longer exist from the list.
 */
export async function statusOfAll(context: Context, asJson: boolean, dropGone: boolean): Promise<number> {
  const { call, terminal } = context;
  const { projects } = call;
  const listed = projects.list();
  const gone = listed.filter((root) => call.findProject(root, true) !== root);
  const found: ProjectStatus[] = [];
  for (const root of listed.filter((each) => !gone.includes(each))) found.push(await statusOf(context, root));
  if (dropGone && gone.length > 0) projects.drop(gone);
  if (asJson) {
    terminal.write(json({ schema: 1, list: projects.file, projects: found, gone, dropped: dropGone }));
    return 0;
  }
  terminal.print(`${lines(context, found).join('\n')}\n`);
  for (const root of gone)
    terminal.print(`gone  ${line(root)}${dropGone ? ': removed from the list' : ''}\n`);
  if (gone.length > 0 && !dropGone)
    terminal.print('To remove them from the list: mailroom status --all --drop-gone\n');
  return 0;
}

async function statusOf({ call, terminal }: Context, root: string): Promise<ProjectStatus> {
  const { readStatus } = await import('../../mail/questions/read-status.ts');
  try {
    const project = call.openProject(root);
    return { root, status: await readStatus(project, terminal.now()), problem: null };
  } catch (error) {
    if (!(error instanceof MailroomError)) throw error;
    return { root, status: null, problem: `${error.code}: ${error.message}` };
  }
}

function lines({ call }: Context, found: readonly ProjectStatus[]): string[] {
  if (found.length === 0)
    return [
      `no projects are listed in ${call.projects.file ?? 'your configuration folder'}; ` +
        '`mailroom up` and `init` on a terminal add them; elsewhere write the path of each into it, one on a line',
    ];
  const rows = found.map(({ root, status, problem }) =>
    status === null
      ? [line(root), '', '', '', '', '', line(problem ?? '')]
      : [line(root), ...figures(status)],
  );
  return table(['PROJECT', 'UP', 'RUNNING', 'OPEN', 'FOR YOU', 'TODAY', 'PROBLEMS'], rows);
}

function figures({ controller, turns, runs, threads, roles, cost, problems }: StatusDocument): string[] {
  const running = [...turns, ...runs].filter(({ state }) => state === 'running').length;
  const open = threads.filter(({ state }) => state === 'open').length;
  const inbox = roles.find(({ name }) => name === 'user')?.inbox ?? 0;
  const gates = runs.reduce((sum, run) => sum + run.gates.length, 0);
  return [
    controller === null ? 'no' : 'yes',
    String(running),
    String(open),
    String(inbox + gates),
    money(cost.today),
    problems.length === 0 ? '' : line(problems[0] ?? ''),
  ];
}
