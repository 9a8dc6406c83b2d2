import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { CliProject } from '../support/clis.ts';

const projects: CliProject[] = [];
afterEach(() => {
  for (const project of projects.splice(0)) project.remove();
});

function projectWith(clis: Readonly<Record<string, string>>): CliProject {
  const project = new CliProject(
    {
      'mailroom.yaml': 'trail: off\ndefaults: { provider: claude }\n',
      'protocols/team.yaml': team,
      'work.yaml': workflow,
    },
    clis,
  );
  projects.push(project);
  return project;
}

const team = `
name: one
version: "1"
roles:
  reviewer: { provider: codex }
messages:
  task: { from: user, to: reviewer }
  done: { from: reviewer, to: user, closes: true }
`;

const workflow = `name: sample
version: "1"
timeout: 5m
secrets: [DEPLOY_TOKEN]
steps:
  each:
    for_each:
      items: [one, two]
      as: word
      steps:
        write:
          worker: CLAUDE_CODE
          capabilities: [EDIT]
          instructions: "Write \${{ item }}."
          outputs: [{ name: text, path: "out/\${{ item }}.txt", required: true }]
          values: { length: { type: integer } }
  review:
    depends_on: [each]
    role: reviewer
    instructions: Review it.
`;

const claude = `
const { mkdirSync } = require('node:fs');
const word = /Write (\\w+)\\./.exec(prompt)[1];
mkdirSync('out', { recursive: true });
writeFileSync('out/' + word + '.txt', 'the word ' + word + ', not sesame-open');
writeFileSync(env.MAILROOM_VALUES, JSON.stringify({ length: word.length }));
claude('wrote ' + word);`;

it(
  'a run is recorded with its secrets left out, and played again without any agent',
  { timeout: 120_000 },
  async () => {
    const secret = { DEPLOY_TOKEN: 'sesame-open' };
    const live = projectWith({ claude, codex: `codex('It is good.');` });
    const recording = join(live.root, 'recording');
    const first = await live.run(['run', 'work.yaml', '--json', '--record', recording], secret);
    expect(first).toMatchObject({ code: 0 });
    const recorded = live.list('recording').filter((name) => name.endsWith('.json'));
    expect(recorded.filter((name) => name.startsWith('write-'))).toHaveLength(2);
    expect(recorded.filter((name) => name.startsWith('reviewer-'))).toHaveLength(1);
    const texts = recorded.map((name) => live.read(`recording/${name}`)).join('\n');
    expect(texts).toContain('the word one, not');
    expect(texts).not.toContain('sesame-open');
    expect(texts).not.toContain(live.root);

    const dead = projectWith({ claude: 'process.exit(2)', codex: 'process.exit(2)' });
    const again = await dead.run(['run', 'work.yaml', '--json', '--replay', recording], secret);
    expect(again).toMatchObject({ code: 0 });
    expect(dead.read('out/two.txt')).toContain('the word two');
    interface Document {
      readonly steps: Readonly<Record<string, { readonly status: string; readonly values: unknown }>>;
      readonly cost: object;
    }
    const [one, two] = [first, again].map(({ stdout }) => JSON.parse(stdout) as Document);
    const told = (document: Document | undefined) =>
      Object.entries(document?.steps ?? {}).map(([step, { status, values }]) => [step, status, values]);
    expect(told(two)).toEqual(told(one));
    expect(two?.cost).toEqual(one?.cost);
  },
);
