import type { JsonObject } from '../../kernel/json.ts';
import type { StepAnswer, StepRequest } from '../../letters/letters.ts';
import { innerOf } from '../bodies.ts';
import type { Process } from '../machine/decide.ts';
import type { ProcessKey } from '../machine/event.ts';
import type { WorkResult } from '../machine/work-result.ts';
import { isIn } from '../machine/fold/steps.ts';
import type { Launch, Prepared } from '../machine/launch.ts';
import { outputsFromText, readWork } from '../machine/outcome.ts';
import { stepPrompt } from '../machine/prompt.ts';
import type { Body, Workflow } from '../model.ts';
import { keyOf } from '../machine/resolve.ts';
import type { RunLedger } from './ledger.ts';
import type { RunPorts } from './ports.ts';
import type { Exit, Outcome } from '../../providers/provider.ts';

/** Whether a role of the protocol does this, so that no process of this host runs for it. */
export function isRoleStep({ key, step }: Process): boolean {
  return step.work.kind === 'role' && key.check === 0;
}

/** Whether roles do steps of a definition, at any depth. */
function hasRoles({ steps }: Body): boolean {
  return steps.some(({ work }) => {
    const inner = innerOf(work);
    return inner === null ? work.kind === 'role' : hasRoles(inner);
  });
}

/** What workers of a run do at every launch. */
interface Launching {
  launchOf(key: ProcessKey): Launch;
  /** Runs `act` for a launch; a host problem fails it. False: a fault of the machine holds it. */
  guard(launch: Launch, act: () => void): boolean;
  /** Remembers a worker's launch, for a dead letter. */
  note(launch: Launch, prepared: Prepared): void;
}

/**
 * The steps of a run that roles do: sends them as mail, reads the answers, withdraws unneeded ones.
 */
export class RoleSteps {
  readonly #ledger: RunLedger;
  readonly #ports: RunPorts;
  readonly #launching: Launching;
  /** False: there is no such step, and nothing to look for. */
  readonly #any: boolean;
  /** Messages that this host has sent, each once. */
  readonly #sent = new Set<string>();
  /** Answered messages, to remove once the journal has them. */
  readonly #answered = new Set<string>();
  readonly #problems: string[] = [];

  constructor(ledger: RunLedger, ports: RunPorts, workflow: Workflow, launching: Launching) {
    this.#any = hasRoles(workflow.body);
    this.#ledger = ledger;
    this.#ports = ports;
    this.#launching = launching;
  }

  /** Whether a message is in the mail, neither withdrawn nor removed. */
  get left(): boolean {
    return this.#any && this.#ports.mail.posted().length > 0;
  }

  /** Whether this step is in the mail. */
  has({ path, iteration, attempt }: ProcessKey): boolean {
    const run = this.#ledger.state.steps.get(path);
    if (!isIn(run, 'running') || !run.phase.posted) return false;
    return run.iteration === iteration && run.attempt === attempt;
  }

  /** Reads from the mail: answers, and which roles wait. */
  take(): void {
    if (!this.#any) return;
    const { mail } = this.#ports;
    const keys = this.#inMail();
    const answers = this.#answers();
    const waits = keys.length > 0 ? mail.waits((problem) => this.#problems.push(problem)) : new Set<string>();
    for (const key of keys) {
      const id = mail.idOf(key);
      const answer = answers.get(id);
      answers.delete(id);
      if (answer) this.#end(this.#launching.launchOf(key), answer);
      else this.#wait(key, waits.has(id));
    }
    // The other answers are not needed any more.
    for (const id of answers.keys()) if (!this.#answered.has(id)) mail.remove(id);
  }

  /**
   * The answers by message. An invalid one is put aside, and requested again where a step waits for
   * it.
   */
  #answers(): Map<string, StepAnswer> {
    const { mail } = this.#ports;
    const answers = new Map<string, StepAnswer>();
    for (const { id, answer, problem } of mail.answers())
      if (answer !== null) answers.set(id, answer);
      else {
        mail.refuse(id, problem);
        this.#problems.push(`${id}.json in the inbox of the run was put aside: ${problem}`);
        mail.resend(id);
      }
    return answers;
  }

  /** Messages put aside since the last call, to report once each. */
  problems(): string[] {
    return this.#problems.splice(0);
  }

  #inMail(): ProcessKey[] {
    const { steps, active } = this.#ledger.state;
    return [...active].flatMap((path) => {
      const run = steps.get(path);
      const key = isIn(run, 'running') && run.phase.posted ? keyOf(run) : null;
      return key === null ? [] : [key];
    });
  }

  /** Makes the messages in the mail match the wanted steps. Call it only after a flush. */
  steer(wanted: readonly Process[]): void {
    if (!this.#any) return;
    const { mail } = this.#ports;
    for (const id of this.#answered) mail.remove(id);
    this.#answered.clear();
    const ids = new Map(wanted.map(({ key }) => [mail.idOf(key), key]));
    const posted = new Set(mail.posted());
    for (const id of posted) if (!ids.has(id)) mail.withdraw(id);
    for (const [id, key] of ids)
      if (!this.has(key)) this.#ledger.record([{ type: 'posted', key }]);
      else if (!this.#sent.has(id)) {
        // Not prepared twice: the role may have begun to write outputs.
        const isKept = posted.has(id) && mail.resend(id);
        if (isKept || this.#send(id, this.#launching.launchOf(key))) this.#sent.add(id);
      }
  }

  #send(id: string, launch: Launch): boolean {
    const { files, mail } = this.#ports;
    return this.#launching.guard(launch, () => {
      const prepared = files.prepare(launch);
      const letter = letterOf(id, launch, prepared);
      files.note(launch.key, 'prompt.md', letter.body);
      this.#launching.note(launch, prepared);
      mail.send(letter);
    });
  }

  #wait(key: ProcessKey, waits: boolean): void {
    const run = this.#ledger.state.steps.get(key.path);
    if (isIn(run, 'running') && run.phase.waits !== waits)
      this.#ledger.record([{ type: 'role-waits', key, waits }]);
  }

  #end(launch: Launch, answer: StepAnswer): void {
    const isRead = this.#launching.guard(launch, () => {
      const result = this.#result(launch, answer);
      this.#ports.files.hideValues(launch.key);
      this.#ledger.record([{ type: 'ended', key: launch.key, result }]);
    });
    if (isRead) this.#answered.add(answer.id);
  }

  /**
   * The result of a step that its role has ended; a text-only answer is written to its output file.
   */
  #result(launch: Launch, answer: StepAnswer): WorkResult {
    const { files } = this.#ports;
    const outcome = outcomeOf(answer);
    const done = outcome.is === 'done';
    const first = files.collect(launch, done);
    const texts = done ? outputsFromText(launch, first, answer.text) : [];
    for (const { output, text } of texts) files.handOver(launch, output, text);
    const collected = texts.length === 0 ? first : files.collect(launch, done);
    const values = collected.values ?? (Object.keys(answer.values).length > 0 ? answer.values : null);
    const result = readWork(launch, { exit: exitOf(answer), outcome, collected: { ...collected, values } });
    const { work } = answer;
    const commit = work && { id: work.commit, branch: work.branch, worktree: work.worktree };
    return { ...result, exitCode: null, commit: result.outcome.is === 'done' ? commit : null };
  }
}

/** The request that the role reads: the prompt of an agent for the step, and its paths as data. */
function letterOf(id: string, launch: Launch, prepared: Prepared): StepRequest {
  const { run, key, step, work, timeout } = launch;
  const { role, takes } = work.kind === 'role' ? work : { role: '', takes: null };
  const fields: JsonObject = {
    run,
    step: key.path,
    iteration: key.iteration,
    attempt: key.attempt,
    workspace: prepared.workspace,
    inputs: prepared.inputs.map(({ artifact, from, path }) => ({ artifact, from, path })),
    outputs: launch.outputs.map(({ name, path, required }) => ({ name, path, required })),
    values: prepared.valuesFile,
  };
  const about = takes && { commit: takes.commit, branch: takes.branch };
  const body = stepPrompt(launch, prepared);
  return { id, run, role, subject: `Step ${step}`, body, fields, timeout, work: about };
}

function outcomeOf({ outcome, text, usage }: StepAnswer): Outcome {
  if (outcome.is === 'done') return { is: 'done', text, session: null, usage, model: null, denials: [] };
  const { reason, class: errorClass } = outcome;
  return errorClass === 'RETRYABLE_TRANSIENT'
    ? { is: 'later', class: errorClass, reason, until: null, usage, session: null }
    : { is: 'never', reason, usage, session: null };
}

function exitOf({ outcome, durationMs }: StepAnswer): Exit {
  const timedOut = outcome.is === 'failed' && outcome.timedOut;
  return {
    code: outcome.is === 'done' ? 0 : null,
    signal: null,
    ended: timedOut ? 'total-timeout' : 'exited',
    error: null,
    stdout: '',
    stderr: '',
    durationMs,
    edits: null,
  };
}
