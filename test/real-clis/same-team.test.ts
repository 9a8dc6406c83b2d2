import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import packages from './package.json' with { type: 'json' };
import { acpClis } from './support/acp-clis.ts';
import { claude, codex, gemini, opencode, pi, type Cli } from './support/clis.ts';
import type { Answer, Asked, Model } from './support/model.ts';
import { gather, type Member } from './support/team.ts';
import type { Tool } from './support/clis.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

type Player = Member & Pick<Cli, 'write' | 'shell'> & { readonly model?: string };

const byProtocol = acpClis
  .filter(({ name }) => name === 'copilot' || name === 'qwen')
  .map((cli) => ({ ...cli, kind: 'acp' as const }));
const players: readonly Player[] = [claude, codex, gemini, opencode, pi, ...byProtocol];

const sources: Readonly<Record<string, keyof typeof packages.dependencies>> = {
  claude: '@anthropic-ai/claude-code',
  codex: '@openai/codex',
  gemini: '@google/gemini-cli',
  opencode: 'opencode-ai',
  pi: '@earendil-works/pi-coding-agent',
  copilot: '@github/copilot',
  qwen: '@qwen-code/qwen-code',
};

const roles = ['architect', 'engineer', 'qa'];

/** The sandbox does not show copilot all that it needs to start. */
const settingsFor = ({ name }: Player) => (name === 'copilot' ? { sandbox: 'off' } : {});

/** The protocol as it is shipped, with one program for all of its roles. */
function filesFor({ name, model }: Player): Record<string, string> {
  const lines = model === undefined ? '' : `    model: ${model}\n`;
  const protocol = roles.reduce(
    (text, role) => text.replace(`  ${role}:\n`, `  ${role}:\n    provider: ${name}\n${lines}`),
    read('protocols/feature-team.yaml'),
  );
  return {
    'protocols/feature-team.yaml': protocol,
    'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }',
    'add.test.js':
      "import { test } from 'node:test';\nimport { equal } from 'node:assert';\nimport { add } from './add.js';\ntest('adds', () => equal(add(2, 3), 5));\n",
    ...Object.fromEntries(roles.map((role) => [`agents/${role}/role.md`, read(`agents/${role}/role.md`)])),
  };
}

/** What a role does in its turn: its name, uses of tools in order, and the lines before its last words. */
type Turn = readonly [name: string, tools: readonly Tool[], head: string];

function turnOf(player: Player, root: string, { conversation }: Asked): Turn {
  // Some programs do not overwrite a file that they have not read: it is missing at first.
  const write = player.write(join(root, 'add.js'), 'export const add = (a, b) => a + b;\n');
  const tests = player.shell('npm test');
  switch (/You are \*\*(\w+)\*\*/.exec(conversation)?.[1]) {
    case 'architect':
      return ['design', [player.write(join(root, 'denied.txt'), 'x')], 'type: design'];
    case 'qa':
      return existsSync(join(root, 'add.js'))
        ? ['delivery', [tests], 'type: delivered']
        : ['review', [tests], 'type: review-feedback\nfields: { verdict: changes_requested }'];
    default: {
      const isFix = conversation.includes('verdict: changes_requested');
      return isFix
        ? ['fix', [write, tests], 'type: review-request']
        : ['work', [tests], 'type: review-request'];
    }
  }
}

/** What the model is asked to correct stands at the head of a section. */
const correction = '## Correct this first';

/**
 * Plays every role; what is done is what the conversation holds, as a refusal may begin a new prompt. The engineer forgets
 * the first line of its first message.
 */
function plays(model: Model, player: Player, root: string, tested: Set<string>): void {
  model.plays((asked): Answer => {
    if (asked.tools.length === 0 || /SUGGESTION MODE/.test(asked.prompt)) return { say: 'A title' };
    if (/pass 1\b/.test(asked.results.join())) tested.add('passed');
    if (/fail 1\b/.test(asked.results.join())) tested.add('failed');
    const [name, tools, head] = turnOf(player, root, asked);
    const next = tools.findIndex((_, index) => !asked.conversation.includes(`${name}-${String(index)}`));
    const tool = tools[next];
    if (tool !== undefined) return { say: `${name}-${String(next)}`, tools: [tool] };
    const isForgotten = name === 'work' && !asked.conversation.includes(correction);
    return { say: isForgotten ? 'It is so.' : `${head}\n\nIt is so.` };
  });
}

describe.each(players)('$name', (player) => {
  it('does the work of a whole team with the permissions of each role', { timeout: 240_000 }, async () => {
    const { project, model, env } = await gather([player], filesFor(player), settingsFor(player));
    const tested = new Set<string>();
    plays(model, player, project.root, tested);
    project.drop('agents/architect/inbox/task.md', '# Add\n\nWe need add(a, b).\n');
    const up = await project.run(['up', '--until-idle', '--plain'], env);
    expect(up).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await project.run(['trail', '--json'], env);
    const types = (JSON.parse(stdout) as { readonly type: string }[]).map(({ type }) => type);
    expect([
      types.join(', '),
      existsSync(join(project.root, 'denied.txt')) ? 'written' : 'refused',
      [...tested].toSorted().join(', then '),
      project.survivors().length,
    ]).toEqual([messages, 'refused', 'failed, then passed', 0]);
    expect(project.read('add.js')).toContain('+');
    // The correction is asked for in the same conversation, once, and the tests do not run again for it.
    const corrected = model.asked.filter(({ prompt }) => prompt.includes(correction));
    expect(corrected).toHaveLength(1);
    expect(corrected[0]?.conversation).toContain('work-0');
    // The page names the versions that do so.
    const version = packages.dependencies[sources[player.name] ?? 'opencode-ai'];
    expect(read('docs/providers.md').replaceAll(/\s+/g, ' ')).toContain(`${player.name} ${version}`);
  });
});

const messages = 'task, design, review-request, review-feedback, review-request, delivered';
