import { join } from 'node:path';
import type { Ended } from '../../host/runner/agents.ts';
import { later, mostBytes, refsOf, stopped, tooLarge } from '../../host/runner/remote-turn.ts';
import type { AgentJob, AgentRunner } from '../../host/runner/runner.ts';
import type { Parking } from '../../host/parking.ts';
import type { Travel } from '../../host/runner/travel.ts';
import { orElse } from '../../kernel/contained.ts';
import type { Usage } from '../../kernel/cost.ts';
import type { Assigned } from '../../kernel/launched.ts';
import { takerOf, takerOfKind } from '../../kernel/step-queues.ts';
import { rootsOf } from '../../host/runner/places.ts';
import { withAlias } from '../../workflow/host/secrets.ts';
import { folderOf, jobHere } from './job-here.ts';
import type { Capability } from '../../kernel/capabilities.ts';
import type { Json } from '../../kernel/json.ts';
import { listed } from '../../kernel/enumerate.ts';
import { messageOf } from '../../kernel/errors.ts';
import { roleBranch, roleCheckout } from '../../kernel/work.ts';
import { readRemoteTurn, type RemoteEnd, type RemoteTurn } from '../../letters/remote-turn.ts';
import { restUntil } from '../../kernel/usage-limits.ts';
import type { Mask } from '../../kernel/mask.ts';
import { ownValue } from '../../kernel/own.ts';
import type { TurnFolders } from '../../mail/mailboxes/turn-folders.ts';
import type { StagedFile, TurnTools } from '../../providers/provider.ts';
import type { HeldJob } from '../../queue/channel.ts';
import { sign, verify } from '../../queue/signed.ts';

/** What a worker runs turns with. */
export interface Workplace {
  readonly root: string;
  readonly worker: Assigned;
  readonly version: string;
  readonly labels: readonly string[];
  readonly travel: Travel;
  readonly key: string;
  /** Runs agents and programs, and masks these values in what they print. */
  readonly runner: (secrets: readonly string[]) => AgentRunner;
  /** Why its configuration does not allow an agent, in words; null: it does. */
  readonly forbids: (provider: string, capabilities: readonly Capability[]) => string | null;
  /** The secrets of its environment among these names. */
  readonly variables: (names: readonly string[]) => Readonly<Record<string, string>>;
  readonly folders: TurnFolders;
  /** Masks these values, and the secrets of its own host, which the controller does not know. */
  readonly mask: (secrets: readonly string[]) => Mask;
  /** Masks them in a file, if there is one. */
  readonly maskFile: (path: string, mask: Mask) => void;
  /** The providers that have hit a usage limit of its login. */
  readonly parking: Parking;
  /** Null: agents get no tools of Mailroom. */
  readonly tools: TurnTools | null;
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since some time, on a clock that is never set. */
  elapsed(): number;
}

/** A signature holds for this long, in milliseconds: the controller may be off for some days. */
const validMs = 7 * 24 * 3_600_000;
/** How much of an agent's output travels, from its end, in characters. */
const tail = 64_000;
/** Between two renewals of the lease, in milliseconds. */
const renewEvery = 900;

type Fate = 'runs' | 'lost' | 'unwanted' | 'put-back';

/** A turn that this worker holds. It is reported only while it is held. */
export class HeldTurn {
  readonly #at: Workplace;
  readonly #held: HeldJob;
  #fate: Fate = 'runs';
  /** The commit that its work began at. */
  #begin: string | null = null;
  /** Brings its checkout back to that commit. */
  #clear: () => Promise<void> = async () => {};
  #ended: (ended: Ended) => void = () => {};
  #runner: AgentRunner | null = null;
  #asked: number;
  #asking = false;

  constructor(at: Workplace, held: HeldJob) {
    this.#at = at;
    this.#held = held;
    this.#asked = at.elapsed();
  }

  /** Never rejects. Resolves to what became of it, in words. */
  async run(): Promise<string> {
    try {
      return await this.#run();
    } catch (error) {
      return `was not reported: ${messageOf(error)}`;
    }
  }

  /** Keeps the lease, and asks whether the turn is still wanted. */
  look(): void {
    if (this.#asking || this.#fate !== 'runs') return;
    if (this.#at.elapsed() - this.#asked < renewEvery) return;
    this.#asking = true;
    void this.#ask()
      .catch(() => {})
      .finally(() => (this.#asking = false));
  }

  async #ask(): Promise<void> {
    this.#asked = this.#at.elapsed();
    if (!(await this.#held.renew())) return this.#end('lost');
    if (await this.#held.isStopping()) this.#end('unwanted');
  }

  /** The agent has ended, with everything that it started. */
  ended(ended: Ended): void {
    this.#ended(ended);
  }

  /** Its process waits at the launch barrier: the journal of the controller has it. */
  ready(): void {
    this.#runner?.release(this.#held.id);
  }

  /** Stops it, and leaves it to other workers. */
  putBack(): void {
    this.#end('put-back');
  }

  #end(fate: Fate): void {
    if (this.#fate !== 'runs') return;
    this.#fate = fate;
    this.#runner?.stop(this.#held.id);
  }

  async #run(): Promise<string> {
    const { key } = this.#at;
    const { id, role, data } = this.#held;
    const signed = verify(key, data, { kind: 'job', job: id, nonce: null, now: this.#at.now() });
    // Without a valid signature there is no nonce, and the controller refuses the answer, too.
    if (!signed.ok) return this.#refuse(signed.nonce, signed.problem);
    // First: another version may have another form.
    const { version } = signed.body;
    if (version !== this.#at.version) return this.#refuse(signed.nonce, this.#otherVersion(version));
    const read = readRemoteTurn(signed.body);
    if (!read.ok) return this.#refuse(signed.nonce, read.problem);
    const turn = read.value;
    const problem = this.#misfit(turn, role);
    if (problem !== null) return this.#refuse(signed.nonce, problem);
    const about = { kind: 'note', job: id, nonce: signed.nonce, expires: this.#at.now() + validMs } as const;
    const noted = this.#held.note(sign(key, about, { ...this.#at.worker }));
    // A disk that is full, say: the controller learns the reason at once.
    const failed = (error: unknown) => this.#endOf(later(messageOf(error)), [], null);
    const [end] = await Promise.all([this.#work(turn, noted).catch(failed), noted]);
    return this.#report(signed.nonce, end);
  }

  #otherVersion(version: Json = null): string {
    const its = typeof version === 'string' ? `version ${version}` : 'another version';
    return `the controller runs ${its} of Mailroom, and this worker version ${this.#at.version}: install the same on all hosts`;
  }

  /** Why this worker does not run it, in words; null: it does. */
  #misfit(turn: RemoteTurn, from: string): string | null {
    const { labels, queue, program, provider, capabilities, secrets } = turn;
    const lacks = labels.filter((label) => !this.#at.labels.includes(label));
    if (lacks.length > 0) return `it needs the labels ${listed(lacks)}, which this worker has not`;
    if (queue !== from) return `it is of ${queue}, in the queue of ${from}`;
    // Who allows agents has not allowed commands of a definition's author.
    if ((program !== null) !== (takerOf(queue) === takerOfKind('commands')))
      return `it is of another kind than ${queue}`;
    const forbidden = provider === null ? null : this.#at.forbids(provider, capabilities);
    if (forbidden !== null) return forbidden;
    const given = this.#at.variables(secrets);
    const unset = secrets.filter((name) => ownValue(given, name) === undefined);
    return unset.length === 0 ? null : `the environment of this worker does not have ${listed(unset)}`;
  }

  async #refuse(nonce: string | null, problem: string, usage?: Usage): Promise<string> {
    const text = `the worker on ${this.#at.worker.host} refused it: ${problem}`;
    await this.#finish(nonce, this.#endOf(later(text, usage), [], null));
    return `was refused: ${problem}`;
  }

  /**
   * Runs the agent in a checkout with the work that the turn begins with, once the controller can
   * know who does.
   */
  async #work(turn: RemoteTurn, noted: Promise<void>): Promise<RemoteEnd> {
    const { root, travel, folders } = this.#at;
    const { thread, role, begin } = turn;
    this.#begin = begin;
    const path = join(root, '.mailroom', 'worktrees', roleCheckout(thread, role));
    const working = { turn: turn.turn, role, thread, branch: roleBranch(thread, role) };
    const placed = await travel.place(path, working, begin, refsOf(this.#held).beginRef);
    this.#clear = () => travel.clear(path, working, begin);
    if (!placed.ok) return this.#endOf(later(placed.problem), [], null);
    const secrets = this.#secretsOf(turn);
    const here = { key: this.#held.id, root, workspace: path, folders, tools: this.#at.tools, secrets };
    const { job, carries, brings, values } = jobHere(turn, here);
    const problem = await this.#lay(turn, carries, path);
    if (problem !== null) return this.#endOf(later(problem), [], null);
    await noted;
    const ended = await this.#agent(job, Object.values(secrets));
    if (turn.provider !== null) this.#park(turn.provider, ended);
    // The work of a turn that was taken from this worker is kept here.
    if (this.#fate === 'unwanted' || this.#fate === 'put-back') return this.#endOf(ended, [], null);
    const mask = this.#at.mask(Object.values(secrets));
    const staged = folders
      .collect(folderOf(turn), turn.attempt, turn.round)
      .map((file) => maskedFile(file, mask));
    for (const file of values) this.#at.maskFile(file, mask);
    const packed = await travel.pack(path, working);
    const { usage } = ended[0];
    if (!packed.ok) return this.#endOf(later(packed.problem, usage), [], null);
    const brought = await travel.carry(brings);
    if (!brought.ok) return this.#endOf(later(brought.problem, usage), [], packed.value);
    return { ...this.#endOf(ended, staged, packed.value), files: brought.value };
  }

  #secretsOf({ provider, secrets }: RemoteTurn): Readonly<Record<string, string>> {
    return withAlias(provider, this.#at.variables(secrets), this.#at.variables);
  }

  /** Gets the files that travel besides the checkout. Resolves to why it cannot; null: it could. */
  async #lay({ carries }: RemoteTurn, paths: readonly string[], workspace: string): Promise<string | null> {
    const { root, travel } = this.#at;
    if (carries === null) return null;
    const got = await travel.fetch(carries.commit, refsOf(this.#held).carriedRef);
    const laid = got.ok ? await travel.lay(carries.commit, paths, rootsOf(paths, workspace, root)) : got;
    return laid.ok ? null : laid.problem;
  }

  /** The login of this worker has hit a usage limit: turns of this provider are left to others. */
  #park(provider: string, [outcome]: Ended): void {
    if (outcome.is !== 'later' || outcome.class !== 'RETRYABLE_RATE_LIMIT') return;
    const until = restUntil(outcome.until, 1, this.#at.now());
    orElse(() => this.#at.parking.park(provider, until), undefined);
  }

  #agent(job: AgentJob, secrets: readonly string[]): Promise<Ended> {
    if (this.#fate !== 'runs') return Promise.resolve(stopped);
    const runner = this.#at.runner(secrets);
    this.#runner = runner;
    return new Promise((resolve) => {
      this.#ended = resolve;
      runner.start(job);
    });
  }

  /** Reports how it ended, unless it is not held any more. */
  async #report(nonce: string, end: RemoteEnd): Promise<string> {
    const { travel } = this.#at;
    if (this.#fate === 'put-back') {
      await this.#held.putBack();
      return 'was left to other workers';
    }
    const { endRef, broughtRef } = refsOf(this.#held);
    // The controller has what it began with.
    const isNew = end.work !== null && end.work.commit !== this.#begin;
    const sends = isNew || end.files !== null;
    if (this.#fate === 'lost' || (sends && !(await this.#held.renew()))) return this.#keep(lost, end);
    if (end.work !== null && sends) {
      const work = isNew ? await travel.send(end.work.commit, endRef) : nothingSent;
      const sent = work.ok && end.files !== null ? await travel.send(end.files, broughtRef) : work;
      if (!sent.ok) return this.#refuse(nonce, await this.#keep(sent.problem, end), end.outcome.usage);
    }
    if (!(await this.#finish(nonce, end))) return this.#keep(lost, end);
    // The controller has the work: `prune` may remove a checkout without any.
    if (isNew) await this.#clear();
    return this.#fate === 'unwanted' ? 'was stopped' : `ended: ${end.outcome.is}`;
  }

  /** False: it is not held any more. */
  async #finish(nonce: string | null, end: RemoteEnd): Promise<boolean> {
    const { key } = this.#at;
    const about = {
      kind: 'result',
      job: this.#held.id,
      nonce: nonce ?? '',
      expires: this.#at.now() + validMs,
    } as const;
    const signed = sign(key, about, { ...end });
    const bytes = Buffer.byteLength(JSON.stringify(signed));
    if (bytes <= mostBytes) return this.#held.finish(signed);
    const why = await this.#keep(tooLarge('what the turn left', bytes), end);
    return this.#finish(nonce, this.#endOf(later(why, end.outcome.usage), [], null));
  }

  /** Keeps work that is not reported in the repository of this worker, and adds to `why` where. */
  async #keep(why: string, { work }: RemoteEnd): Promise<string> {
    const { travel, worker } = this.#at;
    if (work === null || work.commit === this.#begin) return why;
    const kept = await travel.keep(this.#held.id, work.commit);
    if (!kept.ok) return `${why}; its work could not be kept: ${kept.problem}`;
    return `${why}; its work is kept on ${worker.host} as ${kept.value}`;
  }

  #endOf([outcome, exit, changed]: Ended, staged: RemoteEnd['staged'], work: RemoteEnd['work']): RemoteEnd {
    const { code, signal, ended, error, durationMs } = exit;
    const { root, worker } = this.#at;
    return {
      worker,
      outcome: outcome.is === 'done' ? { ...outcome, denials: [...outcome.denials] } : outcome,
      exit: {
        code,
        signal,
        ended,
        error,
        durationMs,
        stdout: exit.stdout.slice(-tail),
        stderr: exit.stderr.slice(-tail),
      },
      staged,
      changed: [...changed].map(([folder, changes]) => ({
        folder: folder === root ? 'project' : 'workspace',
        changes:
          typeof changes === 'string'
            ? changes
            : { paths: [...changes.paths], untracked: [...changes.untracked] },
      })),
      work,
      files: null,
    };
  }
}

/** A message has common words, which are not masked in it. */
function maskedFile({ name, content }: StagedFile, mask: Mask): StagedFile {
  return { name, content: content.ok ? { ok: true, text: mask.name(content.text) } : content };
}

const nothingSent = { ok: true } as const;

const lost = 'was taken from this worker, which was silent for too long: nothing of it was reported';
