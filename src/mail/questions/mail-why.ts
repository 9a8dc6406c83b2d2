import { because, type Why, type WhyCode } from '../../kernel/why.ts';
import { parentOf } from '../../disk/disk.ts';
import { refusalToRead } from '../../disk/contents.ts';
import { orElse } from '../../kernel/contained.ts';
import { isPassing } from '../../kernel/passing.ts';
import { isHeldBecause } from '../../host/host-waits.ts';
import { expectedNow } from '../host/project.ts';
import { limitInTheWay } from '../machine/explain/failed.ts';
import { over, type MailAct, type MailWhy } from '../machine/explain/words.ts';
import { controlFolder } from '../../host/control.ts';
import { isHuman, type Protocol } from '../format/protocol.ts';
import { answerTypes, mayAnswer, replyCommands, requiredFields, turnCommand } from '../machine/answering.ts';
import { changesOf } from '../machine/landing.ts';
import type { MailState } from '../machine/state.ts';
import { endOfId, type MessageId, type RoleName } from '../../kernel/ids.ts';
import type { Project } from '../../project/project.ts';
import { parseMessage } from '../format/read-message.ts';
import { withDoctor, withoutHost, type HostAct } from '../../documents/explained.ts';
import { recordedPause, type Subject } from './recorded-pause.ts';

/** Nothing waits for a role, as far as the journal knows. */
const withoutMail: ReadonlySet<WhyCode> = new Set(['no_mail', 'login_missing', 'failed']);

interface Hosted extends Subject {
  readonly state: MailState;
  readonly protocol: Protocol;
  /** What a controller would report, where none runs. */
  readonly unhosted?: () => readonly string[];
  /** The same, where it is said elsewhere that none runs. */
  readonly problems?: readonly string[];
}

/**
 * The same with what only the host and the folders show: that none runs, what it reports, files
 * that it has not accepted.
 */
export function hostedMail(
  said: MailWhy,
  project: Project,
  { state, protocol, problems: known, unhosted: found = () => known ?? [], ...subject }: Hosted,
): Why<MailAct | HostAct> {
  const why = raisedFirst(said, { state, protocol });
  const holder = project.holder();
  const { role } = subject;
  const problems = holder?.problems ?? found();
  const reason = role === null || !withoutMail.has(why.code) ? null : whyNone(project, state, role, problems);
  const own = reason === null ? why : because<MailAct>('not_accepted', reason);
  if (holder === null) {
    const named = own.code !== 'due' || role === null ? undefined : nameOf(problems, role);
    // Starting a controller does not install what is missing.
    if (named !== undefined) return withDoctor(because('host_problem', named));
    return known === undefined ? unhosted(own, project, subject) : own;
  }
  if (own.code !== 'due') return withDoctor(own);
  const problem = problemOf(project, problems, role);
  if (problem !== undefined) return withDoctor({ ...own, code: 'host_problem', reason: problem });
  if (state.protocol === '' || state.protocol === project.hash()) return own;
  return {
    ...own,
    code: 'protocol_changed',
    reason:
      'the controller still follows the protocol that it read at its start; `mailroom status` says who changed what since',
  };
}

/** What would only fail again names the limit that comes first, and is not proposed alone. */
function raisedFirst(why: MailWhy, { state, protocol }: Pick<Hosted, 'state' | 'protocol'>) {
  const { act } = why;
  if (act?.do !== 'retry' && act?.do !== 'send') return why;
  const thread = act.do === 'send' ? act.thread : state.mail.get(act.message)?.message.thread;
  const role = act.do === 'send' ? act.to : act.role;
  const limit = thread === undefined ? null : limitInTheWay(state, protocol, thread, role);
  if (limit === null) return why;
  const then = mailCommand(state, protocol, act) ?? '';
  return { ...why, reason: `${why.reason}; raise \`${limit}\` first, then \`${then}\``, act: null };
}

/**
 * Without a controller a person's part comes first, and what she has done takes effect when one
 * starts.
 */
function unhosted(why: MailWhy, project: Project, subject: Subject): Why<MailAct | HostAct> {
  const pause = why.code === 'no_mail' || !over.has(why.code) ? recordedPause(project, subject) : null;
  if (pause !== null) return pause;
  if (over.has(why.code)) return why;
  if (hasRecorded(project)) {
    const recorded = because<MailAct>('host_not_running', 'what is recorded takes effect when one starts');
    return withoutHost(recorded, 'no controller runs', 'mailroom up');
  }
  return why.act === null ? withoutHost(why, 'no controller runs', 'mailroom up') : why;
}

/** Whether commands or messages wait for a controller. */
function hasRecorded(project: Project): boolean {
  const isSent = (role: RoleName) => project.names(role, 'outbox').length > 0;
  return project.files.list(controlFolder).length > 0 || project.roles().some(isSent);
}

/**
 * A file that is not mail yet and may be for the role; `recorded`: in outboxes, too. Null: none.
 */
function notAccepted(project: Project, state: MailState, role: RoleName, recorded: boolean): string | null {
  const accepted = expectedNow(state).get(role);
  const dropped = project.names(role, 'inbox').find((name) => accepted?.has(name) !== true);
  if (dropped !== undefined) return `agents/${role}/inbox/${dropped}`;
  for (const sender of recorded ? project.roles() : [])
    for (const { path, text } of orElse(() => project.mail(sender, 'outbox'), [])) {
      const draft = parseMessage(text, path);
      if (draft.ok && draft.value.to?.includes(role) === true) return path;
    }
  return null;
}

/**
 * Why a role has no mail, although a file or one of its boxes is there; null: nothing is.
 * `problems`: of the controller, or what it would report.
 */
function whyNone(
  project: Project,
  state: MailState,
  role: RoleName,
  problems: readonly string[],
): string | null {
  const isUnhosted = project.holder() === null;
  const file = notAccepted(project, state, role, isUnhosted);
  const about = (...paths: readonly string[]) => problems.find((each) => isAbout(each, paths));
  if (file === null) return about(`agents/${role}/inbox`, `agents/${role}/outbox`) ?? null;
  const [writing] = project.disk.writing([file]);
  if (typeof writing === 'object') return `${file} is incomplete: ${writing.by} has it open for writing`;
  const own = about(file) ?? refusalToRead(project.disk, file) ?? about(parentOf(file));
  const all = problems.find(isPassing) ?? (isUnhosted ? nameOf(problems, role) : undefined);
  return own ?? all ?? `${file} is not accepted yet`;
}

/** Whether a problem is about one of these paths themselves, not about what lies in them. */
function isAbout(problem: string, paths: readonly string[]): boolean {
  return paths.some((path) =>
    problem
      .split(path)
      .slice(1)
      .some((rest) => !/^[.\w/-]/.test(rest)),
  );
}

/** The first problem that names a role. */
function nameOf(problems: readonly string[], role: RoleName): string | undefined {
  return problems.find((each) => words(each).includes(role));
}

function words(problem: string): string[] {
  return problem.split(/[^\w-]+/);
}

/**
 * Of several problems the one that explains why nothing of a role moves: what is said of the role,
 * or of its folder; what holds all work; else the first that is not about others. Undefined: none.
 */
function problemOf(project: Project, problems: readonly string[], role: RoleName | null): string | undefined {
  const others = project.roles().filter((each) => each !== role);
  const rest = problems.filter((each) => !words(each).some((word) => others.includes(word)));
  const named = role === null ? undefined : nameOf(problems, role);
  return named ?? problems.find(isHeldBecause) ?? rest[0];
}

/** The command for what a person can do about mail. */
export function mailCommand(state: MailState, protocol: Protocol, act: MailAct | HostAct): string | null {
  switch (act.do) {
    case 'command':
      return act.command;
    case 'unpause':
      return `mailroom unpause ${targetWord(act.target)}`;
    case 'reply':
      return answerCommand(state, protocol, act.request);
    case 'approve': {
      const phase = state.turns.get(act.turn)?.phase;
      const landing = state.landings.get(act.turn);
      const changes = landing === undefined ? null : changesOf(landing);
      return turnCommand('approve', act.turn, phase?.is === 'asking' ? phase.person : null, changes);
    }
    case 'work': {
      const labels = act.labels.length === 0 ? '' : ` --labels ${act.labels.join(',')}`;
      return `mailroom worker --roles ${act.role}${labels}`;
    }
    case 'unpause-worker':
      return `mailroom workers unpause ${act.host}`;
    case 'retry':
      return `mailroom retry ${endOfId(act.message)}`;
    case 'send': {
      const type = act.type === null ? '' : ` --type ${act.type}`;
      return `mailroom send ${act.to} --thread ${endOfId(act.thread)}${type} --message "…"`;
    }
    default:
      return act satisfies never;
  }
}

function targetWord(target: Extract<MailAct, { do: 'unpause' }>['target']): string {
  switch (target.kind) {
    case 'all':
      return 'all';
    case 'role':
      return target.role;
    case 'thread':
      return endOfId(target.thread);
    case 'turn':
      return target.turn;
  }
}

/** The command that answers a request, for any person who may; null: it is not known any more. */
function answerCommand(state: MailState, protocol: Protocol, request: MessageId): string | null {
  const mail = state.mail.get(request);
  if (!mail) return null;
  const people = [...protocol.roles.keys()].filter((role) => isHuman(protocol, role));
  const types = answerTypes(protocol, mail.request?.replies ?? []);
  const fields = requiredFields(protocol);
  return replyCommands({ id: request, as: mayAnswer(state, mail, people), types, fields }).join('\n');
}
