import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { defaultConfig } from '../../src/config/config.ts';
import { isHuman, typesFrom, type Protocol } from '../../src/mail/format/protocol.ts';
import { parseProtocol } from '../../src/mail/protocol/read.ts';
import { wordsAgainstProtocol } from '../../src/project/role-words.ts';
import { protocolOf } from '../mail/machine/texts.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const templates = readdirSync(join(root, 'templates'))
  .filter((name) => existsSync(join(root, 'templates', name, 'agents')) && name !== 'base')
  .map((name) => `templates/${name}`);

const defaults = { ...defaultConfig.defaults, provider: 'claude' };

function protocolIn(folder: string): Protocol {
  const files = readdirSync(join(root, folder, 'protocols'))
    // Who does tasks by their kind has no mail.
    .filter((name) => name !== 'tasks.yaml')
    .map((name) => ({ file: name, text: readFileSync(join(root, folder, 'protocols', name), 'utf8') }));
  const read = parseProtocol(files, { ...defaultConfig, defaults });
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
  return read.value;
}

describe.each([...templates, '.'])('the roles of %s', (folder) => {
  const protocol = protocolIn(folder);
  const roles = [...protocol.roles.keys()].filter((role) => !isHuman(protocol, role));
  const textOf = (role: string) => readFileSync(join(root, folder, 'agents', role, 'role.md'), 'utf8');

  it('name nothing that the protocol lets them not send', () => {
    expect(roles.length).toBeGreaterThan(0);
    const found = roles.flatMap((role) =>
      wordsAgainstProtocol(protocol, { role, text: textOf(role), place: () => null }),
    );
    expect(found.map(({ message }) => message)).toEqual([]);
  });

  it('name each type where there is a choice', () => {
    const unnamed = roles.flatMap((role) => {
      const types = typesFrom(protocol, role).filter(({ name }) => !['question', 'answer'].includes(name));
      return types.length < 2
        ? []
        : types
            .filter(({ name }) => !textOf(role).includes(`\`${name}\``))
            .map(({ name }) => `${role}: ${name}`);
    });
    expect(unnamed).toEqual([]);
  });
});

const team = (types: string) =>
  protocolOf(`roles: { maker: {}, judge: {} }
messages:
  task: { from: user, to: maker }
  draft: { from: maker, to: judge, reply: [remarks] }
  remarks: { from: judge, to: maker }
  made-it: { from: maker, to: user, closes: true }
${types}`);

function said(text: string, role = 'maker', types = ''): string[] {
  return wordsAgainstProtocol(team(types), { role, text, place: () => null }).map(({ message }) => message);
}

describe('what a role is described as writing', () => {
  it.each([
    ['Judge it, then send `made-it`.', 'judge', ['this text names `made-it`, which judge must not send']],
    ['Say so by made-it.', 'judge', ['this text names `made-it`, which judge must not send']],
    [
      'Then send the judge your `remarks`.',
      'maker',
      ['this text names `remarks`, which maker must not send'],
    ],
    ['Answer with a `task`.', 'maker', ['this text names `task`, which maker must not send']],
    ['Do what the `remarks` say, and send the next `draft`.', 'maker', []],
    ['Never send `made-it`: the maker does.', 'judge', []],
    ['Read the task and the draft.', 'judge', []],
  ])('%s (%s)', (text, role, found) => {
    expect(said(text, role)).toEqual(found);
  });

  it('may be a question only to somebody whom it can ask', () => {
    const asks = 'If it is unclear, ask `user` before you begin.';
    expect(said(asks)).toEqual([]);
    const own =
      '  question: { from: judge, to: user, reply: [answer] }\n  answer: { from: user, to: judge }\n';
    expect(said(asks, 'judge', own)).toEqual([]);
    expect(said(asks, 'maker', own)).toEqual(['this text names `user`, which maker cannot ask']);
    expect(said('Ask the judge.', 'maker', own)).toEqual([]);
    expect(said('Ask the maker.', 'judge', own)).toEqual(['this text names `maker`, which judge cannot ask']);
  });
});
