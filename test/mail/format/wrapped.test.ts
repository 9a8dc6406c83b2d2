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

  it.each([
    ['the type', 'type: done\n\nText\n', { body: 'Text' }],
    ['and no blank line', 'type: done\nText: more\n', { body: 'Text: more' }],
    ['and nothing else', 'type: done', { body: '' }],
    ['two keys', 'type: done\nto: user\n\nText\n', { to: ['user'], body: 'Text' }],
    ['keys and their end', 'type: done\n---\nText\n', { body: 'Text' }],
    ['keys of several lines', 'type: done\nto:\n  - user\nText\n', { to: ['user'], body: 'Text' }],
    ['a type after blank lines', '\n\ntype: done\nText\n', { body: 'Text' }],
    ['a type after a sentence', 'Here it is:\n\ntype: done\nText\n', { body: 'Text' }],
    ['a type in a fence', '```\ntype: done\n\nText\n```\n', { body: 'Text' }],
    ['a type in a fence, text below', '```yaml\ntype: done\n```\nText\n', { body: 'Text' }],
  ])('is read of a turn that begins with %s alone, which in a file of a person is text', (_, text, draft) => {
    expect(read(text)).toEqual({ type: 'done', to: null, ...draft });
    expect(read(text, 'person')).toEqual({ plain: text });
  });

  it.each([
    ['after sentences', 'One.\nTwo.\n\ntype: done\nText\n'],
    ['with words behind it', 'type: done and dusted\nText\n'],
    ['within a line', 'The type: done\n'],
  ])('is plain text of a turn with a type %s', (_, text) => {
    expect(read(text)).toEqual({ plain: text });
  });

  it('says of which line a value is wrong, where the line before its keys is left out', () => {
    expect(read('Here it is:\n\ntype: done\nfields: 5\n\nText\n')).toEqual([
      expect.stringMatching(/^4:9 fields: 5 \| /),
    ]);
  });

  it.each([
    ['a rule', 'Title\n\n---\n\nText: more\n'],
    ['a heading', 'Title\n---\nnote: this is text\n'],
    ['a rule after a blank line', '\n---\nA sentence.\n'],
    ['a fence of YAML', '```yaml\nkind: done\n```\n'],
    ['a table', 'a | b\n--- | ---\ntype: | x\n'],
  ])('is plain text with %s', (_, text) => {
    expect(read(text)).toEqual({ plain: text });
  });
});
