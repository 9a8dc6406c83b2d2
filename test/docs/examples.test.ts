import { expect, it } from 'vitest';
import { defaultConfig, type Config } from '../../src/config/config.ts';
import { parseConfig } from '../../src/config/read.ts';
import type { Checked } from '../../src/kernel/diagnostic.ts';
import { parseWorkflow } from '../../src/languages/parse.ts';
import { readChannelLine } from '../../src/letters/channel-lines.ts';
import { parseMessage } from '../../src/mail/format/read-message.ts';
import { parseProtocol } from '../../src/mail/protocol/read.ts';
import { nowhere } from '../support/nowhere.ts';
import { blocks, type Block } from './blocks.ts';
import { held } from './run-blocks.ts';

/* Files, parts of files and messages that pages show: read as those of a project. */

// The pages say that steps on workers need `workers` in mailroom.yaml.
const workflow = (text: string, file: string) => parseWorkflow(text, file, { ...nowhere, hasWorkers: true });
const protocol = (text: string, file: string, config: Config = defaultConfig) =>
  parseProtocol([{ file, text }], config);

function settingsBeside({ page, section }: Block): Config {
  const block = blocks.find((each) => each.page === page && each.section === section && isSettings(each));
  const config = parseConfig(block?.text ?? '', 'mailroom.yaml');
  return config.ok ? config.value : defaultConfig;
}

const isSettings = ({ file }: Block) => file === 'mailroom.yaml';

function readFile(block: Block, file: string) {
  if (isSettings(block)) return parseConfig(block.text, file);
  if (file === 'agents.yaml') return parseConfig('', 'mailroom.yaml', { path: file, text: block.text });
  if (file.startsWith('workflows/')) return workflow(block.text, file);
  return protocol(block.text, file, settingsBeside(block));
}

const head = "name: part\nversion: '1'\ntimeout: 1h\n";

/** Files without their name, and parts of files: by the first key, how they are read. */
const parts: Readonly<Record<string, (text: string, page: string) => Checked<unknown>>> = {
  name: workflow,
  steps: (text, page) => workflow(head + text, page),
  triggers: (text, page) => workflow(`${head}steps: { one: { command: [make] } }\n${text}`, page),
  roles: protocol,
  messages: protocol,
  workspace: protocol,
  '- id': (text, page) => workflow(`workflow: { id: part }\nstages:\n${text}`, page),
  providers: parseConfig,
  prices: parseConfig,
  defaults: parseConfig,
};
/** Of the others, such as a name that is not there, the page shows no more. */
const ofParts: readonly string[] = ['E_YAML', 'E_UNKNOWN_KEY', 'E_VALUE'];

function problems(checked: Checked<unknown>) {
  return checked.ok ? [] : checked.problems;
}

const yaml = blocks.filter(({ info }) => info === 'yaml');
const named = (each: Block) => [`${each.page}:${String(each.line)}`, each] as const;

it.each(yaml.filter(({ file }) => file !== null).map(named))('the file of %s is right', (_, block) => {
  expect(problems(readFile(block, block.file ?? '')).map(({ message }) => message)).toEqual([]);
});

const partOf = ({ text }: Block) => parts[/^([\w-]+|- id):/m.exec(text)?.[1] ?? ''];
const shown = yaml.filter((each) => each.file === null && partOf(each) !== undefined);

it.each(shown.map(named))('the part of a file in %s is right', (_, block) => {
  const found = problems(partOf(block)!(block.text, block.page));
  const wrong = block.text.startsWith('name: ') ? found : found.filter(({ code }) => ofParts.includes(code));
  expect(wrong.map(({ message }) => message)).toEqual([]);
});

it.each(blocks.filter(({ text }) => /^(---\n\w|type: )/.test(text)).map(named))(
  'the message of %s is right',
  (_, { text, page }) => {
    expect(problems(parseMessage(text, page))).toEqual([]);
  },
);

it('what a program of a channel may write in docs/channels.md is read', () => {
  const [shownLines] = blocks.filter(({ page, info }) => page === 'docs/channels.md' && info === 'json');
  const lines = shownLines?.text.match(/^\{"type": "(sent|received)".*$/gm) ?? [];
  expect(lines.map((line) => readChannelLine(line).ok)).toEqual([true, true]);
});

it('all files that `npm run docs:blocks` says are read here are', () => {
  const said = held.filter(({ block, by }) => block.info === 'yaml' && by === 'test/docs/examples.test.ts');
  const unread = said.filter(({ block }) => block.file === null && partOf(block) === undefined);
  expect(unread.map(({ block }) => named(block)[0])).toEqual([]);
});
