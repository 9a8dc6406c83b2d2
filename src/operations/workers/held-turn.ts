import { join } from 'node:path';
import type { Ended } from '../../host/runner/agents.ts';
import { later, mostBytes, refsOf, stopped, tooLarge } from '../../host/runner/remote-turn.ts';
import type { AgentJob, Runner } from '../../host/runner/runner.ts';
import type { Parking } from '../../host/parking.ts';
import type { Travel } from '../../host/runner/travel.ts';
import { orElse } from '../../kernel/contained.ts';
import type { Assigned } from '../../kernel/launched.ts';
import { listed } from '../../kernel/enumerate.ts';
import { messageOf } from '../../kernel/errors.ts';
import { roleBranch, roleCheckout } from '../../kernel/work.ts';
import { readRemoteTurn, type RemoteEnd, type RemoteTurn } from '../../letters/remote-turn.ts';
import { restUntil } from '../../kernel/usage-limits.ts';
import type { TurnFolders } from '../../mail/mailboxes/turn-folders.ts';
import type { TurnTools } from '../../providers/provider.ts';
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
  readonly runner: Runner;
  readonly folders: TurnFolders;
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
  #ended: (ended: Ended) => void = () => {};
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

  /** Stops it, and leaves it to other workers. */
  putBack(): void {
    this.#end('put-back');
  }

  #end(fate: Fate): void {
    if (this.#fate !== 'runs') return;
    this.#fate = fate;
    this.#at.runner.stop(this.#held.id);
  }

  async #run(): Promise<string> {
    const { key } = this.#at;
    const { id, role, data } = this.#held;
    const signed = verify(key, data, { kind: 'job', job: id, nonce: null, now: this.#at.now() });
    // Without a valid signature there is no nonce, and the controller refuses the answer, too.
    if (!signed.ok) return this.#refuse(signed.nonce, signed.problem);
    const read = readRemoteTurn(signed.body);
    if (!read.ok) return this.#refuse(signed.nonce, read.problem);
    const turn = read.value;
    const { version } = this.#at;
    if (turn.version !== version)
      return this.#refuse(
        signed.nonce,
        `the controller runs version ${turn.version} of Mailroom, and this worker version ${version}`,
      );
    const lacks = turn.labels.filter((label) => !this.#at.labels.includes(label));
    if (lacks.length > 0)
      return this.#refuse(signed.nonce, `it needs the labels ${listed(lacks)}, which this worker has not`);
    if (turn.role !== role)
      return this.#refuse(signed.nonce, `it is of ${turn.role}, in the queue of ${role}`);
    const about = { kind: 'note', job: id, nonce: signed.nonce, expires: this.#at.now() + validMs } as const;
    await this.#held.note(sign(key, about, { ...this.#at.worker }));
    return this.#report(signed.nonce, await this.#work(turn));
  }

  async #refuse(nonce: string | null, problem: string): Promise<string> {
    const text = `the worker on ${this.#at.worker.host} refused the turn: ${problem}`;
    await this.#finish(nonce, this.#endOf(later(text), [], null));
    return `was refused: ${problem}`;
  }

  /** Runs the agent in a checkout with the work that the turn begins with. */
  async #work(turn: RemoteTurn): Promise<RemoteEnd> {
    const { root, travel, folders } = this.#at;
    const { thread, role, begin } = turn;
    this.#begin = begin;
    const path = join(root, '.mailroom', 'worktrees', roleCheckout(thread, role));
    const working = { turn: turn.turn, role, thread, branch: roleBranch(thread, role) };
    const got = await travel.fetch(begin, refsOf(this.#held).beginRef);
    if (!got.ok) return this.#endOf(later(got.problem), [], null);
    const takes = [{ commit: begin, message: '', from: '' }];
    const entered = await travel.enter(path, {
      ...working,
      edits: false,
      resolves: 'none',
      resolving: null,
      takes,
      base: begin,
      last: null,
    });
    if (!entered.ok) return this.#endOf(later(entered.problem), [], null);
    const ended = await this.#agent(this.#job(turn, path));
    this.#park(turn.provider, ended);
    // The work of a turn that was taken from this worker is kept here.
    if (this.#fate === 'unwanted' || this.#fate === 'put-back') return this.#endOf(ended, [], null);
    const staged = folders.collect(turn.turn, turn.attempt, turn.round);
    const packed = await travel.pack(path, working);
    if (!packed.ok) return this.#endOf(later(packed.problem), [], null);
    return this.#endOf(ended, staged, packed.value);
  }

  /** The login of this worker has hit a usage limit: turns of this provider are left to others. */
  #park(provider: string, [outcome]: Ended): void {
    if (outcome.is !== 'later' || outcome.class !== 'RETRYABLE_RATE_LIMIT') return;
    const until = restUntil(outcome.until, 1, this.#at.now());
    orElse(() => this.#at.parking.park(provider, until), undefined);
  }

  #agent(job: AgentJob): Promise<Ended> {
    if (this.#fate !== 'runs') return Promise.resolve(stopped);
    return new Promise((resolve) => {
      this.#ended = resolve;
      this.#at.runner.start(job);
    });
  }

  #job(turn: RemoteTurn, workspace: string): AgentJob {
    const { root, folders, tools } = this.#at;
    const { provider, totalMs, idleMs, watched, messages, mcp } = turn;
    const { role, thread, turn: id, attempt, round, capabilities, network, model, env, mayConfigure } = turn;
    const write = (outbox: string) => turn.prompt.replaceAll(turn.outbox, outbox);
    const paths = folders.open(id, attempt, round, write, messages, false);
    const given = { role, thread, turn: id, attempt, round, capabilities, network, model, env, mayConfigure };
    const unlimited = { maxSteps: null, maxCommandTime: null, variant: null };
    const invocation = {
      ...given,
      ...unlimited,
      owed: [],
      session: null,
      prompt: write(paths.outbox),
      budget: turn.budget,
      paths,
      workspace,
      project: root,
      tools: turn.tools ? tools : null,
      // A conversation does not travel, and without it no person can be asked.
      asking: null,
      mcp: mcp === null ? null : { own: mcp, servers: {} },
    };
    return {
      key: this.#held.id,
      provider,
      invocation,
      totalMs,
      idleMs,
      noteTree: false,
      worktree: null,
      watched: watched.map((folder) => (folder === 'workspace' ? workspace : root)),
    };
  }

  /** Reports how it ended, unless it is not held any more. */
  async #report(nonce: string, end: RemoteEnd): Promise<string> {
    const { travel } = this.#at;
    if (this.#fate === 'put-back') {
      await this.#held.putBack();
      return 'was left to other workers';
    }
    if (this.#fate === 'lost' || !(await this.#held.renew())) return this.#keep(lost, end);
    if (end.work !== null) {
      const sent = await travel.send(end.work.commit, refsOf(this.#held).endRef);
      if (!sent.ok) return this.#refuse(nonce, await this.#keep(sent.problem, end));
    }
    if (!(await this.#finish(nonce, end))) return this.#keep(lost, end);
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
    return this.#finish(nonce, this.#endOf(later(why), [], null));
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
    };
  }
}

const lost = 'was taken from this worker, which was silent for too long: nothing of it was reported';
