import { describe, expect, it } from 'vitest';
import { parseMessage } from '../../../src/mail/format/read-message.ts';

const front = ['---', 'type: done', 'to: user', '---'];
const message = [...front, 'It is done.', ''].join('\n');

/** What is read; of problems each as `line:column` with the line and the message. */
function read(text: string, by: 'turn' | 'person' = 'turn') {
  const result = parseMessage(text, 'm.md', by);
  if (!result.ok)
    return result.problems.map(
      ({ place, message: words }) => `${place?.line}:${place?.column} ${place?.text ?? ''} | ${words}`,
    );
  const { type, to, body, frontMatter } = result.value;
  return frontMatter ? { type, to, body: body.trim() } : { plain: body };
}

const done = { type: 'done', to: ['user'], body: 'It is done.' };

describe('a message in what language models write around it', () => {
  it.each([
    ['nothing', message],
    ['a blank line before it', `\n${message}`],
    ['blank lines with spaces before it', ` \n\t\n\n${message}`],
    ['a byte order mark and blank lines', `\uFEFF\n\n${message}`],
    ['lines that end as in Windows', `\r\n${message.replaceAll('\n', '\r\n')}`],
    ['a code fence', `\`\`\`\n${message}\`\`\`\n`],
    ['a code fence of a language', `\`\`\`markdown\n${message}\`\`\``],
    ['a fence of tildes, after a blank line', `\n~~~~ md\n\n${message}~~~~\n\n`],
    ['a fence around the front matter alone', `\`\`\`yaml\n${front.join('\n')}\n\`\`\`\n\nIt is done.\n`],
    ['a sentence before it', `Here is my message:\n\n${message}`],
    ['a sentence right before it', `Sure!\n${message}`],
    ['a sentence and a fence', `Here is the message to the user.\n\n\`\`\`md\n${message}\`\`\`\n`],
  ])('is read: %s', (_, text) => {
    expect(read(text)).toEqual(done);
    expect(read(text, 'person')).toEqual(done);
  });

  it('keeps the fences of its own text', () => {
    const code = '```ts\nconst a = 1;\n```';
    const inner = `${front.join('\n')}\nSee:\n\n${code}\n`;
    expect(read(`\`\`\`markdown\n${inner}\`\`\`\n`)).toMatchObject({ body: `See:\n\n${code}` });
    expect(read(`\`\`\`\`\n${inner}\`\`\`\`\n`)).toMatchObject({ body: `See:\n\n${code}` });
    expect(read(`\n${inner}`)).toMatchObject({ body: `See:\n\n${code}` });
  });

  it('says where its errors are in the file', () => {
    expect(read('\n\n---\ntype: done\ntype: x\n---\n')).toEqual([expect.stringMatching(/^5:1 type: x \| /)]);
    expect(read('Sure!\n\n```\n---\ntype: done\ntoo: user\n---\n```\n')).toEqual([
      expect.stringMatching(/^6:1 too: user \| .*/),
    ]);
    expect(read('\n---\ntype: done\n\nText\n')).toEqual(['2:1 --- | front matter is opened and not closed']);
  });

  it.each([
    ['more text after its fence', `\`\`\`\n${message}\`\`\`\nTell me more.\n`, '7:1 ```'],
    ['a fence that is not closed', `\`\`\`\n${message}`, '1:1 ```'],
    ['a bare fence inside a bare fence', `\`\`\`\n${message}\`\`\`\ncode\n\`\`\`\n\`\`\`\n`, '7:1 ```'],
    ['front matter that is indented', `\n  ---\n  type: done\n  ---\n`, '2:1   ---'],
  ])('is refused where it is ambiguous: %s', (_, text, place) => {
    expect(read(text)).toEqual([expect.stringContaining(`${place} | `)]);
    expect(read(text, 'person')).toEqual(read(text));
  });

  it.each([
    ['sentences', `I have changed it.\nThe tests pass.\n\n${message}`, 4],
    ['a paragraph and a fence', `It is done.\n\nMy message:\n\n\`\`\`\n${message}\`\`\`\n`, 6],
  ])('is refused of a turn after %s, which in a file of a person are text', (_, text, line) => {
    expect(read(text)).toEqual([`${String(line)}:1 --- | front matter begins here, and not on line 1`]);
    expect(read(text, 'person')).toEqual({ plain: text });
  });

  it.each(['type: done\nto: user\n\nText\n', 'type: done\n---\nText\n'])(
    'is refused of a turn without the line that opens it: %j',
    (text) => {
      const problem = 'front matter begins with a line `---`, and this is a key of it';
      expect(read(text)).toEqual([`1:1 type: done | ${problem}`]);
      expect(read(text, 'person')).toEqual({ plain: text });
    },
  );

  it.each([
    ['a rule', 'Title\n\n---\n\nText: more\n'],
    ['a heading', 'Title\n---\nnote: this is text\n'],
    ['a rule after a blank line', '\n---\nA sentence.\n'],
    ['a fence of YAML', '```yaml\ntype: done\n```\n'],
    ['a table', 'a | b\n--- | ---\ntype: | x\n'],
  ])('is plain text with %s', (_, text) => {
    expect(read(text)).toEqual({ plain: text });
  });
});
