import fc from '../../support/fast-check.ts';

/** A change somewhere in a text or in bytes: `drop` of them are replaced. */
export interface Edit<Put> {
  /** Where, as a share of the length. */
  readonly at: number;
  readonly drop: number;
  readonly put: Put;
}

const share = fc.double({ min: 0, max: 1, noNaN: true });

function edits<Put>(put: fc.Arbitrary<Put>, most: number): fc.Arbitrary<Edit<Put>[]> {
  const drop = fc.oneof(
    { weight: 4, arbitrary: fc.nat({ max: 12 }) },
    { weight: 1, arbitrary: fc.nat({ max: 400 }) },
  );
  return fc.array(fc.record({ at: share, drop, put }), { minLength: 1, maxLength: most });
}

/** One of the good texts with a few pieces replaced, its lines shuffled, or nothing but pieces. */
export function textsLike(good: readonly string[], pieces: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const base = fc.constantFrom(...good);
  const edited = fc.tuple(base, edits(pieces, 6)).map(([text, changes]) => applyEdits(text, changes));
  const shuffled = fc
    .tuple(base, fc.array(fc.nat(), { maxLength: 60 }))
    .map(([text, order]) => pick(text.split('\n'), order).join('\n'));
  const made = fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(''));
  return fc.oneof({ weight: 4, arbitrary: edited }, { weight: 2, arbitrary: shuffled }, made);
}

function pick(lines: readonly string[], order: readonly number[]): string[] {
  return order.map((index) => lines[index % lines.length] ?? '');
}

function applyEdits(text: string, changes: readonly Edit<string>[]): string {
  return changes.reduce((before, { at, drop, put }) => {
    const index = Math.floor(at * before.length);
    return before.slice(0, index) + put + before.slice(index + drop);
  }, text);
}

/** A few bytes somewhere are replaced by others. */
export const byteEdits = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Edit<Uint8Array>[]>([]) },
  { weight: 1, arbitrary: edits(fc.uint8Array({ maxLength: 4 }), 3) },
);

export function editBytes(bytes: Uint8Array, changes: readonly Edit<Uint8Array>[]): Buffer {
  return changes.reduce((before, { at, drop, put }) => {
    const index = Math.floor(at * before.length);
    return Buffer.concat([before.subarray(0, index), put, before.subarray(index + drop)]);
  }, Buffer.from(bytes));
}

/** Small pieces with a meaning to YAML. */
export const yamlPieces = [
  ...'\n \t : - ? [ ] { } , # " \' & * ! % | > &a *a !t 0 -1 .inf 1e999 0x1f null true <<: __proto__: ---\n'.split(
    ' ',
  ),
  ' ',
  '  ',
  ': ',
  '- ',
  ' #',
  '...\n',
  '\r\n',
  '\r',
  '\ufeff',
  '\0',
  '\u2028',
  '\u0085',
  '${{ a ? b : c }}',
];

/** The pieces, and now and then anything at all. */
export function piecesOf(words: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...words) },
    { weight: 2, arbitrary: fc.string({ maxLength: 8 }) },
    { weight: 1, arbitrary: fc.string({ maxLength: 4, unit: 'binary' }) },
  );
}
