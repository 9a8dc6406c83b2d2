import { join } from 'node:path';
import { dueHook, hookArguments, hookNotice, openHooks } from '../machine/hooks.ts';
import type { Hook } from '../automation.ts';
import type { Rules } from '../machine/rules.ts';
import type { RunLedger } from './ledger.ts';
import type { RunPorts } from './ports.ts';
import { heldBecause, HostWaits } from '../../host/host-waits.ts';
import type { ProcessJob } from '../../host/runner/runner.ts';
import type { Exit } from '../../providers/provider.ts';

/** The timeout of a hook, in milliseconds. */
const hookTime = 60_000;
const keyBegin = 'hook:';

/**
 * Programs and notifications at the start and end of a run. The journal records a hook before it
 * starts: a crash may end it, and never makes it run twice. Its failure is a warning of the run.
 */
export class Hooks {
  readonly #ledger: RunLedger;
  readonly #rules: Rules;
  readonly #ports: RunPorts;
  readonly #running = new Set<Hook['on']>();
  /** The programs that have not ended, by key. */
  readonly #programs = new Map<string, { readonly name: string; readonly start: () => void }>();
  /** Programs that the machine could not start. */
  readonly waits: HostWaits;
  readonly #held = new Set<string>();
  readonly #left = new Map<Hook['on'], { readonly count: number; readonly problem: string | null }>();

  constructor(ledger: RunLedger, rules: Rules, ports: RunPorts) {
    this.#ledger = ledger;
    this.#rules = rules;
    this.#ports = ports;
    this.waits = new HostWaits(() => ports.clock.elapsed?.() ?? ports.clock.now());
  }

  get running(): number {
    return this.#running.size;
  }

  /** How many are running or due. */
  get left(): number {
    return this.#running.size + (this.#due() === null ? 0 : 1);
  }

  /** Records that hooks which an earlier host left ended in an unknown way. */
  resume(): void {
    for (const on of openHooks(this.#ledger.state)) this.#over(on, 'its host ended while it ran');
  }

  /** Picks up due hooks. Returns those to start once that is durable. */
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
    const { notify, on } = hook;
    if (notify !== null) this.#notify(notify, on);
    const { state } = this.#ledger;
    const argv = hookArguments(state, this.#rules, hook);
    const notice = hookNotice(state, this.#rules, hook);
    if (!argv.ok || !notice.ok) return this.#over(on, 'an expression of it has no value');
    const inherit = hook.tell?.notifier?.env ?? [];
    const programs = [
      { argv: this.#targetCommand(hook, notice.value), inherit },
      { argv: argv.value, inherit: [] },
    ].filter((each) => each.argv.length > 0);
    this.#left.set(on, { count: programs.length, problem: null });
    if (programs.length === 0) return this.#over(on, null);
    for (const [index, program] of programs.entries()) this.#run(on, index, program.argv, program.inherit);
  }

  /** The machine could not start a hook's program: it waits. False: it is not a hook's. */
  held(key: string, problem: string): boolean {
    if (!this.#programs.has(key)) return false;
    this.waits.hold(key, heldBecause(problem));
    this.#held.add(key);
    return true;
  }

  /** Starts those again that the machine could not start. Call it only after a flush. */
  startHeld(): void {
    for (const key of this.#held)
      if (this.waits.mayTry(key)) {
        this.#held.delete(key);
        this.#programs.get(key)?.start();
      }
  }

  /** The command that notifies the target; empty: none is configured or known, which is logged. */
  #targetCommand(
    { tell, on }: Hook,
    { target, words = this.#words(on) }: { readonly target: string; readonly words?: string },
  ): readonly string[] {
    const { hooks } = this.#ports;
    if (tell === undefined || hooks === undefined) return [];
    if (tell.notifier !== null) return [...tell.notifier.command, target, words];
    hooks.log(on, `${tell.scheme}:${target} ${words}`);
    return [];
  }

  /** A short description of what happened to the run. */
  #words(on: Hook['on']): string {
    const { name } = this.#rules.workflow;
    const { status } = this.#ledger.state;
    return `${name} ${{ start: 'has begun', complete: 'has succeeded', failure: `has ended: ${status}` }[on]}`;
  }

  #notify(role: string, on: Hook['on']): void {
    const { given, reason } = this.#ledger.state;
    const name = this.#rules.workflow.name;
    const words = this.#words(on);
    const lines = [
      `The run ${given?.run ?? ''} of \`${name}\`${words.slice(name.length)}.`,
      ...(reason ? ['', reason.text] : []),
    ];
    const body = lines.join('\n');
    this.#ports.hooks?.notify(role, `${on} ${String(this.#ledger.state.endedAt ?? '')}`, words, body);
  }

  #run(on: Hook['on'], index: number, argv: readonly string[], inherit: readonly string[]): void {
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
    const key = `${keyBegin}${on}.${String(index)}`;
    const job: ProcessJob = {
      key,
      kind: 'program',
      provider: null,
      capabilities: null,
      owed: [],
      command: { argv, env, inherit, stdin: '', files: {}, writable: [] },
      network: true,
      mayConfigure: false,
      workspace,
      folder,
      writable: [folder],
      guarded: [],
      stdout: join(folder, index === 0 ? 'stdout' : `stdout.${String(index)}`),
      stderr: join(folder, index === 0 ? 'stderr' : `stderr.${String(index)}`),
      totalMs: hookTime,
      idleMs: null,
      graceMs: null,
      watched: [],
    };
    const program = { name: argv[0] ?? '', start: () => runner.start(job) };
    this.#programs.set(key, program);
    program.start();
  }

  /** Receives an exit from the runner. False: it is not a hook's. Call `look` afterwards. */
  ended(key: string, { code, ended, error, stderr }: Exit): boolean {
    if (!key.startsWith(keyBegin)) return false;
    const said = stderr.trim().split('\n').at(-1) ?? '';
    const program = this.#programs.get(key)?.name ?? '';
    this.waits.forget(key);
    this.#programs.delete(key);
    const failed = `${code === null ? (error ?? ended) : `ended with ${String(code)}`}${said === '' ? '' : `: ${said.slice(0, 200)}`}`;
    // The starting shell reports 127 for a program that it cannot find.
    const how = code === 127 ? 'ended with 127: it, or a program that it starts, was not found' : failed;
    const problem = code === 0 ? null : `\`${program}\` ${how}`;
    const on = onOf(key);
    const left = this.#left.get(on) ?? { count: 1, problem: null };
    const now = { count: left.count - 1, problem: left.problem ?? problem };
    this.#left.set(on, now);
    if (now.count <= 0) this.#over(on, now.problem);
    return true;
  }

  #over(on: Hook['on'], problem: string | null): void {
    this.#running.delete(on);
    this.#ledger.record([{ type: 'hooked', on, over: true, problem }]);
  }

  /** Stops running hooks, and waits for none that could not start. */
  stop(): void {
    for (const key of this.#held) this.#running.delete(onOf(key));
    this.#held.clear();
    for (const on of this.#running)
      for (const index of [0, 1]) this.#ports.runner.stop(`${keyBegin}${on}.${String(index)}`);
  }
}

function onOf(key: string): Hook['on'] {
  return key.slice(keyBegin.length).split('.')[0] as Hook['on'];
}
