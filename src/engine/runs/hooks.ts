import { join } from 'node:path';
import type { Exit } from '../../core/ports.ts';
import { dueHook, hookArguments, openHooks } from '../../core/workflow/hooks.ts';
import type { Hook } from '../../core/workflow/model.ts';
import type { Rules } from '../../core/workflow/rules.ts';
import type { RunLedger } from './ledger.ts';
import type { RunPorts } from './ports.ts';

/** Milliseconds that a hook may take. */
const hookTime = 60_000;
const keyBegin = 'hook:';

/**
 * What is run or told when a run begins and ends. That a hook is taken up is in the journal before it starts: a crash may end
 * it, and never makes it run twice. What goes wrong in it is a warning of the run.
 */
export class Hooks {
  readonly #ledger: RunLedger;
  readonly #rules: Rules;
  readonly #ports: RunPorts;
  readonly #running = new Set<Hook['on']>();

  constructor(ledger: RunLedger, rules: Rules, ports: RunPorts) {
    this.#ledger = ledger;
    this.#rules = rules;
    this.#ports = ports;
  }

  get running(): number {
    return this.#running.size;
  }

  /** How many run, or are still to be taken up. */
  get left(): number {
    return this.#running.size + (this.#due() === null ? 0 : 1);
  }

  /** Says of hooks that an earlier host left that nobody knows how they ended. */
  resume(): void {
    for (const on of openHooks(this.#ledger.state)) this.#over(on, 'its host ended while it ran');
  }

  /** Takes up what is due. Returns what is to be started once that is durable. */
  take(): Hook[] {
    const taken: Hook[] = [];
    for (let hook = this.#due(); hook !== null; hook = this.#due()) {
      this.#ledger.record([{ type: 'hooked', on: hook.on, over: false, problem: null }]);
      this.#running.add(hook.on);
      taken.push(hook);
    }
    return taken;
  }

  #due(): Hook | null {
    return this.#ports.hooks === undefined ? null : dueHook(this.#ledger.state, this.#rules);
  }

  /** Call it only after a flush. */
  start(hook: Hook): void {
    const { notify, run, on } = hook;
    if (notify !== null) this.#notify(notify, on);
    if (run === null) return this.#over(on, null);
    const argv = hookArguments(this.#ledger.state, this.#rules, hook);
    if (!argv.ok) return this.#over(on, 'an expression of it has no value');
    this.#run(on, argv.value);
  }

  #notify(role: string, on: Hook['on']): void {
    const { given, status, reason } = this.#ledger.state;
    const name = this.#rules.workflow.name;
    const words = { start: 'has begun', complete: 'has succeeded', failure: `has ended: ${status}` }[on];
    const lines = [
      `The run ${given?.run ?? ''} of \`${name}\` ${words}.`,
      ...(reason ? ['', reason.text] : []),
    ];
    const body = this.#ports.mask(lines.join('\n'));
    this.#ports.hooks?.notify(
      role,
      `${on} ${String(this.#ledger.state.endedAt ?? '')}`,
      `${name} ${words}`,
      body,
    );
  }

  #run(on: Hook['on'], argv: readonly string[]): void {
    const { runner, project, hooks } = this.#ports;
    if (hooks === undefined) return;
    const { given, status } = this.#ledger.state;
    const { workspace, folder } = hooks.places(on);
    const secrets = this.#ports.variables(this.#rules.workflow.secrets);
    const env = {
      ...secrets,
      MAILROOM_PROJECT: project,
      MAILROOM_RUN: given?.run ?? '',
      MAILROOM_STATUS: status,
    };
    runner.start({
      key: `${keyBegin}${on}`,
      provider: null,
      capabilities: null,
      owed: [],
      command: { argv, env, inherit: [], stdin: '', files: {}, writable: [] },
      workspace,
      folder,
      stdout: join(folder, 'stdout'),
      stderr: join(folder, 'stderr'),
      totalMs: hookTime,
      graceMs: null,
      secrets: Object.values(secrets),
    });
  }

  /** What the runner reports. False: it is no hook. Look afterwards. */
  ended(key: string, { code, ended, error, stderr }: Exit): boolean {
    if (!key.startsWith(keyBegin)) return false;
    const said = stderr.trim().split('\n').at(-1) ?? '';
    const how = code === null ? (error ?? ended) : `it ended with ${String(code)}`;
    const problem = code === 0 ? null : `${how}${said === '' ? '' : `: ${said.slice(0, 200)}`}`;
    this.#over(key.slice(keyBegin.length) as Hook['on'], problem);
    return true;
  }

  #over(on: Hook['on'], problem: string | null): void {
    this.#running.delete(on);
    const words = problem === null ? null : this.#ports.mask(problem);
    this.#ledger.record([{ type: 'hooked', on, over: true, problem: words }]);
  }

  /** Ends what runs. */
  stop(): void {
    for (const on of this.#running) this.#ports.runner.stop(`${keyBegin}${on}`);
  }
}
