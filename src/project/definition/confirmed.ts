import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { readSealed, writeSealed } from '../../host/seal.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { Disk } from '../../disk/disk.ts';
import type { Found } from '../../disk/contents.ts';
import type { Start } from '../../letters/letters.ts';
import { readTriggers, rememberedWorkflows } from '../../workflow/triggers/memory-files.ts';
import { describeChange, lookAtChange, type DescribedChange } from './changed-by.ts';

/** What a running `up` uses only in the form that a person has confirmed. */
export interface Confirmable {
  /** Absolute path of the file that it is known by. */
  readonly file: string;
  /** The same for people: relative to the project, or as given. */
  readonly path: string;
  /** From `fingerprintOf`; empty: it does not exist. */
  readonly fingerprint: () => string;
}

/** Something that differs from its confirmed form. */
export interface Unconfirmed {
  /** Relative to the project. */
  readonly key: string;
  readonly path: string;
  /** Its files that were changed, added or removed, relative to the project. */
  readonly files: readonly string[];
  /** Of its present form. */
  readonly fingerprint: string;
}

/** Names the texts that define something, by their paths, with the hash of each. */
export function fingerprintOf(texts: ReadonlyMap<string, string>): string {
  const sorted = [...texts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([path, text]) => `${hashOf(text)}:${encodeURIComponent(path)}`).join(' ');
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Lets `up` use these in their current form. Returns those that changed since their confirmation.
 * Throws `E_FILE` while a process still writes one of those: half a rule is another rule.
 */
export function confirm(disk: Disk, found: readonly Confirmable[]): Unconfirmed[] {
  const confirmed = readConfirmed(disk);
  const changed = differing(disk, confirmed, found);
  refuseWritten(
    disk,
    changed.flatMap(({ files }) => files),
  );
  for (const { key, fingerprint } of changed)
    if (fingerprint === '') confirmed.delete(key);
    else confirmed.set(key, fingerprint);
  if (changed.length > 0) writeConfirmed(disk, confirmed);
  return changed;
}

function refuseWritten(disk: Disk, files: readonly string[]): void {
  for (const [index, writing] of disk.writing(files).entries())
    if (typeof writing === 'object')
      throw new MailroomError(
        'E_FILE',
        `${files[index]} is incomplete: ${writing.by} has it open for writing`,
        'try again once that has closed it',
      );
}

/** Those that changed since their confirmation. */
export function unconfirmed(disk: Disk, found: readonly Confirmable[]): Unconfirmed[] {
  return differing(disk, readConfirmed(disk), found);
}

function differing(
  { root }: Disk,
  confirmed: ReadonlyMap<string, string>,
  found: readonly Confirmable[],
): Unconfirmed[] {
  return found.flatMap((each) => {
    const key = relative(root, each.file);
    const [before, fingerprint] = [confirmed.get(key) ?? '', each.fingerprint()];
    if (before === fingerprint) return [];
    return [{ key, path: each.path, files: differingFiles(before, fingerprint), fingerprint }];
  });
}

/** The files that only one of two fingerprints names, or that differ. */
export function differingFiles(before: string, now: string): string[] {
  const [one, other] = [before.split(' '), now.split(' ')];
  const entries = [
    ...one.filter((each) => !other.includes(each)),
    ...other.filter((each) => !one.includes(each)),
  ];
  return [...new Set(entries.flatMap((entry) => decoded(entry.split(':')[1] ?? '') || []))].toSorted();
}

/**
 * Throws `E_UNCONFIRMED` for a workflow that differs from its confirmed form, or where another
 * program wrote the confirmations.
 */
export async function expectConfirmed(disk: Disk, found: Confirmable): Promise<void> {
  const [changed] = unconfirmed(disk, [found]);
  if (changed === undefined) return;
  const confirmed = confirmations(disk);
  if (confirmed !== 'gone' && !confirmed.ok) {
    const why = `${confirmedFile} confirms nothing: ${confirmed.problem}`;
    throw new MailroomError(
      'E_UNCONFIRMED',
      `${why}; look at the workflow, then run \`mailroom reload ${changed.key}\``,
    );
  }
  const described = await describeChange(disk, changed.files, changed.fingerprint);
  throw new MailroomError('E_UNCONFIRMED', changedText(changed.key, described));
}

/** Why a running `up` does not start a workflow. `path`: from the project. */
export function changedText(path: string, change: DescribedChange): string {
  return `it has changed since \`up\` started, so it is not started: ${change.what}; ${lookAtChange(change)}, then run \`mailroom reload ${path}\``;
}

/** What a person has said to a run that a trigger asks for, as it was asked for then. */
export function saidTo(disk: Disk, start: Start): 'yes' | 'no' | null {
  const [said, hash] = saidOf(disk, start.run);
  return hash === startHash(start) && (said === 'yes' || said === 'no') ? said : null;
}

/** Who has answered a run that a trigger asks for; null: it has no answer with a name. */
export function answererOfStart(disk: Disk, run: string): string | null {
  const [, , ...name] = saidOf(disk, run);
  return decoded(name.join('.')) || null;
}

function saidOf(disk: Disk, run: string): string[] {
  return readConfirmed(disk).get(startKey(run))?.split('.') ?? [];
}

/** The workflow of a run that a trigger asks for, by its id; null: no trigger does. */
export function askedStart(disk: Disk, run: string): string | null {
  return askedStarts(disk).find(({ waiting }) => waiting.run === run)?.file ?? null;
}

function askedStarts(disk: Disk): { readonly file: string; readonly waiting: Start }[] {
  return rememberedWorkflows(disk).flatMap((file) =>
    Object.values(readTriggers(disk, file).triggers).flatMap(({ waiting }) =>
      waiting === null ? [] : [{ file, waiting }],
    ),
  );
}

/**
 * Lets `up` start a run that a trigger asks for, or refuses that, in the name of a person. False:
 * no trigger asks for this run. `run`: its id.
 */
export function answerStart(disk: Disk, run: string, said: 'yes' | 'no', by: string): boolean {
  const asked = askedStarts(disk);
  const found = asked.find(({ waiting }) => waiting.run === run);
  if (found === undefined) return false;
  const known = new Set(asked.map(({ waiting }) => startKey(waiting.run)));
  const kept = [...readConfirmed(disk)].filter(([key]) => !key.startsWith(startPrefix) || known.has(key));
  const answer = [said, startHash(found.waiting), encodeURIComponent(by)].join('.');
  writeConfirmed(disk, new Map([...kept, [startKey(run), answer]]));
  return true;
}

/** No file of a workflow begins so. */
const startPrefix = 'run:';

function startKey(run: string): string {
  return `${startPrefix}${run}`;
}

/** A further request of the trigger is another question. */
function startHash(start: Start): string {
  return createHash('sha256').update(JSON.stringify(start)).digest('hex');
}

/** What is confirmed, one per line: fingerprint, and path relative to the project. */
const confirmedFile = '.mailroom/confirmed';

/** The fingerprints with which `up` may use something, by its path, relative to the project. */
export function readConfirmed(disk: Disk): Map<string, string> {
  const found = confirmations(disk);
  if (found === 'gone' || !found.ok) return new Map();
  return new Map(
    found.text.split('\n').flatMap((line) => {
      const [fingerprint = '', name] = line.split('  ');
      const file = name === undefined ? null : decoded(name);
      return file === null ? [] : [[file, fingerprint]];
    }),
  );
}

function confirmations(disk: Disk): Found {
  return readSealed(disk, confirmedFile, 16 * 1024 * 1024);
}

/** Null: an invalid encoding, which confirms nothing. */
function decoded(name: string): string | null {
  try {
    return decodeURIComponent(name);
  } catch {
    return null;
  }
}

/** Replaces all confirmations. */
function writeConfirmed(disk: Disk, confirmed: ReadonlyMap<string, string>): void {
  const lines = [...confirmed].map(([file, fingerprint]) => `${fingerprint}  ${encodeURIComponent(file)}\n`);
  writeSealed(disk, confirmedFile, lines.join(''));
}
