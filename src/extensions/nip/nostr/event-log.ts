import type { NostrEvent } from '../letters/nostr-event.ts';
import { readEvent } from '../letters/read.ts';
import type { Disk } from '../../../disk/disk.ts';
import { JsonLines } from './json-lines.ts';

/** The folder of the logs, relative to the project. */
export const eventsFolder = '.mailroom/events';

/** The log of the definitions of the project. */
export const definitionLog = 'definitions';

/** The log of requests that were followed, without those of this project's commands. */
export const requestLog = 'requests';

/** The log of answers to refused requests. */
export const refusalLog = 'refusals';

/** The runs that have a log. */
export function eventLogs(disk: Disk): string[] {
  const others = [definitionLog, requestLog, refusalLog];
  const names = (disk.list(eventsFolder) ?? []).filter((name) => name.endsWith('.jsonl'));
  return names.map((name) => name.slice(0, -'.jsonl'.length)).filter((name) => !others.includes(name));
}

/** Writes a definition as a workflow file; returns its path, relative to the project. */
export function definitionFile(disk: Disk, definition: NostrEvent): string {
  const path = `${eventsFolder}/${definitionLog}/${definition.id}.json`;
  if (disk.look(path) === null) disk.write(path, `${JSON.stringify(definition, null, 2)}\n`, { sync: true });
  return path;
}

/** Events as they were signed, one per line: those of a run, or the definitions. */
export class EventLog {
  readonly #lines: JsonLines<NostrEvent>;

  /** `name`: the id of a run, `definitionLog`, `requestLog` or `refusalLog`. */
  constructor(disk: Disk, name: string) {
    this.#lines = new JsonLines(disk, `${eventsFolder}/${name}.jsonl`, readEvent);
  }

  /** All events, in their order. */
  read(): NostrEvent[] {
    return this.#lines.read();
  }

  /** Durable when it returns. Throws `E_DISK`. */
  append(events: readonly NostrEvent[]): void {
    this.#lines.append(events, { sync: true });
  }
}
