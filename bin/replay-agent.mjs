#!/usr/bin/env node
// Answers a turn from a recording (MAILROOM_RECORDING, a folder of JSON files): writes the recorded
// messages into MAILROOM_OUTBOX, repeats the turn's changes to the workspace, prints the recorded
// final text and exits as the recorded program did. Uses only Node's own modules, so it runs
// without installation. src/providers/recording.ts defines the format and the key of a turn.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { redo, writeInPlace } from './replay-edits.mjs';
import { belowWorkspace, inFolder, partsOf } from './replay-places.mjs';

const environment = process.env;
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const date = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const messageFile = /\d{8}T\d{9}Z-([\w.-]+)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.md/g;
const lasting = /^(?:type|from|subject|attachments|fields):.*\n(?:[ \t-].*\n)*/gm;

/** The exit codes by which a program reports its outcome to Mailroom. */
const exitCodes = { done: 0, asked: 76, later: 1, 'timed-out': 124, limited: 75, never: 2 };

function enduring(text) {
  const lines = text.replaceAll('\r\n', '\n');
  const end = lines.startsWith('---\n') ? lines.indexOf('\n---\n', 3) : -1;
  const head = end === -1 ? [] : (lines.slice(4, end + 1).match(lasting) ?? []);
  const body = end === -1 ? lines : lines.slice(end + 5);
  return lastingText(`${head.join('')}\n${body.trim()}`);
}

/**
 * Replaces what differs from run to run by names; `encoded` converts a value to how it appears in
 * the text.
 */
function lastingText(text, encoded = (value) => value) {
  return text
    .replaceAll(encoded(variable('MAILROOM_WORKSPACE')), '<folder>')
    .replaceAll(encoded(variable('MAILROOM_PROJECT')), '<folder>')
    .replaceAll(messageFile, '<$1>')
    .replaceAll(uuid, '<id>')
    .replaceAll(date, '<date>');
}

function keyOf(texts) {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${enduring(text)}\0`);
  return hash.digest('hex').slice(0, 12);
}

function variable(name) {
  const value = environment[name];
  if (value === undefined || value === '')
    throw new Error(`${name} is not set: this program runs inside a turn`);
  return value;
}

/**
 * The recording of this turn: same role, same mail; among several the nearest turn, then the
 * nearest attempt and iteration.
 */
function choose(folder, role, key) {
  const numbers = /-t(\d+)-a(\d+)-r(\d+)\.json$/;
  const turn = Number(variable('MAILROOM_TURN').replaceAll(/\D/g, ''));
  const attempt = Number(variable('MAILROOM_ATTEMPT'));
  const round = Number(variable('MAILROOM_ROUND'));
  // A recording of a later turn, attempt or iteration is the worse match.
  const distance = (recorded, wanted) => (recorded > wanted ? 1000 : 0) + Math.abs(recorded - wanted);
  const rank = (name) => {
    const [, t, a, r] = numbers.exec(name);
    return [Math.abs(t - turn), distance(Number(a), attempt), distance(Number(r), round), Number(t)];
  };
  const candidates = readdirSync(folder)
    .filter((name) => name.startsWith(`${role}-${key}-t`) && numbers.test(name))
    .map((name) => ({ name, rank: rank(name) }))
    .toSorted((left, right) => {
      const place = left.rank.findIndex((value, index) => value !== right.rank[index]);
      return place === -1 ? 0 : left.rank[place] - right.rank[place];
    });
  return candidates[0]?.name;
}

/** The values of this turn for the names in a recording. */
function valuesOf(texts, prompt) {
  const values = new Map([
    ['braces', '{{'],
    ['outbox', variable('MAILROOM_OUTBOX')],
    ['project', variable('MAILROOM_PROJECT')],
    ['workspace', variable('MAILROOM_WORKSPACE')],
    ['thread', variable('MAILROOM_THREAD')],
  ]);
  texts.forEach((text, index) => {
    const head = text.slice(0, Math.max(text.indexOf('\n---', 3), 0));
    for (const key of ['id', 'in_reply_to', 'created']) {
      const value = new RegExp(`^${key}: *["']?([^"'\\n]+?)["']? *$`, 'm').exec(head)?.[1];
      if (value !== undefined) values.set(`message.${index + 1}.${key}`, value);
    }
  });
  const known = new Set(values.values());
  const others = new Set((prompt.match(uuid) ?? []).filter((id) => !known.has(id)));
  [...others].forEach((id, index) => values.set(`prompt.${index + 1}`, id));
  return values;
}

/** A file below the workspace, which a step hands over, or a file of the staging folder. */
function fileOf({ name, text }, resolve) {
  const path = normalize(resolve(name));
  const isStaged = dirname(path) === variable('MAILROOM_OUTBOX');
  const below = isStaged ? null : belowWorkspace(variable('MAILROOM_WORKSPACE'), path);
  return { isStaged: below === null, place: below ?? basename(path), text: resolve(text) };
}

/** Writes all files of a recording, none of them before all their places are known to be right. */
function writeFiles(recording, resolve, others) {
  const files = (recording.files ?? []).map((file) => fileOf(file, resolve));
  const staged = files.filter(({ isStaged }) => isStaged);
  for (const { place } of staged) partsOf(place);
  redo(
    {
      edits: recording.edits ?? [],
      files: files.filter(({ isStaged }) => !isStaged),
      order: recording.order,
    },
    {
      workspace: variable('MAILROOM_WORKSPACE'),
      project: variable('MAILROOM_PROJECT'),
      guard: JSON.parse(variable('MAILROOM_REPLAY_GUARD')),
      lasting: lastingText,
      resolve,
      others,
    },
  );
  for (const path of recording.left_out ?? [])
    process.stderr.write(`not in the recording, being too large: what became of ${resolve(path)}\n`);
  for (const { place, text } of staged) {
    const write = (folder, name) => writeInPlace(`${folder}/${name}`, text);
    inFolder(variable('MAILROOM_OUTBOX'), place, {}, write);
  }
}

function recordingsIn(folder) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
}

function onlyOnce(make) {
  let made;
  return () => (made ??= make());
}

function replay() {
  const folder = variable('MAILROOM_RECORDING');
  const role = variable('MAILROOM_ROLE');
  const prompt = readFileSync(0, 'utf8');
  const paths = (environment['MAILROOM_MESSAGES'] ?? '').split('\n').filter((path) => path !== '');
  const texts = paths.map((path) => readFileSync(path, 'utf8'));
  const key = keyOf(texts.length > 0 ? texts : [prompt]);
  const name = choose(folder, role, key);
  if (name === undefined)
    throw new Error(`${folder} has no recording of ${role} for this mail (${role}-${key}-…)`);
  const recording = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const values = valuesOf(texts, prompt);
  const resolve = (text) => {
    if (typeof text !== 'string') throw new Error(`${name} is not a recording: a path or a text is missing`);
    return text.replaceAll(/\{\{([a-z_.0-9]+)\}\}/g, (whole, what) => values.get(what) ?? whole);
  };
  writeFiles(
    recording,
    resolve,
    onlyOnce(() => recordingsIn(folder)),
  );
  const resolved = (value) =>
    JSON.parse(JSON.stringify(value), (_key, each) => (typeof each === 'string' ? resolve(each) : each));
  // A question is part of the answer: only `replay` reads it.
  const asked = { text: resolve(recording.text), asks: resolved(recording.asks ?? []) };
  process.stdout.write(recording.outcome === 'asked' ? JSON.stringify(asked) : asked.text);
  if (recording.reason !== null) process.stderr.write(`${resolve(recording.reason)}\n`);
  if (recording.outcome === 'limited') process.stderr.write('retry-after: 0\n');
  process.stderr.write(`usage: ${JSON.stringify(recording.usage)}\n`);
  return exitCodes[recording.outcome] ?? 2;
}

try {
  process.exitCode = replay();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
