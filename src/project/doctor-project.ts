import { counted } from '../kernel/enumerate.ts';
import { join } from 'node:path';
import type { Finding } from '../kernel/finding.ts';
import type { Config } from '../config/config.ts';
import { MailroomError } from '../kernel/errors.ts';
import { type Protocol, providersOf } from '../mail/format/protocol.ts';
import { misplacedMail, misplacedText } from '../mail/mailboxes/misplaced.ts';
import { probeContainment } from '../process/sandbox/containment.ts';
import { refsIn } from '../git/broken-refs.ts';
import { git } from '../git/git.ts';
import { distrust, trailPlace } from '../git/trail-place.ts';
import { findProgram } from '../process/proc.ts';
import { presentHolder } from '../host/holding.ts';
import { geteuid } from 'node:process';
import { filesOfOthers } from '../disk/owners.ts';
import type { Disk } from '../disk/disk.ts';
import { RealDisk } from '../disk/real-disk.ts';
import { refusalToWriteIn, roomIn } from '../disk/writable.ts';
import { readDefinition, SettingsReader, type Surroundings } from './definition/definition.ts';
import { unusedNotices, unusedRules } from './definition/rules.ts';
import { otherVersion, refuseNewer } from './state-format.ts';
import { trackedState } from '../host/tracked.ts';
import { workspaceProblem } from './definition/workspace-problem.ts';
import { howToGet, programFor } from './definition/programs.ts';
import { examineChannels } from './doctor-channels.ts';

/** What would not work in the project. */
export async function examineProject(root: string, surroundings: Surroundings): Promise<Finding[]> {
  const { environment } = surroundings;
  try {
    const disk = new RealDisk(root);
    refuseNewer(disk);
    const definition = await readDefinition(disk, new SettingsReader(disk, surroundings));
    const holder = presentHolder(disk);
    const held: Finding[] =
      holder === null
        ? []
        : [{ topic: 'controller', state: 'info', text: `process ${String(holder.pid)} on ${holder.host}` }];
    const here = [folder(root, disk), ...space(root), ...owners(root)];
    if (!definition.ok) {
      const text = `${counted(definition.problems.length, 'problem')}; see \`mailroom check\``;
      return [...here, { topic: 'protocol', state: 'problem', text }, ...held, ...(await ignored(root))];
    }
    const { protocol, config } = definition.value;
    return [
      ...here,
      rolesAndTypes(protocol, definition.warnings.length),
      ...players(protocol, config, root, environment),
      ...(await worktrees(root, protocol)),
      ...(await sandbox(config)),
      ...(await trail(root, config)),
      ...(await extensions(disk, config, surroundings)),
      ...examineChannels(disk, config, environment),
      ...misplacedMail(disk, protocol, config).map((each): Finding => {
        return { topic: 'mail', state: 'warning', text: misplacedText(each) };
      }),
      ...held,
      ...(holder?.triggers === true ? await unused(disk, protocol) : []),
      ...(await ignored(root)),
    ];
  } catch (error) {
    if (!(error instanceof MailroomError)) throw error;
    const text = error.code === 'E_NEWER' ? `${error.message}: ${error.hint ?? ''}` : error.message;
    return [{ topic: 'project', state: 'problem', text }];
  }
}

function folder(root: string, disk: Disk): Finding {
  const folders = [root, ...(disk.look('.mailroom') === null ? [] : [join(root, '.mailroom')])];
  const refusal = folders.map(refusalToWriteIn).find((each) => each !== null);
  if (refusal === undefined) return { topic: 'project', state: 'ok', text: `${root}${otherVersion(disk)}` };
  const text = `${refusal.message}: ${refusal.hint ?? 'this user must not write there'}`;
  return { topic: 'project', state: 'problem', text };
}

/** What the owner's turns cannot change, as another user ran Mailroom here; empty: nothing. */
function owners(root: string): Finding[] {
  const found = filesOfOthers(root);
  const [first] = found;
  if (first === undefined) return [];
  const text = `${counted(found.length, 'file')} of other users than the owner of ${root}, such as ${first}: its turns may be held. \`chown -R --reference=. agents .mailroom\`, as root in that folder, gives them to the owner`;
  return [{ topic: 'owner', state: geteuid?.() === 0 ? 'warning' : 'problem', text }];
}

const megabyte = 1024 * 1024;
/** Below this nothing of a turn fits, and above the other nothing is said. */
const [tooLittle, little] = [megabyte, 100 * megabyte];

/** Whether the file system of the project is full, or nearly; empty: it is not. */
function space(root: string): Finding[] {
  const room = roomIn(root);
  if (room >= little) return [];
  const left = `${(room / megabyte).toFixed(1)} MB are left on the file system of ${root}`;
  if (room >= tooLittle) return [{ topic: 'disk', state: 'warning', text: left }];
  return [{ topic: 'disk', state: 'problem', text: `${left}: work waits until you free some space` }];
}

/** What the running controller does not use yet. */
async function unused(disk: Disk, { roles }: Protocol): Promise<Finding[]> {
  const notices = await unusedNotices(disk, unusedRules(disk, roles.keys()));
  return notices.map((text): Finding => ({ topic: 'rules', state: 'warning', text }));
}

/** What extensions find. */
async function extensions(
  disk: Disk,
  config: Config,
  { environment, hooks = [] }: Surroundings,
): Promise<Finding[]> {
  const found = hooks.flatMap(({ examine }) => examine?.({ disk, config, environment }) ?? []);
  return (await Promise.all(found)).flat();
}

function rolesAndTypes({ roles, types }: Protocol, warnings: number): Finding {
  const text = `${counted(roles.size, 'role')}, ${counted(types.size, 'type')}`;
  if (warnings === 0) return { topic: 'protocol', state: 'ok', text };
  const more = `${counted(warnings, 'warning')}; see \`mailroom check\``;
  return { topic: 'protocol', state: 'warning', text: `${text}, ${more}` };
}

/** Providers of roles whose program is not installed. */
function players(
  { roles }: Protocol,
  config: Config,
  root: string,
  environment: Surroundings['environment'],
): Finding[] {
  const wanted = new Set([...roles.values()].flatMap((role) => providersOf(role)));
  return [...wanted].flatMap((provider): Finding[] => {
    const program = programFor(config, provider, environment);
    const state = program === null ? 'found' : findProgram(program, environment['PATH'], root);
    if (state === 'found') return [];
    const those = (plays: boolean) =>
      [...roles.values()]
        .filter((role) => providersOf(role).includes(provider) && (role.provider === provider) === plays)
        .map(({ name }) => name)
        .join(', ');
    const [played, fallbackOf] = [those(true), those(false)];
    const what = state === 'missing' ? 'not found' : 'not executable';
    const whose = played === '' ? `it is the fallback of ${fallbackOf}` : `it plays ${played}`;
    const get = howToGet(config, provider, program ?? '');
    const text = `\`${program ?? ''}\` is ${what}${get}, and ${whose}`;
    return [{ topic: provider, state: played === '' ? 'warning' : 'problem', text }];
  });
}

async function worktrees(root: string, protocol: Protocol): Promise<Finding[]> {
  const problem = await workspaceProblem(root, protocol);
  if (problem === null) return [];
  return [{ topic: 'worktree', state: 'problem', text: `${problem.message}; ${problem.hint ?? ''}` }];
}

async function trail(root: string, { trail: configured }: Config): Promise<Finding[]> {
  if (configured === null) return [];
  const place = await trailPlace(configured.branch, (args) => git(args, { cwd: root }));
  // That there is no repository is said with what git ignores.
  const note = typeof place === 'string' ? null : place.note;
  return note === null ? [] : [{ topic: 'trail', state: 'info', text: note }];
}

async function sandbox(config: Config): Promise<Finding[]> {
  const topic = 'sandbox';
  if (config.sandbox === 'off')
    return [{ topic, state: 'info', text: '`sandbox: off` in mailroom.yaml: no process runs in one' }];
  const { bubblewrap } = await probeContainment();
  if (config.sandbox !== 'required' || bubblewrap.works) return [];
  const text = '`sandbox: required` in mailroom.yaml, and there is none: nothing starts here';
  return [{ topic, state: 'problem', text }];
}

/** Without its filter git takes the pointers of LFS for the content of the files. */
async function lfs(root: string): Promise<Finding[]> {
  const files = await git(['ls-files', '--', ':(top,attr:filter=lfs)'], { cwd: root });
  if (files.exitCode !== 0 || files.stdout === '') return [];
  const filter = await git(['config', '--get-regexp', String.raw`^filter\.lfs\.(process|smudge)$`], {
    cwd: root,
  });
  const program = await git(['lfs', 'version'], { cwd: root });
  const lacks = program.exitCode === 0 ? '' : 'install git-lfs, then ';
  if (filter.stdout === '') {
    const text = `git has no filter for files in LFS, such as ${files.stdout.split('\n')[0] ?? ''}: they hold pointers, and changed ones are committed as plain files; ${lacks}run \`git lfs install\` and \`git lfs pull\``;
    return [{ topic: 'git', state: 'problem', text }];
  }
  const text = 'files are in LFS, and git-lfs is not installed: no checkout can be made';
  return lacks === '' ? [] : [{ topic: 'git', state: 'problem', text }];
}

/** Stash, clean and checkout would move mail that git tracks; and what keeps git from working. */
async function ignored(root: string): Promise<Finding[]> {
  const { broken } = await refsIn(root);
  const refs = broken.map((text): Finding => ({ topic: 'git', state: 'problem', text }));
  return [...refs, ...(await lfs(root)), ...(await ignoring(root))];
}

async function ignoring(root: string): Promise<Finding[]> {
  const inside = await git(['rev-parse', '--is-inside-work-tree'], { cwd: root });
  if (inside.exitCode !== 0) {
    const text = distrust(inside) ?? 'not in a git repository: `git init` gives the mail a history';
    return [{ topic: 'trail', state: 'warning', text }];
  }
  const [tracked] = await trackedState(new RealDisk(root));
  if (tracked !== undefined)
    return [
      {
        topic: 'gitignore',
        state: 'problem',
        text: `git tracks ${tracked}, so the author of this repository may have created .mailroom/, and nothing starts (E_TRACKED)`,
      },
    ];
  const paths = ['.mailroom/journal', 'agents/x/inbox/x.md', 'agents/x/processed/x.md'];
  const checked = await Promise.all(
    paths.map((path) => git(['check-ignore', '-q', join(root, path)], { cwd: root })),
  );
  const missing = paths.filter((_path, index) => checked[index]?.exitCode !== 0);
  if (missing.length === 0) return [{ topic: 'gitignore', state: 'ok', text: 'git ignores the mail' }];
  return [
    {
      topic: 'gitignore',
      state: 'warning',
      text: `git does not ignore ${missing.join(', ')}: stash, clean and checkout would move mail. \`mailroom doctor --fix\` adds the lines`,
    },
  ];
}
