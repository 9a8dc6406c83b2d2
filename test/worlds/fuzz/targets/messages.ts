import { isDeepStrictEqual } from 'node:util';
import fc from '../../../support/fast-check.ts';
import { fileName, subjectLine, type Message } from '../../../../src/mail/format/message.ts';
import { parseEnvelope } from '../../../../src/mail/format/read-message.ts';
import { readJournal } from '../../../support/read-journal.ts';
import { FuzzedMail } from '../fuzzed-mail.ts';
import { byteEdits, editBytes, piecesOf, textsLike, yamlPieces } from '../edits.ts';
import { plain, saidBy } from '../oracle.ts';
import { bounded, corpusFiles, Finding, type Target } from '../target.ts';
import type { MailEvent } from '../../../../src/mail/machine/event.ts';

/*
 * Any bytes as a file in a mailbox of a whole host: they are refused with a reason and kept as they were, or they are a
 * message that says in the journal, in the inbox and after a restart what another reader finds in them.
 */

const names = [
  'memo.md',
  'a b.md',
  '-x.md',
  '20261121T204512345Z-memo-019f2c4b-7d3e-7a51-9c08-5b1e8d0f6a27.md',
  'line\nbreak.md',
  '\udcff.md',
];

function tryMessage(bytes: Uint8Array, box: 'inbox' | 'outbox', name: string): void {
  const hosted = new FuzzedMail();
  const role = box === 'inbox' ? 'maker' : 'user';
  hosted.disk.plant(`agents/${role}/${box}/${name}`, bytes);
  hosted.settle();
  if (hosted.disk.list(`agents/${role}/${box}`)?.includes(name))
    throw new Finding('the file was neither taken nor refused', bytes);
  const told = readJournal<MailEvent>(hosted.disk).records.flatMap(({ event }) =>
    event.type === 'accepted' || event.type === 'refused' ? [event] : [],
  );
  const [event, ...more] = told;
  if (event === undefined || more.length > 0) throw new Finding(`${String(told.length)} verdicts`, bytes);
  if (event.type === 'refused') return checkRefused(hosted, role, bytes);
  checkAccepted(hosted, event.sent.message, Buffer.from(bytes).toString('utf8'));
}

/** What was refused lies in `failed` as it was, with the reason beside it. */
function checkRefused(hosted: FuzzedMail, role: string, bytes: Uint8Array): void {
  const folder = `agents/${role}/failed/2026-11`;
  const kept = hosted.disk.list(folder) ?? [];
  const [reason] = kept.filter((name) => name.endsWith('.reason.txt'));
  const [file] = kept.filter((name) => !name.endsWith('.reason.txt'));
  if (reason === undefined || file === undefined || kept.length !== 2)
    throw new Finding(`failed/ holds ${kept.join(', ')}`, bytes);
  const text = hosted.disk.read(`${folder}/${reason}`, 1e6)?.toString() ?? '';
  if (!/^E_(?:MESSAGE|FILE): \S/.test(text)) throw new Finding(`the reason is ${text}`, bytes);
  if (!Buffer.from(bytes).equals(hosted.disk.read(`${folder}/${file}`, Infinity) ?? Buffer.alloc(0)))
    throw new Finding('what was refused was changed', bytes);
}

function checkAccepted(hosted: FuzzedMail, message: Message, text: string): void {
  const said = saidBy(text);
  const same = (what: string, ours: unknown, theirs: unknown) => {
    if (!isDeepStrictEqual(plain(ours), plain(theirs)))
      throw new Finding(`${what}: ${JSON.stringify(ours)} is not ${JSON.stringify(theirs)}`, text);
  };
  same('body', message.body, said.body);
  const { type, to, subject, fields, attachments, id: _id, created: _created, ...rest } = said.front ?? {};
  const { from, thread, in_reply_to: _reply, ...extra } = rest;
  if (type != null) same('type', message.type, type);
  if (to != null) same('to', message.to, [...new Set([to].flat())]);
  if (subject != null)
    same('subject', message.subject, typeof subject === 'string' ? subjectLine(subject) : subject);
  if (from != null) same('from', message.from, from);
  if (thread != null) same('thread', message.thread, thread);
  same('attachments', message.attachments, attachments ?? []);
  same('fields', message.fields, fields ?? {});
  same('extra', message.extra, extra);
  for (const role of message.to) {
    const drawn = hosted.disk.read(`agents/${role}/inbox/${fileName(message)}`, Infinity)?.toString() ?? '';
    const read = parseEnvelope(drawn, 'drawn.md');
    if (!read.ok) throw new Finding(`what was delivered cannot be read: ${read.problems[0]?.message}`, text);
    same('delivered', { ...read.value }, { ...message, frontMatter: undefined });
  }
  const again = hosted.open().state.mail.get(message.id)?.message;
  if (again !== undefined) same('after a restart', again, message);
}

const corpus = corpusFiles('messages');
const words = (
  'type: memo task to: reader maker user subject: fields: size: 3 tags: [a] from: thread: in_reply_to: ' +
  'attachments: [a.txt] created: id: ---js ../x /etc'
).split(' ');
const good = [...corpus.values()].map((bytes) => bytes.toString('utf8'));
const bytes = fc
  .tuple(textsLike(good, piecesOf([...yamlPieces, ...words])), byteEdits)
  .map(([text, changes]) => editBytes(Buffer.from(text), changes));

export const messages: Target = {
  name: 'messages',
  everyday: 41,
  property: fc.property(
    fc.oneof({ weight: 9, arbitrary: bytes }, fc.uint8Array()),
    fc.constantFrom('inbox' as const, 'outbox' as const),
    fc.constantFrom(...names),
    (file, box, name) => bounded(() => tryMessage(file, box, name)),
  ),
  corpus: [...corpus].flatMap(([name, file]) =>
    (['inbox', 'outbox'] as const).map((box) => ({
      name: `${name} in the ${box}`,
      run: () => bounded(() => tryMessage(file, box, 'x.md')),
    })),
  ),
};
