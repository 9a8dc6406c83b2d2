import type { Ended } from '../../../host/runner/agents.ts';
import { later, refsOf, stopped, tooLarge } from '../remote-turn.ts';
import type { AgentJob, AgentRunner } from '../../../host/runner/runner.ts';
import type { Parking } from '../../../host/parking.ts';
import type { Travel } from '../travel.ts';
import { orElse } from '../../../kernel/contained.ts';
import type { Usage } from '../../../kernel/cost.ts';
import type { Assigned } from '../../../kernel/launched.ts';
import { takerOf, takerOfKind } from '../../../kernel/step-queues.ts';
import { rootsOf } from '../places.ts';
import { withAlias } from '../../../workflow/host/secrets.ts';
import { checkoutOf, folderOf, jobHere, lost, maskedFile, reportOf, unconfirmed } from './job-here.ts';
import type { Capability } from '../../../kernel/capabilities.ts';
import type { Json, JsonObject } from '../../../kernel/json.ts';
import { onceRepaired } from '../../../host/host-waits.ts';
import { isHostFault, isPassing, unlessPassing } from '../../../kernel/passing.ts';
import type { Travelled } from '../../../git/travel.ts';
import { listed } from '../../../kernel/enumerate.ts';
import { messageOf } from '../../../kernel/errors.ts';
import { roleBranch } from '../../../kernel/work.ts';
import { readRemoteTurn, type RemoteEnd, type RemoteTurn } from '../letters/remote-turn.ts';
import { restUntil } from '../../../kernel/usage-limits.ts';
import type { Mask } from '../../../kernel/mask.ts';
import { ownValue } from '../../../kernel/own.ts';
import type { TurnFolders } from '../../../mail/mailboxes/turn-folders.ts';
import type { StagedFile, TurnTools } from '../../../providers/provider.ts';
import { mostBytes, type HeldJob } from '../queue/channel.ts';
import type { Credentials } from '../queue/credentials.ts';
import { jobMs, sign, verify, type About } from '../queue/signed.ts';
import type { Begun } from './begun.ts';

/** What a worker runs turns with. */
export interface Workplace {
  readonly root: string;
  readonly worker: Assigned;
  readonly version: string;
  readonly labels: readonly string[];
  readonly travel: Travel;
  readonly credentials: Credentials;
  readonly begun: Begun;
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

/** Between two renewals of the lease, in milliseconds. */
const renewEvery = 900;
/** How long it waits until the controller lets it begin, in milliseconds. */
const patience = 15_000;

type Fate = 'runs' | 'lost' | 'unwanted' | 'put-back' | 'unconfirmed';

/** What a turn waits for that the controller has not confirmed yet. */
interface Claim {
  readonly nonce: string;
  readonly since: number;
  readonly over: () => void;
}

/** A turn that this worker holds. It is reported only while it is held. */
export class HeldTurn {
  /** Why the machine of this worker could not do it, in words; null: it could. */
  fault: string | null = null;
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
  /** Something may have changed while it asked. */
  #again = false;
  /** Null: it has not asked to begin, or was answered. */
  #claim: Claim | null = null;

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
    if (this.#fate !== 'runs' || (this.#claim === null && !this.#isDue())) return;
    this.#again = this.#asking;
    if (this.#asking) return;
    this.#asking = true;
    void this.#ask()
      .catch(() => {})
      .finally(() => {
        this.#asking = false;
        if (this.#again) this.look();
      });
  }

  /** Whether the lease must be renewed. */
  #isDue(): boolean {
    return this.#at.elapsed() - this.#asked >= renewEvery;
  }

  async #ask(): Promise<void> {
    if (this.#isDue() && !(await this.#renew())) return;
    const { stopping, granted } = await this.#held.asked();
    if (stopping) return this.#end('unwanted');
    if (this.#claim === null) return;
    if (this.#isGrant(granted, this.#claim.nonce)) {
      // Another one may have it by now.
      if (await this.#renew()) this.#answered();
    } else if (this.#at.elapsed() - this.#claim.since > patience) this.#end('unconfirmed');
  }

  #runs(): boolean {
    return this.#fate === 'runs';
  }

  async #renew(): Promise<boolean> {
    this.#asked = this.#at.elapsed();
    const isHeld = await this.#held.renew();
    if (!isHeld) this.#end('lost');
    return isHeld;
  }

  /** Whether the controller lets this start of the worker begin this job. */
  #isGrant(granted: Json, nonce: string): boolean {
    const { credentials, worker } = this.#at;
    const about = { kind: 'grant', job: this.#held.id, nonce, now: this.#at.now() } as const;
    const signed = verify(credentials, granted, about);
    return signed.ok && signed.body['worker'] === worker.id;
  }

  #answered(): void {
    this.#claim?.over();
    this.#claim = null;
  }

  /** Asks the controller to begin, and waits until it is confirmed, or over. */
  async #confirmed(nonce: string): Promise<void> {
    await this.#held.note(this.#signed('note', nonce, { ...this.#at.worker }));
    if (this.#fate !== 'runs') return;
    await new Promise<void>((over) => {
      this.#claim = { nonce, since: this.#at.elapsed(), over };
      this.look();
    });
    if (this.#fate === 'runs') this.#at.begun.add(this.#held.id, nonce);
  }

  #signed(kind: 'note' | 'result' | 'left', nonce: string, body: JsonObject): JsonObject {
    const about: About = { kind, job: this.#held.id, nonce, expires: this.#at.now() + jobMs };
    return sign(this.#at.credentials, about, body);
  }

  /** The agent has ended, with everything that it started. */
  ended(ended: Ended): void {
    this.#ended(ended);
  }

  /** Its process waits at the launch barrier: the journal of the controller has it. */
  ready(): void {
    this.#runner?.release(this.#held.id);
  }

  /** This machine cannot do what it needs now: it is left to other workers, as not begun. */
  held(problem: string): void {
    this.fault = problem;
    this.#end('put-back');
    this.#ended(stopped);
  }

  /** Stops it, and leaves it to other workers. */
  putBack(): void {
    this.#end('put-back');
  }

  #end(fate: Fate): void {
    if (this.#fate !== 'runs') return;
    this.#fate = fate;
    this.#answered();
    this.#runner?.stop(this.#held.id);
  }

  async #run(): Promise<string> {
    const { id, role, data } = this.#held;
    const signed = verify(this.#at.credentials, data, {
      kind: 'job',
      job: id,
      nonce: null,
      now: this.#at.now(),
    });
    // Without a valid signature there is no nonce, and the controller refuses the answer, too.
    if (!signed.ok) return this.#refuse(signed.nonce, signed.problem);
    // Its answer could be taken for one to the first time.
    if (this.#at.begun.has(id, signed.nonce)) return 'was not begun again: somebody has put it back';
    // First: another version may have another form.
    const { version } = signed.body;
    if (version !== this.#at.version) return this.#refuse(signed.nonce, this.#otherVersion(version));
    const read = readRemoteTurn(signed.body);
    if (!read.ok) return this.#refuse(signed.nonce, read.problem);
    const turn = read.value;
    const problem = this.#misfit(turn, role);
    if (problem !== null) return this.#refuse(signed.nonce, problem);
    // What it begins with is got meanwhile; nothing is changed in any checkout.
    const fetched = this.#at.travel.fetch(turn.begin, refsOf(this.#held).beginRef);
    await this.#confirmed(signed.nonce);
    if (!this.#runs()) return this.#report(signed.nonce, this.#endOf(stopped, [], null));
    await fetched;
    const checkout = checkoutOf(turn, this.#at.root);
    const work = () => this.#work(turn, checkout);
    const end = await this.#at.begun
      .inside(checkout, work)
      // A disk that is full, say: the controller learns the reason at once.
      .catch((error: unknown) => this.#endOf(this.#failed(messageOf(error), isHostFault(error)), [], null));
    return this.#report(signed.nonce, end);
  }

  /** The end of a turn that did not begin. `isFault`: it is for a fault of this machine. */
  #failed(problem: string, isFault = isPassing(problem)): Ended {
    if (isFault && this.#runs()) this.held(problem);
    return this.fault === null ? later(problem) : stopped;
  }

  #otherVersion(version: Json = null): string {
    const its = typeof version === 'string' ? `version ${version}` : 'another version';
    return `the controller runs ${its} of Mailroom, and this worker version ${this.#at.version}: install the same on all hosts`;
  }

  /** Why this worker does not run it, in words; null: it does. */
  #misfit(turn: RemoteTurn, from: string): string | null {
    const { labels, queue, secrets, job } = turn;
    const { provider, program } = job;
    const lacks = labels.filter((label) => !this.#at.labels.includes(label));
    if (lacks.length > 0) return `it needs the labels ${listed(lacks)}, which this worker has not`;
    if (queue !== from) return `it is of ${queue}, in the queue of ${from}`;
    // Who allows agents has not allowed commands of a definition's author.
    if ((program !== undefined) !== (takerOf(queue) === takerOfKind('commands')))
      return `it is of another kind than ${queue}`;
    const forbidden = provider === '' ? null : this.#at.forbids(provider, job.invocation.capabilities);
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

  /** Runs the agent in a checkout with the work that the turn begins with. */
  async #work(turn: RemoteTurn, path: string): Promise<RemoteEnd> {
    const { root, travel, folders } = this.#at;
    const { role, begin } = turn;
    const { thread, turn: id, attempt, round } = turn.job.invocation;
    if (!this.#runs()) return this.#endOf(stopped, [], null);
    this.#begin = begin;
    const working = { turn: id, role, thread, branch: roleBranch(thread, role) };
    const placed = await travel.place(path, working, begin, refsOf(this.#held).beginRef);
    this.#clear = () => travel.clear(path, working, begin);
    if (!placed.ok) return this.#endOf(this.#failed(placed.problem), [], null);
    const secrets = this.#secretsOf(turn);
    const here = { key: this.#held.id, root, workspace: path, folders, tools: this.#at.tools, secrets };
    const { job, carries, brings, values } = jobHere(turn, here);
    const problem = await this.#lay(turn, carries, path);
    if (problem !== null) return this.#endOf(this.#failed(problem), [], null);
    const ended = await this.#agent(job, Object.values(secrets));
    if (job.provider !== '') this.#park(job.provider, ended);
    // The work of a turn that was taken from this worker is kept here.
    if (this.#fate === 'unwanted' || this.#fate === 'put-back') return this.#endOf(ended, [], null);
    const mask = this.#at.mask(Object.values(secrets));
    let staged: StagedFile[] = [];
    const packed = await this.#after(() => {
      const found = folders.collect(folderOf(turn), attempt, round);
      staged = found.map((file) => maskedFile(file, mask));
      for (const file of values) this.#at.maskFile(file, mask);
      return travel.pack(path, working);
    });
    const { usage } = ended[0];
    if (!packed.ok) return this.#endOf(later(packed.problem, usage), [], null);
    const brought = await this.#after(() => travel.carry(brings));
    if (!brought.ok) return this.#endOf(later(brought.problem, usage), [], packed.value);
    return { ...this.#endOf(ended, staged, packed.value), files: brought.value };
  }

  /** What follows the end of an agent, once the machine allows it; the lease is kept meanwhile. */
  async #after<T>(act: () => Promise<Travelled<T>>): Promise<Travelled<T>> {
    const watch = { unread: () => {}, isStopped: () => !this.#runs() };
    return onceRepaired(async () => unlessPassing(await act()), watch).catch((error: unknown) => ({
      ok: false,
      problem: messageOf(error),
    }));
  }

  #secretsOf({ job, secrets }: RemoteTurn): Readonly<Record<string, string>> {
    return withAlias(job.provider || null, this.#at.variables(secrets), this.#at.variables);
  }

  /** Gets the files that travel besides the checkout. Resolves to why it cannot; null: it could. */
  async #lay({ carried }: RemoteTurn, paths: readonly string[], workspace: string): Promise<string | null> {
    const { root, travel } = this.#at;
    if (carried === null) return null;
    const got = await travel.fetch(carried, refsOf(this.#held).carriedRef);
    const laid = got.ok ? await travel.lay(carried, paths, rootsOf(paths, workspace, root)) : got;
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
    if (this.#fate === 'put-back' || this.#fate === 'unconfirmed') {
      await this.#held.finish(this.#signed('left', nonce, { ...this.#at.worker }));
      const why = this.fault === null ? '' : `: ${this.fault}`;
      return this.#fate === 'put-back' ? `was left to other workers${why}` : unconfirmed;
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
    const signed = this.#signed('result', nonce ?? '', { ...end });
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

  #endOf(ended: Ended, staged: RemoteEnd['staged'], work: RemoteEnd['work']): RemoteEnd {
    return reportOf(this.#at, ended, { staged, work });
  }
}

const nothingSent = { ok: true } as const;
