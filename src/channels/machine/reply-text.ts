import { setOwn } from '../../kernel/own.ts';
/** The text of a reply, with the command and the fields at its beginning. */
export interface ReplyText {
  /** Of a first line `/type` or `/type id`; null: there is none. */
  readonly type: string | null;
  readonly id: string | null;
  /** The lines `name: value` at its beginning that set these fields, and the text after them. */
  fieldsOf(names: readonly string[]): {
    readonly fields: Readonly<Record<string, string>>;
    readonly text: string;
  };
}

/** An id is the end of one, with the gate of a run, or a turn; other words are text. */
const command =
  /^\/([A-Za-z0-9_][\w.-]*)(?:\s+([\da-f]{6}(?:[\da-f-]{30})?(?:\/[\w./-]+)?|t\d+))?(?:\s+(\S.*))?$/;

export function readReply(text: string): ReplyText {
  const lines = text.replaceAll('\r\n', '\n').trim().split('\n');
  const [first = '', ...rest] = lines;
  const [all, type = null, id = null, words = ''] = command.exec(first.trim()) ?? [];
  return all === undefined ? replyOf(null, null, lines) : replyOf(type, id, [words, ...rest]);
}

function replyOf(type: string | null, id: string | null, lines: readonly string[]): ReplyText {
  return {
    type,
    id,
    fieldsOf: (names) => {
      const fields: Record<string, string> = {};
      let at = 0;
      for (; at < lines.length; at += 1) {
        const line = lines[at] ?? '';
        if (line.trim() === '') continue;
        const [, name = '', value = ''] = /^[`*]*([\w.-]+):[`*]*(.*)$/.exec(line) ?? [];
        if (!names.includes(name) || Object.hasOwn(fields, name)) break;
        setOwn(fields, name, value.trim());
      }
      return { fields, text: lines.slice(at).join('\n').trim() };
    },
  };
}
