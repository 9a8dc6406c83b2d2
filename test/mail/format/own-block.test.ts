import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { withBlock, withoutBlock } from '../../../src/mail/format/own-block.ts';
import { parseMessage } from '../../../src/mail/format/read-message.ts';

const file = '---\ntype: question\n---\nWhich?\n';
const block = 'Answer it.\n\n```sh\nmailroom reply 4f2a9c\n```';

describe('a block below a message', () => {
  it('has a mark with a checksum before and after it', () => {
    expect(withBlock(file, block)).toBe(
      `${file}\n<!-- mailroom: not part of the message (f4d7d8d2) -->\n\n${block}\n\n<!-- mailroom: end (f4d7d8d2) -->\n`,
    );
  });

  it('is no part of the message, and comes off without a trace', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(text, text, (body, inside) => {
        const ended = body === '' || body.endsWith('\n') ? body : `${body}\n`;
        expect(withoutBlock(withBlock(`---\n---\n${body}`, inside))).toBe(`---\n---\n${ended}`);
      }),
    );
  });

  it('leaves what a person writes above and below it', () => {
    const copied = withBlock(file, block).replace('Which?\n', 'Which?\nThe first.\n');
    expect(withoutBlock(`${copied}\nOr the second.\n`)).toBe(
      '---\ntype: question\n---\nWhich?\nThe first.\n\nOr the second.\n',
    );
  });

  it('is text of its author when it was edited, or when only a part of it is left', () => {
    const whole = withBlock(file, block);
    for (const edited of [
      whole.replace('Answer it.', 'Answer it. Yes!'),
      whole.replace('4f2a9c', '4f2a9d'),
      whole.replace('<!-- mailroom: end', '<!-- mailroom: the end'),
      whole.replace('not part of', 'part of'),
      whole.slice(whole.indexOf('Answer')),
      whole.slice(0, -20),
    ])
      expect(withoutBlock(edited)).toBe(edited);
  });

  it('is found below a message that holds marks of its own', () => {
    const quoting = withBlock(file, 'other').replace('other', 'another');
    expect(withoutBlock(withBlock(quoting, block))).toBe(quoting);
  });

  it('is left out of what people drop, with line ends of Windows too', () => {
    const body = (text: string) => {
      const parsed = parseMessage(text, 'a.md');
      return parsed.ok ? parsed.value.body : parsed.problems;
    };
    expect(body(withBlock(file, block))).toBe('Which?\n');
    expect(body(withBlock(file, block).replaceAll('\n', '\r\n'))).toBe('Which?\n');
    expect(body(withBlock('Plain\n', block))).toBe('Plain\n');
  });
});
