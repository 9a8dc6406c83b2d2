import { runEventDocument, type RunEventDocument } from '../../documents/runs.ts';
import { FollowedRun } from '../../workflow/runs/followed-run.ts';
import type { StoredRun } from '../../project/definition/contracts.ts';
import type { HttpServices } from './route.ts';
import { Alarm, heartbeatText, streamOf, type StreamRequest, type Streams } from './stream.ts';

/**
 * The events of a run, from the one behind `Last-Event-ID` on, the last that the client has
 * received. Ends with the last event of the run. Reads only what the client takes.
 */
export function runStream(
  services: HttpServices,
  streams: Streams,
  stored: StoredRun,
  { key, headers, signal }: StreamRequest,
): Response {
  const { run } = stored;
  const last = headers.get('last-event-id');
  const { seq, part } = positionIn(last, run);
  // A record of several events is read again, and those that the client has are left out.
  const followed = new FollowedRun(stored, services.project.workflows, part === null ? seq : seq - 1);
  const alarm = new Alarm();
  const leave = streams.subscribe(key.name, (topic) => {
    if (topic === null || topic === `run:${run}`) alarm.ring();
  });
  const next = (): string =>
    numbered(followed.next())
      .filter((each) => each.document.seq !== seq || each.part > (part ?? 0))
      .map((each) => eventText(services, run, each))
      .join('');
  const source = {
    next: async () => {
      const text = next();
      if (text !== '') return text;
      if (followed.isOver || streams.isClosed) return null;
      await alarm.wait();
      return next() || (streams.isClosed ? null : heartbeatText);
    },
    cancel: leave,
  };
  return streamOf(source, signal);
}

/** `run:<id>:12` is the last event of record 12, and `run:<id>:12.1` the first of several. */
function positionIn(last: string | null, run: string): { seq: number; part: number | null } {
  const [, id, seq, part] = /^run:(.+):(\d{1,15})(?:\.(\d{1,15}))?$/.exec(last ?? '') ?? [];
  if (id !== run) return { seq: 0, part: null };
  return { seq: Number(seq), part: part === undefined ? null : Number(part) };
}

interface Numbered {
  readonly document: RunEventDocument;
  /** Among the events of its record, from 1. */
  readonly part: number;
  readonly isLast: boolean;
}

function numbered(documents: readonly RunEventDocument[]): Numbered[] {
  let part = 0;
  return documents.map((document, index) => {
    part = documents[index - 1]?.seq === document.seq ? part + 1 : 1;
    return { document, part, isLast: documents[index + 1]?.seq !== document.seq };
  });
}

function eventText({ api }: HttpServices, run: string, { document, part, isLast }: Numbered): string {
  const data = JSON.stringify(api.mask(runEventDocument.parse(document)));
  const id = `run:${run}:${String(document.seq)}${isLast ? '' : `.${String(part)}`}`;
  return `id: ${id}\nevent: ${document.event}\ndata: ${data}\n\n`;
}
