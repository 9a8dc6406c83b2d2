import { join } from 'node:path';
import { v7 } from 'uuid';
import { MailroomError } from '../../kernel/errors.ts';
import { kinds, tagOf, type NostrEvent } from './letters/nostr-event.ts';
import { addressees, answersFor } from './nostr/request.ts';
import { refusalEvent } from './nostr/execution-events.ts';
import type { Signer } from './nostr/signer.ts';
import type { RelayFilter } from './nostr/relay-messages.ts';
import { definitionLog, EventLog, eventsFolder, refusalLog } from './nostr/event-log.ts';
import { projectKey } from '../../host/project-key.ts';
import type { Disk } from '../../disk/disk.ts';
import { listRuns } from '../../workflow/files/run-folders.ts';
import { watchFolders } from '../../disk/watch.ts';
import { followedRequests } from './executions.ts';
import { judgeRequest } from './asked.ts';
import { relaysOf, type Relays } from './nostr/relays.ts';
import type { AskedRuns, Listener, Listening, WorkflowReader } from '../../project/definition/hooks.ts';
import { isContained } from '../../kernel/contained.ts';
import { UnsentEvents } from './unsent.ts';

/** How far back relays are asked for requests, in seconds. */
const oldest = 86_400;
/**
 * Maximum number of requests waiting for processing; relays send further ones again on another
 * connection.
 */
const mostWaiting = 100;

interface Parts {
  readonly runs: AskedRuns;
  readonly signer: Signer;
  readonly relays: Relays;
  readonly failed: (error: unknown) => void;
}

/** Follows the requests from the relays of the project. */
class UpRequests {
  readonly #disk: Disk;
  readonly #reader: WorkflowReader;
  readonly #runs: AskedRuns;
  readonly #signer: Signer;
  readonly #failed: (error: unknown) => void;
  readonly #relays: Relays;
  readonly #watch: { close(): Promise<void> };
  readonly #seen: Set<string>;
  #waiting = 0;
  #last: Promise<void> = Promise.resolve();
  #definitions: readonly string[] = [];
  /** Disk errors, by operation. */
  readonly #problems = new Map<string, string>();

  constructor(disk: Disk, reader: WorkflowReader, { runs, signer, relays, failed }: Parts) {
    this.#disk = disk;
    this.#reader = reader;
    this.#runs = runs;
    this.#signer = signer;
    this.#failed = failed;
    const answered = new EventLog(disk, refusalLog).read().map((event) => tagOf(event, 'e') ?? '');
    this.#seen = new Set([...answered, ...followedRequests(disk).map(({ id }) => id)]);
    this.#relays = relays;
    relays.listen({ wants: () => this.#wants(), received: (event) => this.#receive(event) });
    this.#watch = watchFolders([join(disk.root, eventsFolder)], () => this.#look());
    // Not earlier: a definition kept in between would be missed.
    this.#definitions = this.#known();
  }

  /** Continues runs that an earlier `up` was asked for. */
  resume(): void {
    for (const { run, startedBy } of listRuns(this.#disk)) {
      const [request] = startedBy === 'up' ? new EventLog(this.#disk, run).read() : [];
      if (request !== undefined)
        this.#runs.run('', run, {}).catch((error: unknown) => this.#reportProblem(run, error));
    }
  }

  /** Current problems: a requested run of an earlier `up` cannot be resumed, or a disk error. */
  get problems(): readonly string[] {
    return [...this.#problems.values()];
  }

  /** An unreadable run or log does not stop the others; an internal error ends the program. */
  #reportProblem(what: string, error: unknown): void {
    if (!(error instanceof MailroomError) || error.code === 'E_INTERNAL') return this.#failed(error);
    // Another process hosts that run.
    if (error.code !== 'E_LOCKED') this.#problems.set(what, error.message);
  }

  async close(): Promise<void> {
    await this.#watch.close();
  }

  #known(): string[] {
    return new EventLog(this.#disk, definitionLog).read().map(({ id }) => id);
  }

  #look(): void {
    try {
      const known = this.#known();
      this.#problems.delete(definitionLog);
      if (known.length === this.#definitions.length) return;
      this.#definitions = known;
      this.#relays.renew();
    } catch (error) {
      this.#reportProblem(definitionLog, error);
    }
  }

  #wants(): RelayFilter | null {
    if (this.#definitions.length === 0) return null;
    const { requesters: authors } = this.#reader.config.nip;
    const since = Math.floor(Date.now() / 1_000) - oldest;
    return { kinds: [kinds.request], authors, '#e': this.#definitions, since };
  }

  /** One at a time: of two requests for the same run the first counts. */
  #receive(event: NostrEvent): void {
    if (this.#seen.has(event.id) || this.#waiting >= mostWaiting) return;
    this.#waiting += 1;
    this.#last = this.#last
      .then(() => this.#take(event))
      .then(() => void this.#problems.delete(refusalLog))
      .catch((error: unknown) => this.#reportProblem(refusalLog, error))
      .finally(() => (this.#waiting -= 1));
  }

  async #take(request: NostrEvent): Promise<void> {
    if (this.#seen.has(request.id)) return;
    const { isAuthentic } = await import('./nostr/signer.ts');
    // A request with an invalid signature gets no answer, and does not block the true one.
    if (!(await isAuthentic(request))) return;
    this.#seen.add(request.id);
    const keys = addressees(request);
    if (keys.length > 0 && !keys.includes(this.#signer.pubkey)) return;
    if (await this.#isAnswered(request)) return;
    try {
      await this.#runs.ask(await judgeRequest(this.#disk, this.#reader, request), v7());
    } catch (error) {
      if (!(error instanceof MailroomError)) throw error;
      this.#refuse(request, error.message);
    }
  }

  /**
   * Whether relays show that another service handles it or has: a new subscription receives all
   * requests of a day.
   */
  async #isAnswered(request: NostrEvent): Promise<boolean> {
    const { askRelays } = await import('./nostr/asking.ts');
    const wanted = { kinds: [kinds.result, kinds.status], '#e': [request.id] };
    const { events } = await askRelays(this.#reader.config.nip.relays, wanted);
    return events.some((event) => answersFor(request, this.#signer.pubkey, event));
  }

  #refuse(request: NostrEvent, reason: string): void {
    const refusal = this.#signer.sign(refusalEvent(request, reason, Date.now()));
    this.#relays.keep(refusalLog, [refusal]);
    this.#relays.send(refusalLog);
  }
}

/** Listens on the relays of the project; null: requests are not allowed. */
async function listenToRelays(
  disk: Disk,
  reader: WorkflowReader,
  runs: AskedRuns,
  relays: Relays,
  failed: (error: unknown) => void,
): Promise<UpRequests | null> {
  if (reader.config.nip.requesters.length === 0) return null;
  const { loadSigner } = await import('./nostr/signer.ts');
  const signer = await loadSigner(projectKey(disk));
  const requests = new UpRequests(disk, reader, { runs, signer, relays, failed });
  requests.resume();
  return requests;
}

/**
 * Sends what relays do not have yet, and listens for requests; null: the project has no relays, so
 * nothing is connected.
 */
export async function openRelays({ disk, reader, runs, failed }: Listening): Promise<Listener | null> {
  const relays = await relaysOf(disk, reader.config.nip);
  if (relays === null) return null;
  let deaf: string | null = null;
  // Without its key, or with unreadable logs, the mail and other runs continue.
  const requests = await listenToRelays(disk, reader, runs, relays, failed).catch((error: unknown) => {
    if (!isContained(error)) throw error;
    deaf = `requests from relays are not followed: ${error.message}`;
    return null;
  });
  const unsent = new UnsentEvents(disk, relays);
  const sending = unsent.follow(failed);
  return {
    problems: () => [
      ...relays.problems,
      ...(deaf === null ? [] : [deaf]),
      ...(requests?.problems ?? []),
      ...(unsent.problem === null ? [] : [unsent.problem]),
    ],
    close: async () => {
      await sending.close();
      await requests?.close();
      await relays.close();
    },
  };
}
