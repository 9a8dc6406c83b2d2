import { join } from 'node:path';
import { v7 } from 'uuid';
import { MailroomError } from '../../core/errors.ts';
import { kinds, tagOf, type NostrEvent } from '../../core/nip/events.ts';
import { refusalEvent } from '../../core/nip/telling.ts';
import type { Signer } from '../../engine/nip/signer.ts';
import type { RelayLink } from '../../server/relay-link.ts';
import type { RelayFilter } from '../../server/relay-messages.ts';
import { definitionLog, EventLog, eventsFolder, refusalLog } from '../../store/nip/event-log.ts';
import { projectKey } from '../../store/nip/key.ts';
import type { RealDisk } from '../../store/real-disk.ts';
import { listRuns } from '../../store/runs/run-folders.ts';
import { watchFolders } from '../../store/watch.ts';
import type { Settings } from '../definition.ts';
import { followedRequests } from '../nip/executions.ts';
import { judgeRequest } from '../nip/requests.ts';
import type { UpRuns } from './runs.ts';

/** How far back a relay is asked for requests, in seconds. */
const oldest = 86_400;
/** Requests that wait to be looked at; of more than these, relays tell again over another connection. */
const mostWaiting = 100;

interface Parts {
  readonly runs: UpRuns;
  readonly signer: Signer;
  readonly Link: typeof RelayLink;
  readonly failed: (error: unknown) => void;
}

/** Follows the requests that come from the relays of the project. */
export class UpRequests {
  readonly #disk: RealDisk;
  readonly #settings: Settings;
  readonly #runs: UpRuns;
  readonly #signer: Signer;
  readonly #failed: (error: unknown) => void;
  readonly #links: readonly RelayLink[];
  readonly #watch: { close(): Promise<void> };
  readonly #seen: Set<string>;
  #waiting = 0;
  #last: Promise<void> = Promise.resolve();
  #definitions: readonly string[] = [];

  constructor(disk: RealDisk, settings: Settings, { runs, signer, Link, failed }: Parts) {
    this.#disk = disk;
    this.#settings = settings;
    this.#runs = runs;
    this.#signer = signer;
    this.#failed = failed;
    const answered = new EventLog(disk, refusalLog).read().map((event) => tagOf(event, 'e') ?? '');
    this.#seen = new Set([...answered, ...followedRequests(disk).map(({ id }) => id)]);
    const wants = () => this.#wants();
    const heard = (event: NostrEvent) => this.#heard(event);
    this.#links = settings.config.nip.relays.map((url) => new Link(url, { wants, heard }));
    this.#watch = watchFolders([join(disk.root, eventsFolder)], () => this.#look());
    // Not before: what came in between would be told by nobody.
    this.#definitions = this.#known();
  }

  get problems(): readonly string[] {
    return this.#links.flatMap(({ problem }) => problem ?? []);
  }

  /** Goes on with what an earlier `up` was asked for. */
  resume(): void {
    for (const { run, startedBy } of listRuns(this.#disk)) {
      const [request] = startedBy === 'up' ? new EventLog(this.#disk, run).read() : [];
      // What the project itself has signed was started by a trigger.
      const isAsked = request !== undefined && request.pubkey !== this.#signer.pubkey;
      if (isAsked) this.#runs.run('', run, {}).catch(this.#failed);
    }
  }

  async close(): Promise<void> {
    await this.#watch.close();
    for (const link of this.#links) link.close();
  }

  #known(): string[] {
    return new EventLog(this.#disk, definitionLog).read().map(({ id }) => id);
  }

  #look(): void {
    const known = this.#known();
    if (known.length === this.#definitions.length) return;
    this.#definitions = known;
    for (const link of this.#links) link.renew();
  }

  #wants(): RelayFilter | null {
    if (this.#definitions.length === 0) return null;
    const { requesters: authors } = this.#settings.config.nip;
    const since = Math.floor(Date.now() / 1_000) - oldest;
    return { kinds: [kinds.request], authors, '#e': this.#definitions, since };
  }

  /** One after the other: of two requests for the same run the first counts. */
  #heard(event: NostrEvent): void {
    if (this.#seen.has(event.id) || this.#waiting >= mostWaiting) return;
    this.#waiting += 1;
    this.#last = this.#last
      .then(() => this.#take(event))
      .catch(this.#failed)
      .finally(() => (this.#waiting -= 1));
  }

  async #take(request: NostrEvent): Promise<void> {
    if (this.#seen.has(request.id)) return;
    const { isAuthentic } = await import('../../engine/nip/signer.ts');
    // What nobody has signed is answered to nobody, nor does it keep the true one out.
    if (!(await isAuthentic(request))) return;
    this.#seen.add(request.id);
    try {
      await this.#runs.ask(await judgeRequest(this.#disk, this.#settings, request), v7());
    } catch (error) {
      if (!(error instanceof MailroomError)) throw error;
      this.#refuse(request, error.message);
    }
  }

  #refuse(request: NostrEvent, reason: string): void {
    const refusal = this.#signer.sign(refusalEvent(request, reason, Date.now()));
    new EventLog(this.#disk, refusalLog).append([refusal]);
    for (const link of this.#links) link.publish([refusal]);
  }
}

/** Listens to the relays of the project; null: it has none, or nobody may ask. Nothing is loaded or connected to then. */
export async function listenToRelays(
  disk: RealDisk,
  settings: Settings,
  runs: UpRuns,
  failed: (error: unknown) => void,
): Promise<UpRequests | null> {
  const { enabled, relays, requesters } = settings.config.nip;
  if (!enabled || relays.length === 0 || requesters.length === 0) return null;
  const { RelayLink: Link } = await import('../../server/relay-link.ts');
  const { loadSigner } = await import('../../engine/nip/signer.ts');
  const requests = new UpRequests(disk, settings, {
    runs,
    signer: await loadSigner(projectKey(disk)),
    Link,
    failed,
  });
  requests.resume();
  return requests;
}
