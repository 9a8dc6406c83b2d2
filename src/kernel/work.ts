import { firstOf, listed } from './enumerate.ts';
import { oneLine } from './one-line.ts';
import type { MessageId, RoleName, ThreadId } from './ids.ts';

/*
 * The work of roles with a checkout of their own: what a turn builds on, and what it leaves behind.
 */

/** The branch of the mail's history, unless the settings name another one. */
export const trailBranch = 'mailroom-trail';

/** The branch that all roles of a thread share. */
export function threadBranch(thread: ThreadId): string {
  return `mailroom-${thread}`;
}

/** The branch of a role within a thread. */
export function roleBranch(thread: ThreadId, role: RoleName): string {
  return `mailroom/${thread}/${role}`;
}

/** The name of its checkout below `.mailroom/worktrees/`. */
export function roleCheckout(thread: ThreadId, role: RoleName): string {
  return `${thread}.${role}`;
}

/** Whose checkout has this name; `role` is null where all roles of the thread share it. */
export function checkoutOwner(name: string): { readonly thread: ThreadId; readonly role: RoleName | null } {
  const [thread = '', ...role] = name.split('.');
  return { thread, role: role.length === 0 ? null : role.join('.') };
}

/** The branch of the checkout with this name. */
export function checkoutBranch(name: string): string {
  const { thread, role } = checkoutOwner(name);
  return role === null ? threadBranch(thread) : roleBranch(thread, role);
}

/** A turn of a role that works on its own branch. */
export interface WorkingTurn {
  readonly turn: string;
  readonly role: RoleName;
  readonly thread: ThreadId;
  readonly branch: string;
}

/** A commit that a message is about, or that a step of the same run has left. */
export interface TakenWork {
  readonly commit: string;
  /** Null: of a step. */
  readonly message: MessageId | null;
  /** The role or the step. */
  readonly from: string;
}

/** What the checkout of a turn must contain before its agent starts. */
export interface Entering extends WorkingTurn {
  /** Whether the role commits changes; otherwise it reads exactly the work that it takes. */
  readonly edits: boolean;
  /** The work of the messages that it picked up; null: it has entered, and continues there. */
  readonly takes: readonly TakenWork[] | null;
  /** Git's name for the commit that the branches of the thread begin at; null: that of HEAD. */
  readonly base: string | null;
  /** The commit that the role sent last in this thread; null: none. */
  readonly last: string | null;
  /** Which conflicts its role resolves: all, those in texts, or none; a person the others. */
  readonly resolves: 'all' | 'text' | 'none';
  /** Who was asked to resolve the conflict that lies in its checkout; null: not asked. */
  readonly resolving: 'role' | 'person' | null;
  /** Folders of the checkout that it is given files in, which are not its work; absent: none. */
  readonly given?: readonly string[];
}

/** What the commit of a turn says. */
export interface Leaving extends WorkingTurn {
  readonly title: string;
  readonly messages: readonly MessageId[];
  /** The commit that the turn began with. */
  readonly entered: string;
  /** The work that it took, which its commit must contain. */
  readonly takes: readonly TakenWork[];
  /** Work that it meets next: its author resolves conflicts with it before the messages leave. */
  readonly meets: readonly TakenWork[];
  /** The commit of an earlier round of this turn, which the new one replaces; null: none. */
  readonly amends: string | null;
}

/** What the commit of a turn's work says. */
interface WorkText {
  readonly turn: string;
  readonly role: RoleName;
  readonly thread: ThreadId;
  readonly title: string;
  readonly messages: readonly MessageId[];
}

/** The message of a commit of a turn's work. */
export function commitText({ turn, role, thread, title, messages }: WorkText): string {
  const trailers = [
    `Mailroom-Thread: ${thread}`,
    `Mailroom-Turn: ${turn}`,
    ...(messages.length === 0 ? [] : [`Mailroom-Messages: ${messages.join(' ')}`]),
  ];
  return `${title === '' ? `Turn ${turn} of ${role}` : title}\n\n${trailers.join('\n')}\n`;
}

/** How work comes onto a branch. */
export const landingWays = ['merge', 'rebase', 'squash'] as const;
export type LandingWay = (typeof landingWays)[number];

/** Changes of files that somebody outside of a sandbox runs, trusts or obeys. */
export interface RuleChanges {
  /** From the top of the repository; of very many, the first ones. */
  readonly paths: readonly string[];
  /** How many more there are. */
  readonly more: number;
  /** Names exactly these changes. */
  readonly digest: string;
}

/** What a person has let land: these changes of rules, on a branch that stands there. */
export interface Approved {
  readonly onto: string;
  /** The digest of the changes of rules; null: there were none. */
  readonly rules: string | null;
}

/** Why work that changes rules lands only once a person has approved it. */
export function rulesReason({ paths, more }: RuleChanges): string {
  const names = paths.map((path) => `\`${path}\``);
  return `it changes the rules of this project: ${listed(more > 0 ? [...names, `${String(more)} more`] : names)}`;
}

/**
 * Why work should not land on the branch that is checked out. `what` lands, in words; `or`: what
 * else a person can do, an imperative with a comma before it.
 */
export function landsOnCheckedOut(what: string, branch: string, or = ''): { message: string; hint: string } {
  return {
    message: `${what} lands on \`${branch}\`, which is checked out in the project: what agents made becomes the files that you and \`up\` use`,
    hint:
      `let it land on another branch and merge that yourself${or}; changes of the rules of this project wait ` +
      'for a person in any case. To accept it, write `# mailroom-ok: E_LANDS reason` above it',
  };
}

/** What the checks of a turn's messages run on, in the checkout of its role. */
export interface CheckedWork extends WorkingTurn {
  /** The commit that its messages carry if the turn makes none. */
  readonly entered: string;
  /** The work of all other roles in the thread, for checks on the merge; else empty. */
  readonly others: readonly TakenWork[];
}

/** Follows the description of a conflict that work meets when it is to leave, for its author. */
export const howToResolve =
  ':\nboth sides are in your checkout. Keep what both meant, remove the conflict markers, and change a file ' +
  'that has none, or stage it with `git add` if it is right';

/** What of the work of a turn is not in its commit. */
export interface LeftBehind {
  /** What does not travel, in words; absent: all of it does. */
  readonly leftOut?: string;
  /** What it made and a rule of git ignores: paths from the top of its checkout. */
  readonly ignored?: readonly string[];
}

/** What a report of ignored files begins with. It makes no notice: most of them are caches. */
export const staysIgnored = 'ignored, stays in the worktree: ';

/** The reports of what is not in a commit. */
export function reportsOf({ leftOut, ignored = [] }: LeftBehind): string[] {
  return [
    ...(leftOut === undefined ? [] : [`its commit leaves out ${leftOut}`]),
    ...(ignored.length === 0 ? [] : [`${staysIgnored}${firstOf(ignored.map((path) => oneLine(path)))}`]),
  ];
}

/** The commit that a turn works on or leaves, or why there is none, in words. */
export type Worked =
  | ({ readonly ok: true; readonly commit: string } & LeftBehind)
  | {
      readonly ok: false;
      readonly problem: string;
      /** Who must resolve the conflict that lies in the checkout; null: there is none. */
      readonly resolving: 'role' | 'person' | null;
    };

/** A turn has entered. `isClean`: its checkout is known to have exactly the files of the commit. */
export interface Entered {
  readonly worked: Worked;
  readonly isClean: boolean;
}
