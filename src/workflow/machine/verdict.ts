import { counted } from '../../kernel/enumerate.ts';
import picomatch from 'picomatch';
import { outputExcerpt } from '../../kernel/output-excerpt.ts';
import { isJsonObject, parseJson, type Json, type JsonObject } from '../../kernel/json.ts';
import type { Verdict, WorkResult } from './work-result.ts';
import { readExit, type Ended, type Returned } from './exits.ts';
import { processName, type Launch } from './launch.ts';
import { valuesFromText, resultOf } from './outputs-from-text.ts';
import type { Reason } from '../../kernel/errors.ts';

/**
 * The result of a check's process, and the paths changed since the base, or why they are unknown.
 */
interface ReturnedCheck extends Returned {
  readonly changed: readonly string[] | string;
}

/**
 * The number of a decision file's last lines that become the reasons why the work is incomplete.
 */
const reasonLines = 20;
const mostEntries = 200;
const longestEntry = 1_000;

/** The verdict of a check. Total: an unreadable decision gives `none`, and the check runs again. */
export function readCheck(
  launch: Launch,
  { exit, outcome, collected, changed }: ReturnedCheck,
): { result: WorkResult; verdict: Verdict } {
  const ended = readExit(launch, exit, outcome);
  const result = resultOf(ended, exit, outcome);
  if (launch.check?.summary != null) return { result, verdict: summaryOf(result) };
  const isProgram = outcome === null;
  const said = isProgram && ended.exitCode === 1 && exit.ended === 'exited' ? 'incomplete' : ended.outcome.is;
  if (said === 'failed' && ended.outcome.is === 'failed') {
    const { reason: why, class: errorClass } = ended.outcome;
    const reason = { ...why, text: `check of \`${launch.key.path}\`: ${why.text}` };
    return {
      result,
      verdict: { is: 'none', reason, final: errorClass === 'NON_RETRYABLE' || errorClass === 'FATAL' },
    };
  }
  const verdict =
    launch.check?.decisionFile == null
      ? isProgram
        ? byExitCode(launch, said === 'done', exit)
        : byAnswer(launch, ended, collected)
      : byFile(launch, collected.decision);
  // An exit code that only reports "incomplete" is not a failure of the check.
  const outcomeOf = said === 'incomplete' ? ({ is: 'done' } as const) : result.outcome;
  return { result: { ...result, outcome: outcomeOf }, verdict: measured(launch, verdict, changed) };
}

/** The summary of an agent; a usage limit makes it wait. */
function summaryOf({ outcome, output }: WorkResult): Verdict {
  if (outcome.is === 'done') return { is: 'summarised', text: output, problem: null };
  const { reason } = outcome;
  if (outcome.class === 'RETRYABLE_RATE_LIMIT') return { is: 'none', reason, final: false };
  return { is: 'summarised', text: null, problem: reason.text };
}

function none(text: string, final = false): Verdict {
  const reason: Reason = { code: 'E_CHECK', text };
  return { is: 'none', reason, final };
}

function byExitCode({ run, key }: Launch, complete: boolean, { stdout, stderr }: Returned['exit']): Verdict {
  if (complete) return { is: 'complete' };
  const [stream, text] = stdout.trim() === '' ? ['stderr', stderr] : ['stdout', stdout];
  const log = `.mailroom/runs/${run}/steps/${processName(key)}/${stream}`;
  return { is: 'incomplete', reasons: outputExcerpt(text), fingerprints: [], log };
}

function lastLines(text: string): string[] {
  const lines = text.trimEnd().split(/\r\n|\n|\r/);
  return bound(lines.filter((line) => line.trim() !== '').slice(-reasonLines));
}

function byAnswer(launch: Launch, { text }: Ended, collected: Returned['collected']): Verdict {
  const read = valuesFromText(launch, collected, text);
  if ('unreadable' in read) return none(`the check's answer cannot be read: ${read.unreadable}`);
  const whole = parseJson(text.trim());
  const answer = Object.keys(read.values).length > 0 || !isJsonObject(whole) ? read.values : whole;
  return byJson(launch, answer) ?? none('the check said neither complete nor incomplete');
}

/** A decision file: JSON, or a word. */
function byFile(launch: Launch, text: string | null): Verdict {
  if (text === null) return none('the check wrote no decision file');
  const json = parseJson(text);
  if (isJsonObject(json)) return byJson(launch, json) ?? none('the decision file holds no decision');
  const [, word = '', rest = ''] = /^\W*(\w+)([^]*)$/.exec(text) ?? [];
  switch (word.toUpperCase()) {
    case 'PASS':
    case 'COMPLETE':
      return { is: 'complete' };
    case 'FAIL':
    case 'INCOMPLETE':
      return {
        is: 'incomplete',
        reasons: lastLines(rest.replace(/^[\s:.-]+/, '')),
        fingerprints: [],
        log: null,
      };
    default:
      return none('the decision file holds no decision');
  }
}

/** A decision as JSON; null: it is not a decision. A decision for another check is stale. */
function byJson(
  { check }: Launch,
  { decision, check_id: id, reasons, fingerprints }: JsonObject,
): Verdict | null {
  if (id !== undefined && id !== null && id !== check?.id)
    return none(`the decision is of another check: ${JSON.stringify(id).slice(0, 100)}`);
  const word = typeof decision === 'string' ? decision.trim().toLowerCase() : '';
  if (word === 'complete') return { is: 'complete' };
  if (word !== 'incomplete') return null;
  return { is: 'incomplete', reasons: texts(reasons), fingerprints: texts(fingerprints), log: null };
}

function texts(value: Json | undefined): string[] {
  if (typeof value === 'string') return bound([value]);
  if (!Array.isArray(value)) return [];
  return bound(value.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))));
}

function bound(lines: readonly string[]): string[] {
  return lines.slice(0, mostEntries).map((line) => line.slice(0, longestEntry));
}

/** Changes count too: work whose changes exceed the limits is incomplete. */
function measured(launch: Launch, verdict: Verdict, changed: readonly string[] | string): Verdict {
  const { convergence } = launch;
  if (verdict.is === 'none' || convergence === null) return verdict;
  const { allowedPaths, maxChangedFiles } = convergence;
  if (allowedPaths.length === 0 && maxChangedFiles === null) return verdict;
  if (typeof changed === 'string') return none(`what was changed cannot be found out: ${changed}`, true);
  const isAllowed =
    allowedPaths.length === 0
      ? () => true
      : picomatch(allowedPaths.flatMap(inside), { dot: true, flags: 's' });
  const outside = changed.filter((path) => !isAllowed(path));
  const reasons = outside.map((path) => `changed outside the allowed paths: ${path}`);
  const fingerprints = outside.map((path) => `outside-allowed-paths:${path}`);
  if (maxChangedFiles !== null && changed.length > maxChangedFiles) {
    reasons.push(tooMany(changed, maxChangedFiles));
    fingerprints.push('too-many-changed-files');
  }
  if (reasons.length === 0) return verdict;
  const before = verdict.is === 'incomplete' ? verdict : { reasons: [], fingerprints: [], log: null };
  return {
    is: 'incomplete',
    reasons: bound([...before.reasons, ...reasons]),
    fingerprints: bound([...before.fingerprints, ...fingerprints]),
    log: before.log,
  };
}

/** The number of changed files that a reason names. */
const named = 20;

function tooMany(changed: readonly string[], most: number): string {
  const rest = changed.length > named ? ` and ${String(changed.length - named)} more` : '';
  const were = changed.length === 1 ? 'was' : 'were';
  const counts = `${counted(changed.length, 'file')} ${were} changed, and at most ${String(most)} may be`;
  return `${counts}: ${changed.slice(0, named).join(', ')}${rest}`;
}

/** A folder's path allows everything in it. */
function inside(pattern: string): string[] {
  const plain = pattern.replace(/^\.\//, '').replace(/\/+$/, '');
  return [plain, `${plain}/**`];
}
