import { isDeepStrictEqual } from 'node:util';
import fc from '../../../support/fast-check.ts';
import { MailroomError } from '../../../../src/kernel/errors.ts';
import type { MailEventRecord, MailEvent } from '../../../../src/mail/machine/event.ts';
import { Journal } from '../../../../src/disk/journal.ts';
import { readJournal } from '../../../support/read-journal.ts';
import { MemoryDisk } from '../../../support/memory-disk.ts';
import { event } from '../../../disk/samples.ts';
import { bounded, Finding, type Target } from '../target.ts';

/*
 * A journal with damage anywhere: reading it gives a beginning of what was confirmed, or `E_JOURNAL`; never anything
 * else. What is read can be gone on with, and other readers see the same.
 */

const folder = '.mailroom/journal';
interface Original {
  readonly name: string;
  readonly disk: MemoryDisk;
  /** What was confirmed. */
  readonly history: readonly MailEventRecord[];
  /** Every file of the journal, blobs included. */
  readonly files: readonly string[];
}

/** Texts of records; the long ones lie in blobs. */
const long = (text: string): string => `${text}${'long '.repeat(14_000)}`;
const mixed = ['a', 'Wörter\n', long('c'), 'd', 'e', '"f"', 'g', 'h', long('i'), 'j', 'k', 'l'];
const short = ['a', 'Wörter\n', '', '"d"', 'e', 'f'];
const states: Readonly<Record<number, unknown>> = {
  2: { two: ['a\n', 1] },
  4: { four: 'Zustand' },
  9: { nine: 9 },
};

function made(
  name: string,
  texts: readonly string[],
  segmentBytes: number,
  keepAfter: number | null,
): Original {
  const history = texts.map((text, index) => ({ n: index + 1, event: event(index + 1, text) }));
  const disk = new MemoryDisk();
  const journal = new Journal<MailEvent>(disk, { segmentBytes });
  journal.read();
  for (const { n, event: one } of history) {
    journal.append([one]);
    if (keepAfter !== null && states[n] !== undefined) journal.snapshot(n, states[n], Math.min(n, keepAfter));
  }
  journal.sync();
  journal.close();
  const list = (place: string) => (disk.list(place) ?? []).toSorted().map((file) => `${place}/${file}`);
  const blobs = list('.mailroom/blobs').flatMap((path) =>
    disk.look(path)?.kind === 'folder' ? list(path) : [path],
  );
  return { name, disk, history, files: [...list(folder), ...blobs] };
}

const originals = [
  made('one segment', mixed, 1e9, null),
  made('several segments', mixed, 1_500, null),
  made('snapshots and all records', mixed, 1_500, 0),
  made('snapshots and the rest', mixed, 1_500, 9),
];
/** Small enough to be damaged at every byte. */
const smallOnes = [
  made('small segments', short, 1_000, null),
  made('small snapshots', short, 1_000, 2),
] as const;
const all = new Map([...originals, ...smallOnes].map((original) => [original.name, original]));

/** Damage at a place of a file, as a share of its length. */
interface Placed {
  readonly is: 'cut' | 'flip' | 'zero' | 'double' | 'lose' | 'put';
  readonly file: number;
  readonly at: number;
  readonly size: number;
  readonly bytes: Uint8Array;
}

type Damage =
  | Placed
  | { readonly is: 'remove'; readonly file: number }
  | { readonly is: 'empty'; readonly file: number }
  | { readonly is: 'copy'; readonly file: number; readonly over: number };

function damaged(bytes: Buffer, damage: Placed): Buffer {
  const at = Math.floor(damage.at * bytes.length);
  const before = bytes.subarray(0, at);
  const [part, after] = [bytes.subarray(at, at + damage.size), bytes.subarray(at + damage.size)];
  switch (damage.is) {
    case 'cut':
      return before;
    case 'put':
      return Buffer.concat([before, damage.bytes, bytes.subarray(at)]);
    case 'lose':
      return Buffer.concat([before, after]);
    case 'double':
      return Buffer.concat([before, part, part, after]);
    case 'zero':
      return Buffer.concat([before, Buffer.alloc(part.length), after]);
    case 'flip':
      return Buffer.concat([before, Buffer.from(part.map((byte) => byte ^ (1 << (damage.size % 8)))), after]);
    default:
      return damage.is satisfies never;
  }
}

function doDamage(disk: MemoryDisk, { files }: Original, damage: Damage): void {
  const path = files[damage.file % files.length] ?? '';
  const bytes = disk.read(path, Infinity);
  if (bytes === null) return;
  if (damage.is === 'remove') disk.remove(path);
  else if (damage.is === 'empty') disk.plant(path, '');
  else if (damage.is === 'copy') disk.plant(files[damage.over % files.length] ?? path, bytes);
  else disk.plant(path, damaged(bytes, damage));
}

/** Reads as `read` does; null for `E_JOURNAL`. Anything else that is thrown is a finding. */
function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof MailroomError && error.code === 'E_JOURNAL') return null;
    throw error;
  }
}

function tryJournal(disk: MemoryDisk, { history }: Original, what: unknown): void {
  const others = attempt(() => readJournal<MailEvent>(disk));
  const journal = new Journal<MailEvent>(disk);
  const read = attempt(() => journal.read());
  if ((others === null) !== (read === null)) throw new Finding('the host and other readers disagree', what);
  if (read === null || others === null) return;
  const { snapshot, records } = read;
  const base = snapshot?.n ?? 0;
  if (snapshot !== null && !isDeepStrictEqual(snapshot.state, states[base]))
    throw new Finding(`snapshot ${String(base)} is not what was taken`, what);
  if (!isDeepStrictEqual(records, history.slice(base, base + records.length)))
    throw new Finding(`what was read after ${String(base)} was never confirmed`, what);
  if (!isDeepStrictEqual(others.records, records))
    throw new Finding('other readers see something else', what);
  const last = base + records.length;
  const next = event(last + 1, 'later');
  if (journal.append([next]) !== last + 1) throw new Finding('it goes on at another number', what);
  journal.sync();
  journal.close();
  const again = readJournal<MailEvent>(disk);
  if (!isDeepStrictEqual(again.records, [...records, { n: last + 1, event: next }]))
    throw new Finding('what was added is not read back', what);
}

const file = fc.nat({ max: 20 });
const damage: fc.Arbitrary<Damage> = fc.oneof(
  {
    weight: 7,
    arbitrary: fc.record({
      is: fc.constantFrom('cut', 'flip', 'zero', 'double', 'lose', 'put'),
      file,
      at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      size: fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 2_000 })),
      bytes: fc.uint8Array({ maxLength: 6 }),
    }),
  },
  fc.record({ is: fc.constantFrom('remove', 'empty'), file }),
  fc.record({ is: fc.constant('copy'), file, over: file }),
);

/** Every place: the journal that ends there, and the one with a bit turned there. */
function everyByte(original: Original, is: 'cut' | 'flip'): void {
  for (const [index, path] of original.files.entries()) {
    const length = original.disk.read(path, Infinity)?.length ?? 0;
    for (let at = 0; at < length; at += 1) {
      const disk = original.disk.clone();
      const one: Damage = { is, file: index, at: (at + 0.5) / length, size: 1, bytes: Buffer.alloc(0) };
      doDamage(disk, original, one);
      tryJournal(disk, original, { ...one, original: original.name });
    }
  }
}

export const journals: Target = {
  name: 'journals',
  everyday: 66,
  property: fc.property(
    fc.constantFrom(...all.keys()),
    fc.array(damage, { minLength: 1, maxLength: 3 }),
    (name, damages) =>
      bounded(() => {
        const original = all.get(name) ?? smallOnes[0];
        const disk = original.disk.clone();
        for (const one of damages) doDamage(disk, original, one);
        tryJournal(disk, original, { name, damages });
      }),
  ),
  corpus: smallOnes.flatMap((original) =>
    (['cut', 'flip'] as const).map((is) => ({
      name: `${original.name}, ${is} at every byte`,
      run: () => everyByte(original, is),
    })),
  ),
};
