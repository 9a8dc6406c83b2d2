import type { Draft } from '../documents.ts';

type Patch = Draft['patches'][number];

/**
 * How a source text and the lines of an editor belong together. The editor has no byte order mark,
 * and counts each line end as one character; the text keeps both.
 */
export interface SourceForm {
  readonly mark: '' | '\ufeff';
  /** What ends a line; where a file has several line ends, the editor shows the returns. */
  readonly eol: '\n' | '\r\n';
}

export function formOf(text: string): SourceForm {
  const isWindows = text.includes('\r\n') && !/(?<!\r)\n|\r(?!\n)/.test(text);
  return { mark: text.startsWith('\ufeff') ? '\ufeff' : '', eol: isWindows ? '\r\n' : '\n' };
}

/** The text without its byte order mark. */
export function shown(text: string, { mark }: SourceForm): string {
  return text.slice(mark.length);
}

/** The offset in the editor of an offset in the text. */
function editorOffset(text: string, offset: number, { mark, eol }: SourceForm): number {
  if (eol === '\n') return offset - mark.length;
  const ends = text.slice(0, offset).split('\r\n').length - 1;
  return offset - mark.length - ends;
}

/** The offset in the text of an offset in the editor. */
export function sourceOffset(text: string, offset: number, { mark, eol }: SourceForm): number {
  if (eol === '\n') return offset + mark.length;
  const before = shown(text, { mark, eol }).replaceAll('\r\n', '\n').slice(0, offset);
  return offset + mark.length + before.split('\n').length - 1;
}

/** Patches of the text as changes of the editor. */
export function editorPatches(text: string, patches: readonly Patch[], form: SourceForm): Patch[] {
  return patches.map(({ from, to, insert }) => ({
    from: editorOffset(text, from, form),
    to: editorOffset(text, to, form),
    insert,
  }));
}

/** The text after patches that are in order. */
export function patched(text: string, patches: readonly Patch[]): string {
  return patches
    .toReversed()
    .reduce((whole, { from, to, insert }) => whole.slice(0, from) + insert + whole.slice(to), text);
}
