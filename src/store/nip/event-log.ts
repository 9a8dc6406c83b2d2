import type { NostrEvent } from '../../core/nip/events.ts';
import type { Disk } from '../disk.ts';

/** Where the logs are, relative to the project. */
export const eventsFolder = '.mailroom/events';

/** The log of the definitions of the project. */
export const definitionLog = 'definitions';

/** The log of the requests that were followed, those of this project's commands left out. */
export const requestLog = 'requests';

/** The log of what was said to requests that were not followed. */
export const refusalLog = 'refusals';

/** Puts a definition where it can be read as the file of a workflow; its path from the project. */
export function definitionFile(disk: Disk, definition: NostrEvent): string {
  const path = `${eventsFolder}/${definitionLog}/${definition.id}.json`;
  if (disk.look(path) === null) disk.write(path, `${JSON.stringify(definition, null, 2)}\n`, { sync: true });
  return path;
}

/** Events as they were signed, one a line: those of a run, or the definitions. */
export class EventLog {
  readonly #disk: Disk;
  readonly #file: string;

  /** `name`: the id of a run, `definitionLog`, `requestLog` or `refusalLog`. */
  constructor(disk: Disk, name: string) {
    this.#disk = disk;
    this.#file = `${eventsFolder}/${name}.jsonl`;
  }

  /** All events, in their order. Half a line, which a host that was killed left, is none. */
  read(): NostrEvent[] {
    const bytes = this.#bytes();
    if (bytes === null) return [];
    const lines = Buffer.from(bytes).toString('utf8').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as NostrEvent);
  }

  append(events: readonly NostrEvent[]): void {
    if (events.length === 0) return;
    const appender = this.#disk.openAppend(this.#file);
    try {
      appender.truncate(this.#whole());
      appender.write(Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join('')));
      appender.sync();
    } finally {
      appender.close();
    }
  }

  /** Whether there is such a log. */
  get exists(): boolean {
    return this.#disk.look(this.#file) !== null;
  }

  #bytes(): Uint8Array | null {
    return this.#disk.read(this.#file, this.#disk.look(this.#file)?.size ?? 0);
  }

  /** Bytes up to the end of the last whole line. */
  #whole(): number {
    const bytes = this.#bytes();
    return bytes === null ? 0 : Buffer.from(bytes).lastIndexOf(0x0a) + 1;
  }
}
