import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { acpAgents } from '../../src/config/config.ts';
import { presetFor } from '../../src/providers/acp-presets.ts';
import { acpQuirks } from '../../src/providers/acp-quirks.ts';
import { namedProvider } from '../../src/providers/index.ts';
import { provedDay, provedTokens } from '../../src/providers/overhead.ts';
import { onlyRecorded, proved, quirks, type AgentCli, type Quirk } from '../../src/providers/quirks.ts';
import { agents, environment, fixture, invocation, now } from '../providers/samples.ts';
import { parseMessage } from '../../src/mail/format/read-message.ts';
import { blocks } from './blocks.ts';
import packages from '../real-clis/package.json' with { type: 'json' };

const installed: Readonly<Record<AgentCli, string>> = {
  claude: packages.dependencies['@anthropic-ai/claude-code'],
  codex: packages.dependencies['@openai/codex'],
  gemini: packages.dependencies['@google/gemini-cli'],
  opencode: packages.dependencies['opencode-ai'],
  pi: packages.dependencies['@earendil-works/pi-coding-agent'],
  // It is on no registry that we use: its page says what it rests on.
  agy: '1.2.11',
};

/** A turn with a bit of everything; `TURN` stands for its folder, `WORKSPACE` for where it runs, `HOME` for that of the run, `MODEL` and `SESSION` for what they say. */
const turn = invocation({
  role: 'ROLE',
  turn: 't7',
  capabilities: ['READ', 'EDIT', 'RUN_TESTS'],
  model: 'MODEL',
  session: { id: 'SESSION', usd: 0, tokens: 0 },
  budget: { usd: 3, tokens: null },
});

/** The command line with its variables as one would type it, an option with its value on each line. */
function typed(cli: AgentCli, given = turn): string {
  const config = { name: cli, kind: cli, command: null, arguments: [], env: [], writable: [], prices: null };
  const { argv, env, home } = namedProvider({ ...config, tests: ['npm test'] }, environment).start(given);
  const own = home === undefined ? {} : { [home.variable]: 'HOME' };
  const variables = Object.entries({ ...own, ...env }).filter(([name]) => !name.startsWith('MAILROOM_'));
  const words = argv.map(quoted);
  const lines = words.reduce<string[]>((all, word) => {
    const last = all.at(-1);
    const begins = last === undefined || word.startsWith('-') || (/ /.test(last) && last.startsWith('-'));
    return begins ? [...all, word] : [...all.slice(0, -1), `${last} ${word}`];
  }, []);
  const assignments = variables.map(([name, value]) => `${name}=${quoted(value)}`);
  return [...assignments, ...lines]
    .join(' \\\n  ')
    .replaceAll(turn.paths.folder, 'TURN')
    .replaceAll(turn.workspace, 'WORKSPACE');
}

function quoted(word: string): string {
  return /^[\w./:@,=-]+$/.test(word) ? word : `'${word}'`;
}

function row({ from, before, what, answer }: Quirk): string {
  return `${before === null ? `${from} and later` : `${from} to before ${before}`} | ${what} | ${answer}`;
}

/** Recorded turns of the real programs: their name on the page, and the tokens that the model counted. */
const turns = [
  ['text', 'one request', '1050'],
  ['edit-outbox', 'two requests, with the use of a tool', '2100'],
  ['resume', 'one request in a resumed conversation', '1050'],
  ['status-429', 'refused at a usage limit', '0'],
  ['unknown-session', 'the conversation is unknown', '0'],
  ['cut', 'the connection breaks in an answer', 'unknown'],
  ['sigterm', 'ended by a signal before an answer', 'unknown'],
] as const;

/** What Mailroom counts of them, for a model whose price it knows. */
function counted(cli: AgentCli): string[] {
  const { provider, session } = agents.find(({ name }) => name === cli) ?? {};
  const model = cli === 'gemini' ? 'gemini-2.5-pro' : 'gpt-5.5';
  return turns.map(([sample, what, ofModel]) => {
    const resumes = sample === 'resume' || sample === 'unknown-session';
    const resumed = invocation({ model, session: resumes ? (session ?? null) : null });
    const { tokens, usd } = provider?.read(fixture(cli, sample), resumed, now).usage ?? {};
    const dollars = usd == null ? '`unpriced`' : `$${String(Number(usd.toFixed(6)))}`;
    return `| ${what} | ${ofModel} | ${String(tokens ?? 'unknown')} | ${dollars} |`;
  });
}

/** A page without the blanks that only make its tables look well. */
function page(cli: AgentCli): string {
  const path = fileURLToPath(new URL(`../../docs/providers/${cli}.md`, import.meta.url));
  return readFileSync(path, 'utf8').replaceAll(/ +\|/g, ' |').replaceAll(/\| +/g, '| ');
}

it('providers.md has what each call reads besides the prompt', () => {
  const text = readFileSync(fileURLToPath(new URL('../../docs/providers.md', import.meta.url)), 'utf8');
  const rows = text.split('\n').map((line) => line.replaceAll(/ +\|/g, ' |').replaceAll(/\| +/g, '| '));
  const shown = (tokens: number | null) => tokens?.toLocaleString('en-US') ?? 'no switch';
  const known = Object.entries(provedTokens).map(
    ([cli, { own, short }]) => `| ${cli} ${proved[cli as AgentCli]} | ${shown(own)} | ${shown(short)} |`,
  );
  const head = rows.findIndex((line) => line.startsWith(`| tokens of each call, ${provedDay} |`));
  expect(rows.slice(head + 2, head + 2 + known.length)).toEqual(known);
});

describe('the page of the Agent Client Protocol', () => {
  const text = readFileSync(fileURLToPath(new URL('../../docs/providers/acp.md', import.meta.url)), 'utf8');
  const rows = text.split('\n').map((line) => line.replaceAll(/ +\|/g, ' |').replaceAll(/\| +/g, '| '));

  it('lists every agent that is known by name, its command and how to install it', () => {
    for (const name of acpAgents) {
      const { command, install } = presetFor(name, null) ?? { command: [], install: '' };
      const how = install.startsWith('see ') ? install : `\`${install}\``;
      expect(rows).toContain(`| \`${name}\` | \`${command.join(' ')}\` | ${how} |`);
    }
  });

  it('has the quirks that the code knows, and no other', () => {
    const known = acpQuirks.map(
      ({ agent, from, what, proved: shown }) =>
        `| ${agent} | ${from} and later | ${what} | ${shown ? 'a test' : 'others'} |`,
    );
    expect(rows.filter((line) => line.includes(' and later | '))).toEqual(known);
  });
});

describe.each(Object.keys(installed) as AgentCli[])('the page of %s', (cli) => {
  it('shows the command line that is run', () => {
    expect(page(cli)).toContain(`\`\`\`sh\n${typed(cli)}\n\`\`\``);
  });

  it('names the version that is proved', () => {
    expect(proved[cli]).toBe(installed[cli]);
    const words = onlyRecorded.has(cli) ? 'Known from recorded streams of' : 'Proved with';
    expect(page(cli)).toContain(`${words} ${proved[cli]}`);
  });

  it('has the quirks that the code knows, and no other', () => {
    const rows = page(cli)
      .split('\n')
      .filter((line) => /^\| \d/.test(line));
    expect(rows.map((line) => line.slice(2, -2))).toEqual(quirks[cli].map(row));
  });

  it('has what Mailroom counts of recorded turns, row by row', () => {
    const rows = page(cli)
      .split('\n')
      .filter((line) => /^\| .* \| (\d+|unknown) \| /.test(line));
    expect(rows).toEqual(counted(cli));
  });
});

it('the page of codex shows what replaces its sandbox with `READ` alone', () => {
  const [block] = blocks.filter(
    ({ page: name, text }) => name === 'docs/providers/codex.md' && /^ {2}-c/.test(text),
  );
  const alone = typed('codex', { ...turn, capabilities: ['READ'] });
  expect(alone).toContain(block!.text.trimEnd());
});

it('the complete agent of providers.md answers', () => {
  const [block] = blocks.filter(({ page: name, info }) => name === 'docs/providers.md' && info === 'sh');
  const outbox = mkdtempSync(join(tmpdir(), 'mailroom-agent-'));
  onTestFinished(() => rmSync(outbox, { recursive: true }));
  const mail = join(outbox, 'mail.md');
  writeFileSync(mail, '---\ntype: task\n---\nThree more words\n');
  const env = { ...process.env, MAILROOM_MESSAGES: mail, MAILROOM_OUTBOX: outbox };
  execFileSync('sh', ['-c', block!.text], { env });
  const answer = parseMessage(readFileSync(join(outbox, 'answer.md'), 'utf8'), 'answer.md');
  expect(answer).toMatchObject({
    ok: true,
    value: { type: 'done', body: expect.stringContaining('3 words') },
  });
});
