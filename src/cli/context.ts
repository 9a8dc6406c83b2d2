import { resolve } from 'node:path';
import type { Command } from 'commander';
import { MailroomError } from '../kernel/errors.ts';
import type { Project } from '../project/project.ts';
import type { Call } from './call.ts';
import type { TurnPlace } from '../mail/questions/sending.ts';
import type { AddedRoutes } from '../server/http/route.ts';
import type { Streams } from '../server/mcp/at-once.ts';
import type { AddedTools } from '../server/mcp/project.ts';
import type { Terminal } from './terminal.ts';

/** What is available before the command line is read: enough for `--help` and `--version`. */
export interface Start {
  /** The name by which the program was called. */
  readonly name: 'mailroom' | 'orchestrate';
  readonly version: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The working folder of the call. */
  readonly cwd: string;
  /** Whose requests are served; missing: those of this process. */
  readonly streams?: Streams | undefined;
  /** Called once, before a command does its work, which loads its dependencies only then. */
  readonly call: () => Promise<Call>;
}

/** What every command receives. */
export interface Context {
  /** For actions only. */
  readonly call: Call;
  /** Commands in what it prints for people name the project if it is not found from here. */
  readonly terminal: Terminal;
  /** The exit code, once a command has ended. */
  code: number;
  /** The folder of `--project`, absolute; null: the option was not given. */
  readonly named: () => string | null;
  /** The root of the command's project; null: none. */
  readonly root: () => string | null;
  /** The command's project. Throws `E_NO_PROJECT`. */
  readonly project: () => Project;
  /**
   * Like `project`; without one the `entered` folder, or the current folder, becomes the project.
   */
  readonly place: () => Project;
  /** Makes a folder (absolute) the command's project; null: finds the project as usual again. */
  readonly enter: (root: string | null) => void;
  /** Prints which project the command changes if that is not the current folder. */
  readonly announce: () => void;
  /** `mailroom …` for copying: names the project if it is not found from the current folder. */
  readonly commandLine: (words: string) => string;
  /** The name by which the program was called. */
  readonly name: Start['name'];
  readonly streams: Start['streams'];
  /** The turn that runs this command; null: not inside a turn. */
  readonly turn: TurnPlace | null;
  /** Throws `E_INSIDE_TURN` if an agent uses this verb inside its own turn. */
  readonly outsideTurn: (verb: string) => void;
  /** Runs a command, which resolves to its exit code. */
  readonly act: (run: () => Promise<number>) => Promise<void>;
  /** Loads the operations of the HTTP API that extensions add. */
  readonly addedRoutes: AddedRoutes;
  /** The tools that extensions add for a person's agent. */
  readonly addedTools: () => Promise<readonly AddedTools[]>;
  /** The commands and options of the command line. */
  readonly program: Command;
}

/** What a context has of the command line. */
type Given = Pick<Context, 'program' | 'addedRoutes' | 'addedTools'>;

export function makeContext(start: Start, plain: Terminal, given: Given): Context {
  let loaded: Call | null = null;
  const call = (): Call => {
    if (loaded === null) throw new MailroomError('E_INTERNAL', 'the call is for actions only');
    return loaded;
  };
  const named = () => {
    const { project } = given.program.opts<{ project?: string }>();
    return project === undefined ? null : resolve(start.cwd, project);
  };
  // Loaded with the call, as `--help` needs neither.
  let shellWord = (word: string): string => word;
  let entered: string | null = null;
  const found = () => findFrom(call(), named(), start.cwd);
  const root = () => entered ?? found();
  const place = () => root() ?? named() ?? start.cwd;
  const terminal = namingProject(plain, () => (loaded === null ? 'mailroom ' : context.commandLine('')));
  let isAnnounced = false;
  const context: Context = {
    get call() {
      return call();
    },
    terminal,
    code: 0,
    named,
    root,
    turn: turnOf(start),
    project: () => {
      const project = root();
      if (project !== null) return call().openProject(project);
      throw noProject(call(), named() ?? start.cwd);
    },
    place: () => call().openProject(place()),
    enter: (folder) => {
      entered = folder;
    },
    announce: () => {
      if (isAnnounced || context.turn !== null) return;
      isAnnounced = true;
      if (![start.cwd, named()].includes(place())) terminal.complain(`project: ${place()}\n`);
      warnRoot(terminal, call().otherOwner(place()), place());
    },
    name: start.name,
    streams: start.streams,
    commandLine: (words) => {
      const here = call().findProject(start.cwd, false) ?? start.cwd;
      return place() === here ? `${start.name} ${words}` : `${start.name} -C ${shellWord(place())} ${words}`;
    },
    outsideTurn: (verb) => refuseInside(context.turn, verb),
    act: async (run) => {
      ({ shellWord } = await import('../kernel/quoting.ts'));
      loaded = await start.call();
      context.code = await run();
    },
    ...given,
  };
  return context;
}

function findFrom(call: Call, named: string | null, cwd: string): string | null {
  if (named !== null) call.expectFolder(named);
  return call.findProject(named ?? cwd, named !== null);
}

function noProject(call: Call, where: string): MailroomError {
  const hint = call.hasWorkflows(where) ? hintToTouch : hintToInit;
  return new MailroomError('E_NO_PROJECT', `there is no project in ${where} or above it`, hint);
}

/** What root makes in the project of another user, that user cannot change; containers may. */
function warnRoot(terminal: Terminal, owner: number | null, root: string): void {
  if (owner === null) return;
  const user = String(owner);
  terminal.complain(
    `warning: this is root, and user ${user} owns ${root}, whose turns cannot change what root writes; ` +
      `\`sudo -u '#${user}' mailroom …\` runs as that user\n`,
  );
}

/** The beginning of a command in printed text, without an option of its own. */
const printedCommand = /(?<=`|\$ |: )mailroom (?=[a-z])/g;

function refuseInside(turn: Context['turn'], verb: string): void {
  if (turn === null) return;
  const hint = 'a turn can only send, reply and read; ask a person by a message';
  throw new MailroomError('E_INSIDE_TURN', `an agent cannot run \`${verb}\` inside its own turn`, hint);
}

/** A terminal on which printed commands begin with this. */
function namingProject(plain: Terminal, beginning: () => string): Terminal {
  const named = (text: string) => text.replaceAll(printedCommand, beginning);
  return {
    ...plain,
    copyable: named,
    print: (text) => plain.print(named(text)),
    complain: (text) => plain.complain(named(text)),
  };
}

function turnOf({ environment }: Start): Context['turn'] {
  const id = environment['MAILROOM_TURN'] ?? '';
  const {
    MAILROOM_ROLE: role = '',
    MAILROOM_OUTBOX: outbox = '',
    MAILROOM_THREAD: thread = '',
  } = environment;
  const attempt = Number(environment['MAILROOM_ATTEMPT']);
  return id === '' ? null : { id, attempt, role, thread, outbox };
}

const hintToTouch = '`touch mailroom.yaml` makes a project of the folder with these workflows';
const hintToInit = '`mailroom init` makes one here; `-C DIR` names another folder';
