import { messageOf } from '../../../kernel/errors.ts';
import { isHostFault, unlessPassing } from '../../../kernel/passing.ts';
import { isJsonObject } from '../../../kernel/json.ts';
import type { Read } from '../../../letters/letters.ts';
import { readRemoteEnd, type RemoteEnd } from '../letters/remote-turn.ts';
import { readAssigned } from '../letters/worker.ts';
import { mostBytes, type JobState } from '../queue/channel.ts';
import type { Credentials } from '../queue/credentials.ts';
import { verify } from '../queue/signed.ts';
import type { Travel } from '../travel.ts';
import type { Travelled } from '../../../git/travel.ts';
import type { Ended } from '../../../host/runner/agents.ts';
import { isLeft, type Followed } from './followed.ts';
import { rootsOf } from '../places.ts';
import {
  endedBy,
  isIdOf,
  later,
  refsOf,
  refused,
  stopped,
  tooLarge,
  turnOf,
  unreportedUsage,
  writeEnd,
} from '../remote-turn.ts';
import type { AgentJob } from '../../../host/runner/runner.ts';

type Unpacked =
  | { readonly is: 'here'; readonly difference: string | null }
  | { readonly is: 'unreachable' }
  | { readonly is: 'refused'; readonly problem: string };

type Done = Extract<JobState, { is: 'done' }>;

export interface ResultOptions {
  readonly travel: Travel;
  readonly credentials: Credentials;
  /** How long git and the queue may fail before a turn does, in milliseconds. */
  readonly patience: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds since some time, on a clock that is never set. */
  readonly elapsed: () => number;
}

/** Takes what workers report: nothing of it counts that the controller has not checked itself. */
export class QueuedResults {
  readonly #options: ResultOptions;
  readonly #asked: (problem: string | null) => void;

  /** `asked`: receives why git cannot reach the shared repository; null: it can. */
  constructor(options: ResultOptions, asked: (problem: string | null) => void) {
    this.#options = options;
    this.#asked = asked;
  }

  /** A finished job's result, with its work in the checkout; null: it cannot be taken now. */
  async take(followed: Followed, state: Done, nonce: string): Promise<Ended | 'left' | null> {
    try {
      return await this.#take(followed, state, nonce);
    } catch (error) {
      if (!isHostFault(error)) throw error;
      this.#asked(messageOf(error));
      return null;
    }
  }

  /** Throws a fault of this machine. */
  async #take(followed: Followed, state: Done, nonce: string): Promise<Ended | 'left' | null> {
    const { job, ending } = followed;
    if (ending === 'stop') return stopped;
    const { travel, elapsed } = this.#options;
    const read = this.#read(followed, state, nonce);
    if (read === 'left') return 'left';
    if (!read.ok) return later(`the result of its worker was refused: ${read.problem}`, unreportedUsage(job));
    const end = read.value;
    const left = await this.#unpack(followed, end);
    if (left.is === 'unreachable') followed.failingSince = Math.min(followed.failingSince, elapsed());
    if (left.is === 'unreachable') return null;
    // Its files belong to the next host.
    if (isLeft(followed)) return stopped;
    if (left.is === 'refused') return refused(job, end, `its work was refused: ${left.problem}`);
    writeEnd(travel, job, end);
    const laid = unlessPassing(await this.#lay(job, end));
    return laid.ok
      ? endedBy(job, end, left.difference)
      : refused(job, end, `its files were refused: ${laid.problem}`);
  }

  /** The result of the worker that has the job, or that refused it before it began. */
  #read({ name, worker }: Followed, { result, bytes }: Done, nonce: string): Read<RemoteEnd> | 'left' {
    if (bytes > mostBytes) return { ok: false, problem: tooLarge('it', bytes) };
    const kind = isJsonObject(result) && result['kind'] === 'left' ? 'left' : 'result';
    const expected = { kind, job: name.id, nonce, now: this.#options.now() } as const;
    const signed = verify(this.#options.credentials, result, expected);
    if (!signed.ok) return signed;
    const by = kind === 'left' ? readAssigned(signed.body) : readRemoteEnd(signed.body);
    if (!by.ok) return by;
    const { id } = 'worker' in by.value ? by.value.worker : by.value;
    if (!isIdOf(id, signed.by) || (worker !== null && id !== worker))
      return { ok: false, problem: 'it is of another worker than the one that has the job' };
    if (!('worker' in by.value)) return 'left';
    if (worker === null && by.value.outcome.is === 'done')
      return { ok: false, problem: 'its worker was not allowed to begin' };
    return { ok: true, value: by.value };
  }

  /** What it brings besides its checkout: only where this host has asked for it. */
  async #lay({ files, invocation }: AgentJob, end: RemoteEnd): Promise<Travelled<void>> {
    const { workspace, project } = invocation;
    if (end.files === null || files === undefined) return { ok: true, value: undefined };
    return this.#options.travel.lay(end.files, files.brings, rootsOf(files.brings, workspace, project));
  }

  async #unpack(followed: Followed, { work, files }: RemoteEnd): Promise<Unpacked> {
    const { job, name, failingSince } = followed;
    const { travel, patience, elapsed } = this.#options;
    const { invocation, keepsDifference } = job;
    const { workspace } = invocation;
    const turn = turnOf(job);
    if (work === null || turn === null) return { is: 'here', difference: null };
    const { beginRef, endRef, broughtRef } = refsOf(name);
    // It lies in the checkout already.
    const isNew = work.commit !== followed.begun || work.head !== work.commit;
    const took = isNew ? await travel.take(work.commit, [endRef, beginRef]) : here;
    const got = took.ok && files !== null ? await travel.take(files, [broughtRef]) : took;
    this.#asked(got.ok ? null : got.problem);
    unlessPassing(got);
    if (!got.ok)
      return elapsed() - failingSince < patience || failingSince === Infinity
        ? { is: 'unreachable' }
        : { is: 'refused', ...got };
    if (isLeft(followed)) return { is: 'here', difference: null };
    if (files !== null && got.value !== files) return { is: 'refused', problem: elsewhere(files, got.value) };
    if (!isNew) return { is: 'here', difference: null };
    const sent = took.ok ? took.value : null;
    // What a turn began with and a branch has was not sent, and lies in the checkout.
    const found = sent === null ? await travel.pack(workspace, turn) : null;
    if (found?.ok === true && found.value.commit === work.commit) return { is: 'here', difference: null };
    if (sent !== work.commit) return { is: 'refused', problem: elsewhere(work.commit, sent) };
    const before = keepsDifference === true ? await travel.tree(workspace) : null;
    const unpacked = unlessPassing(await travel.unpack(workspace, turn, work));
    if (!unpacked.ok) return { is: 'refused', problem: unpacked.problem };
    return { is: 'here', difference: before && (await travel.difference(workspace, before)) };
  }
}

const here = { ok: true, value: null } as const;

/** `sent`: what its worker has sent; null: nothing. */
function elsewhere(commit: string, sent: string | null): string {
  return `it names the commit ${commit}, and its worker has sent ${sent ?? 'none'}`;
}
