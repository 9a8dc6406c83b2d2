import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kind } from '../matrix.ts';
import type { Kill } from '../order.ts';
import type { Place } from '../place.ts';
import type { EffectName } from './effects.ts';
import { seedJournal } from './history.ts';
import { allow, command, letter, resolveConflict, task } from './person.ts';
import { protocol, scripts, settings, type Workspace } from './team.ts';

/** A command that sends a message. */
interface PersonCommand {
  readonly from: string;
  /** What lies in the inbox of `user` for each time that it has sent. */
  readonly lead: string;
  readonly argv: (place: Place) => readonly string[];
}

/** One kind of work that a controller is killed in. */
export interface MailKind extends Kind {
  /** With a git repository around the project, a trail, and worktrees for threads. */
  readonly git?: boolean;
  /** Each role has a worktree of its own; who resolves conflicts. */
  readonly roles?: 'resolve' | 'author' | 'user';
  /** Makes what lies there before; done once for many. */
  readonly prepare?: (place: Place) => void | Promise<void>;
  /** Gives the work. */
  readonly plant: (place: Place) => void;
  /** What people do before the last start. */
  readonly later?: (place: Place) => void;
  /** What they do once all rests and waits for them; then the controller is started once more. */
  readonly asked?: (place: Place) => string[];
  /** One of the agents asks a person for permission. */
  readonly asks?: true;
  /** What has landed on the branch of the project, by path. */
  readonly landed?: Readonly<Record<string, string>>;
  readonly first?: Kill<EffectName>;
  /** The command of a person that is killed, and repeated before the controller works; absent: it is the controller. */
  readonly command?: PersonCommand;
  /** What lies in the inbox of `user` when all is over, as `type subject`; a copy of each. */
  readonly leads: readonly string[];
}

/** The real controller works until nothing more happens by itself. */
export const upUntilIdle = ['up', '--until-idle', '--json'];

/** The project that all kinds of work have in common. */
export async function found(kind: MailKind, place: Place): Promise<void> {
  const trail = kind.git === true;
  const asks = kind.asks === true;
  // A sandbox that is required refuses who only asks as it sees fit.
  const sandbox = place.containment === 'bubblewrap' && !asks;
  place.write('mailroom.yaml', settings({ trail, sandbox }));
  place.write('protocols/team.yaml', protocol(workspaceOf(kind), asks));
  for (const [name, text] of Object.entries(scripts)) place.write(name, text);
  if (trail) foundRepository(place);
  await kind.prepare?.(place);
}

function workspaceOf({ git, roles }: MailKind): Workspace {
  if (roles !== undefined) return `{ worktree: role, on_conflict: ${roles} }`;
  return git === true ? 'worktree' : '.';
}

/** With so many packs that git is asked to roll them up. */
function foundRepository(place: Place): void {
  place.git('init', '--quiet', '--initial-branch=main');
  place.write('.gitignore', '.mailroom/\nagents/\nasked.log\ntold.log\n.drop/\n');
  place.git('add', '-A');
  place.git('commit', '--quiet', '-m', 'Begin');
  const packs = join(place.root, '.git', 'objects', 'pack');
  mkdirSync(packs, { recursive: true });
  for (let number = 0; number < 41; number += 1) {
    const file = join(place.root, 'pack.txt');
    writeFileSync(file, `Pack ${String(number)}\n`);
    const blob = place.git('hash-object', '-w', 'pack.txt');
    place.pack(blob);
  }
  place.remove('pack.txt');
}

/** A workflow that `up` confirms, and nothing starts. */
const workflow = `name: told
version: "1"
timeout: 1m
triggers: {}
steps: { one: { command: ["true"] } }
`;

export const kinds: readonly MailKind[] = [
  {
    name: 'delivery',
    what: 'mail for a person and for a paused role, mail that is refused, a command, mail that was read',
    prepare: async (place) => {
      task(place, 'plain old');
      const { code, stderr } = await place.run(upUntilIdle, { kill: null });
      if (code !== 0) throw new Error(`the old task is not done: ${stderr}`);
    },
    plant: (place) => {
      for (const name of place.list('agents/user/inbox')) place.remove(`agents/user/inbox/${name}`);
      const [month = ''] = place.list('agents/maker/processed');
      const [old = ''] = place.list(`agents/maker/processed/${month}`);
      place.drop(`agents/maker/inbox/${old}`, place.read(`agents/maker/processed/${month}/${old}`));
      command(place, 1, 'pause', { kind: 'role', role: 'maker' });
      place.write('workflows/told.yaml', workflow);
      place.drop('.mailroom/control/nonsense.json', '{"verb": 5}');
      place.drop('agents/user/outbox/note.md', letter('note', 'note', 'to: boss\n'));
      place.drop('agents/boss/outbox/word.md', letter('word', 'word', 'to: user\n'));
      place.drop('agents/maker/inbox/bad.md', letter('nonsense', 'bad'));
      place.drop('agents/maker/inbox/binary.md', new Uint8Array([1, 0, 2]));
      task(place, 'plain held');
    },
    later: (place) => command(place, 2, 'unpause', { kind: 'role', role: 'maker' }),
    leads: [
      'done plain held',
      'notice Quiet',
      'notice Quiet',
      'notice Refused',
      'notice Refused',
      'notice Refused',
      'word word',
    ],
  },
  {
    name: 'turn running',
    what: 'an agent that ignores TERM, with a child that left its session and ignores it too',
    plant: (place) => task(place, 'deaf'),
    leads: ['done deaf'],
  },
  {
    name: 'turn stopping',
    what: 'a turn of a deaf agent that is cancelled',
    commands: true,
    plant: (place) => task(place, 'cancel'),
    leads: ['notice Quiet'],
  },
  {
    name: 'turn committing',
    what: 'a gated request with a long text, its reply, and a message from the role’s own outbox',
    plant: (place) => {
      task(place, 'review');
      task(place, 'aside');
    },
    leads: ['aside aside', 'done aside', 'done review'],
  },
  {
    name: 'correction',
    what: 'turns that break the protocol first, with and without a session',
    plant: (place) => {
      task(place, 'wrong');
      task(place, 'wrong too', 'writer');
    },
    leads: ['done wrong', 'done wrong too'],
  },
  {
    name: 'retry',
    what: 'an agent that fails, then reaches its usage limit, then works',
    plant: (place) => task(place, 'again'),
    leads: ['done again'],
  },
  {
    name: 'deadlock',
    what: 'a request whose recipient waits for a message that is never sent',
    plant: (place) => place.drop('agents/one/inbox/go.md', letter('go', 'crossed')),
    leads: ['notice Stuck', 'notice Thread'],
  },
  {
    name: 'trail commit',
    what: 'turns in git worktrees, gates on what changed, commits on the branch of the trail, many packs',
    git: true,
    plant: (place) => {
      task(place, 'plain first');
      task(place, 'review');
    },
    leads: ['done plain first', 'done review'],
  },
  {
    name: 'rotation',
    what: 'a journal that begins a new segment and takes a snapshot',
    prepare: seedJournal,
    plant: (place) => task(place, 'review'),
    leads: ['done review'],
  },
  {
    name: 'other kinds',
    what: 'folders in the place of files that the controller keeps, and files in that of folders',
    plant: (place) => {
      task(place, 'plain kept');
      for (const name of ['boot', 'confirmed', 'lock.json']) place.write(`.mailroom/${name}/in`, '');
      for (const name of ['tmp', 'control', 'refused']) place.write(`.mailroom/${name}`, 'x');
    },
    leads: ['done plain kept'],
  },
  {
    name: 'sending',
    what: 'a person sends a task while no controller runs, and repeats the command after the crash',
    plant: () => {},
    command: {
      from: 'user',
      lead: 'done plain sent',
      argv: () => ['send', 'maker', '--type', 'task', '--message', 'plain sent'],
    },
    leads: [],
  },
  {
    name: 'answering',
    what: 'a person answers a message while no controller runs, and repeats the command after the crash',
    prepare: async (place) => {
      place.drop('agents/user/outbox/note.md', letter('note', 'note', 'to: boss\n'));
      const { code, stderr } = await place.run(upUntilIdle, { kill: null });
      if (code !== 0) throw new Error(`the note is not delivered: ${stderr}`);
    },
    plant: () => {},
    command: {
      from: 'boss',
      lead: 'word answered',
      argv: (place) => {
        const [note = ''] = place.list('agents/boss/inbox');
        return ['reply', note.slice(-39, -3), '--as', 'boss', '--type', 'word', '--message', 'answered'];
      },
    },
    leads: ['notice Quiet', 'notice Quiet'],
  },
  {
    name: 'recovery',
    what: 'a controller was killed while a deaf agent ran; the next is killed while it recovers, and the one after it',
    plant: (place) => task(place, 'deaf'),
    first: { name: 'turn.release', nth: 1, moment: 'after' },
    leads: ['done deaf'],
  },
  {
    name: 'torn line',
    what: 'a controller was killed in the middle of an append; the next is killed while it recovers, and the one after it',
    plant: (place) => task(place, 'plain torn'),
    first: { name: 'journal.append', nth: 3, moment: 'during' },
    leads: ['done plain torn'],
  },
  {
    name: 'question',
    what: 'an agent that asks a person whether it may run a command',
    asks: true,
    plant: (place) => task(place, 'permit', 'asker'),
    asked: (place) => (allow(place, 4) ? [] : ['nothing was asked']),
    leads: ['done permit'],
  },
  {
    name: 'question answered',
    what: 'a person has allowed what an agent asked for, and it continues',
    asks: true,
    prepare: async (place) => {
      task(place, 'permit', 'asker');
      const { code, stderr } = await place.run(upUntilIdle, { kill: null });
      if (code !== 0) throw new Error(`nothing was asked: ${stderr}`);
    },
    plant: (place) => void allow(place, 4),
    // An attempt that was killed asks again.
    asked: (place) => {
      allow(place, 5);
      return [];
    },
    leads: ['done permit'],
  },
  {
    name: 'roles in parallel',
    what: 'two roles in git worktrees of their own, whose commits are merged for a third',
    git: true,
    roles: 'resolve',
    plant: (place) => task(place, 'pair'),
    leads: ['done pair'],
  },
  {
    name: 'checkout undone',
    what: 'two roles in git worktrees, which remove the file that makes them one, and leave a lock there',
    git: true,
    roles: 'resolve',
    outside: true,
    plant: (place) => task(place, 'pair undone'),
    leads: ['done pair undone'],
  },
  {
    name: 'landing',
    what: 'two tasks whose work lands on the branch that the person has checked out, each after a check',
    git: true,
    roles: 'resolve',
    plant: (place) => {
      task(place, 'land one');
      task(place, 'land two');
    },
    landed: { 'made/one.txt': 'land one\n', 'made/two.txt': 'land two\n' },
    leads: ['shipped land one', 'shipped land two'],
  },
  {
    name: 'sub-threads',
    what: 'a role that hands two parts out in sub-threads, and gets them back merged',
    git: true,
    roles: 'resolve',
    plant: (place) => task(place, 'parts'),
    leads: ['done parts'],
  },
  {
    name: 'conflict',
    what: 'two roles that change one file, and a third that begins with the conflict',
    git: true,
    roles: 'resolve',
    plant: (place) => task(place, 'pair clash'),
    leads: ['done pair clash'],
  },
  {
    name: 'conflict of an author',
    what: 'two roles that change one file; the later one must resolve the conflict',
    git: true,
    roles: 'author',
    plant: (place) => task(place, 'pair clash'),
    leads: ['done pair clash'],
  },
  {
    name: 'conflict of a person',
    what: 'two roles that change one file, and a person who is asked to resolve the conflict',
    git: true,
    roles: 'user',
    plant: (place) => task(place, 'pair clash'),
    asked: resolveConflict,
    leads: ['done pair clash'],
  },
  {
    name: 'conflict resolved',
    what: 'a person has resolved a conflict, and the turn continues with that',
    git: true,
    roles: 'user',
    prepare: async (place) => {
      task(place, 'pair clash');
      await place.run(upUntilIdle, { kill: null });
      const problems = resolveConflict(place);
      if (problems.length > 0) throw new Error(problems.join('; '));
    },
    // The project is a copy: its checkouts lie elsewhere than git knows.
    plant: (place) => {
      for (const name of place.list('.mailroom/worktrees')) {
        const [own, git] = [`.git/worktrees/${name}`, `.mailroom/worktrees/${name}/.git`];
        place.write(`${own}/gitdir`, `${join(place.root, git)}\n`);
        place.write(git, `gitdir: ${join(place.root, own)}\n`);
      }
    },
    leads: ['done pair clash'],
  },
];

/** A task that comes after the crash: that it is done shows that work goes on. */
export function plantFresh(place: Place): void {
  task(place, 'plain fresh');
}

export const freshLead = 'done plain fresh';
