import {
  deputyProblem,
  gains,
  isWriter,
  mayWrite,
  outside,
  unprotectedProblem,
} from '../../kernel/deputy.ts';
import type { Deputies, Powers, Writer } from '../../kernel/deputy.ts';
import { below, filesRunBy, filesRunByScript, type RunFile } from '../../kernel/scripts.ts';
import { enumerate } from '../../kernel/enumerate.ts';
import type { Template } from '../../expressions/template.ts';
import { bodyOf, innerOf, stepsIn, variantsOf } from '../bodies.ts';
import type { Body, Check, Step, Work } from '../model.ts';
import { field, whole, type At, type CheckReport } from './report.ts';

interface RunWriter extends Writer {
  /** Whether its changes stay in its own git worktree until they land. */
  readonly isolated: boolean;
}

/** What was written before a step, and no person has approved since. */
interface Before {
  readonly writers: readonly RunWriter[];
  /** The roles of the protocol, which may write at any time. */
  readonly roles: readonly Writer[];
}

/** What runs a file, and where that is said. */
interface Runner {
  readonly name: string;
  readonly powers: Powers;
  readonly folder: string;
  readonly isolated: boolean;
  readonly files: readonly (RunFile & { readonly place: At })[];
}

/** More names than these say no more. */
const most = 4;

/** Warns of what runs a file with more permissions than somebody has who may write it. */
export function checkDeputies(report: CheckReport): void {
  const { deputies } = report.context;
  if (deputies === undefined) return;
  const { body, hooks } = report.workflow;
  const enabled = report.workflow.triggers.filter((trigger) => trigger.enabled !== false);
  const alone = enabled.filter(({ by }) => by !== 'person').map(({ name }) => name);
  const walk = new Walk(report, deputies, alone);
  const begin = { writers: [], roles: alone.length === 0 ? [] : deputies.roles };
  const after = walk.body(body, begin);
  for (const trigger of enabled) {
    if (trigger.kind !== 'command') continue;
    const files = filesRunBy(trigger.argv).map((file) => ({ ...file, place: whole(trigger) }));
    const runner = { name: `the trigger \`${trigger.name}\``, powers: outside, folder: '.', isolated: false };
    // It asks before any person could.
    new Walk(report, deputies, []).warn({ ...runner, files }, { writers: [], roles: deputies.roles });
  }
  for (const { on, run } of hooks) {
    if (run === null) continue;
    const name = `the hook on_${on}`;
    walk.warn({ ...walk.own(name), files: inCommand(run) }, on === 'start' ? begin : after);
  }
}

class Walk {
  readonly #report: CheckReport;
  readonly #deputies: Deputies;
  readonly #triggers: readonly string[];

  constructor(report: CheckReport, deputies: Deputies, triggers: readonly string[]) {
    this.#report = report;
    this.#deputies = deputies;
    this.#triggers = triggers;
  }

  /** A program of the author in the workspace. */
  own(name: string): Omit<Runner, 'files'> {
    const powers = this.#deputies.powersOf(null, null, true);
    return { name, powers, folder: '.', isolated: false };
  }

  /** Looks at all steps; returns what was written once they are over. */
  body(body: Body, begin: Before): Before {
    const states = new Map<string, Before>();
    let before = begin;
    for (const step of inOrder(body)) {
      const needs = body.kind === 'sequence' ? [] : step.needs.flatMap((need) => states.get(need.step) ?? []);
      const found = body.kind === 'sequence' ? before : needs.length === 0 ? begin : together(needs);
      before = this.#step(step, found);
      states.set(step.id, before);
    }
    return body.kind === 'sequence' ? before : together([begin, ...states.values()]);
  }

  #step(step: Step, before: Before): Before {
    const { work, check } = step;
    this.#checkProtected(step);
    const runner = this.#runner(step, work);
    if (runner !== null) this.warn(runner, before);
    const inner = innerOf(work);
    // What a loop writes is there in its next round.
    const again =
      inner === null || work.kind === 'finally' ? [] : stepsIn(inner).flatMap((each) => this.#writers(each));
    const written = add(before, [...this.#writers(step), ...again]);
    const own = bodyOf(work);
    if (own !== null) this.body(own, written);
    if (check !== null) {
      const checker = this.#runner(step, check.work);
      if (checker !== null) this.warn({ ...checker, name: `the check of \`${step.id}\`` }, written);
    }
    if (work.kind === 'gate' && work.onTimeout !== 'approve') return { writers: [], roles: [] };
    if (work.kind !== 'land') return written;
    return { ...written, writers: written.writers.map((each) => ({ ...each, isolated: false })) };
  }

  #checkProtected(step: Step): void {
    const { protectedBranches, powersOf } = this.#deputies;
    if (protectedBranches.length === 0) return;
    for (const { work } of variantsOf(step)) {
      const given = 'capabilities' in work ? work.capabilities : null;
      const provider = work.kind === 'agent' ? work.provider : null;
      if (given?.includes('RUN_COMMANDS') !== true || powersOf(provider, given, true).sandboxed) continue;
      const { message, hint } = unprotectedProblem(step.id, protectedBranches);
      this.#report.add('E_CAPABILITY', 'warning', whole(step), message, hint);
    }
  }

  #writers(step: Step): RunWriter[] {
    const isolated = step.checkout !== undefined;
    const folder = folderOf(step) ?? '.';
    const agents = variantsOf(step).flatMap(({ work }): RunWriter[] => {
      if (work.kind !== 'agent' || !isWriter(work)) return [];
      const powers = this.#deputies.powersOf(work.provider, work.capabilities, step.network !== false);
      return [{ ...powers, name: step.id, folder, isolated }];
    });
    if (step.work.kind !== 'role') return agents;
    const { role, others } = step.work;
    const roles = this.#deputies.roles.filter(({ name }) => name === role || others.includes(name));
    return [...agents, ...roles.map((each) => ({ ...each, isolated: false }))];
  }

  #runner(step: Step, work: Work | Check['work']): Runner | null {
    const folder = folderOf(step);
    if (folder === null) return null;
    const files = filesOf(step, work);
    if (files.length === 0) return null;
    const given = 'capabilities' in work ? work.capabilities : null;
    const network = step.network !== false && (work === step.work || step.check?.network !== false);
    const powers = this.#deputies.powersOf(null, given, network);
    return { name: `\`${step.id}\``, powers, folder, isolated: step.checkout !== undefined, files };
  }

  /** Reports each file that somebody may write who has less than what runs it. */
  warn({ name, powers, folder, isolated, files }: Runner, { writers, roles }: Before): void {
    const seen = new Set<string>();
    for (const file of files) {
      const path = below(folder, file.path);
      const all = [
        ...writers.filter((each) => each.isolated === isolated),
        ...(isolated ? [] : roles),
      ].filter((each) => mayWrite(each, path) && gains(each, powers).length > 0);
      if (all.length === 0 || seen.has(path)) continue;
      seen.add(path);
      const byRole = all.some((each) => roles.includes(each)) ? this.#triggers : [];
      const started = byRole.length === 0 ? '' : `, started by ${enumerate(byRole)},`;
      const ways = [
        ...(byRole.length === 0
          ? []
          : [`let a person confirm its runs with \`by: person\` at ${enumerate(byRole)}`]),
        'let a `gate` come before it',
      ];
      const { message, hint } = deputyProblem({
        writers: all,
        path,
        runner: `${name}${started}`,
        powers,
        ways: powers === outside ? [] : ways,
      });
      this.#report.add('E_CAPABILITY', 'warning', file.place, message, hint);
    }
  }
}

/** Each step after those that it needs; in a circle none is. */
function inOrder({ kind, steps }: Body): readonly Step[] {
  if (kind === 'sequence') return steps;
  const left = new Map(steps.map((step) => [step.id, step.needs.length]));
  const next = new Map<string, Step[]>();
  for (const step of steps)
    for (const { step: need } of step.needs) {
      const waiting = next.get(need);
      if (waiting === undefined) next.set(need, [step]);
      else waiting.push(step);
    }
  const order = steps.filter((step) => step.needs.length === 0);
  for (const { id } of order)
    for (const step of next.get(id) ?? []) {
      const count = (left.get(step.id) ?? 0) - 1;
      left.set(step.id, count);
      if (count === 0) order.push(step);
    }
  return order;
}

/** A person who has approved one of the ways to a step has approved what the roles wrote. */
function together(all: readonly Before[]): Before {
  const writers = all.reduce<Before>((sum, { writers: more }) => add(sum, more), { writers: [], roles: [] });
  return {
    writers: writers.writers,
    roles: all.some(({ roles }) => roles.length === 0) ? [] : all[0]!.roles,
  };
}

function add(before: Before, more: readonly RunWriter[]): Before {
  if (more.length === 0) return before;
  const known = new Map(before.writers.map((each) => [JSON.stringify(each), each]));
  for (const each of more) if (known.size < most) known.set(JSON.stringify(each), each);
  return { ...before, writers: [...known.values()] };
}

/** The folder of a step, relative to the workspace of the run; null: not known before. */
function folderOf({ workspace }: Step): string | null {
  return workspace === null ? '.' : literal(workspace.path);
}

function literal(template: Template): string | null {
  return template.every((part) => part.kind === 'text') ? template.map(({ text }) => text).join('') : null;
}

function filesOf(step: Step, work: Work | Check['work']): Runner['files'] {
  if (work.kind === 'command') return inCommand(work.argv);
  if (work.kind === 'script')
    return filesRunByScript(work.script.text).map((file) => {
      const span = { start: file.at, end: file.at + file.length };
      return { ...file, place: { ...whole(work.script), span } };
    });
  if (work.kind !== 'workflow') return [];
  // The file of a sub-workflow is checked alone: there no agent writes before it.
  return stepsIn(work.workflow.body).flatMap((inner) =>
    filesOf(inner, inner.work).map((file) => ({ ...file, place: whole(step) })),
  );
}

function inCommand(argv: readonly Template[]): Runner['files'] {
  return filesRunBy(argv.map(literal)).map((file) => ({ ...file, place: field(argv, file.at) }));
}
