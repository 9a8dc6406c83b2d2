import { readFileSync } from 'node:fs';
import { TestProject } from './project.ts';

/*
 * Projects whose workflows are done by stages of agents. Each agent is a program of the test: what it hands over is under the
 * id of the stage in `play.mjs`.
 */

/** What a stage does: JavaScript that returns its outputs; `again` says how often it was there before. */
export type StagePlays = Readonly<Record<string, string>>;

const runner = `
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
const { MAILROOM_STEP: step, MAILROOM_VALUES: file, MAILROOM_PROJECT: project } = process.env;
const prompt = readFileSync(0, 'utf8');
const log = project + '/played.log';
const before = existsSync(log) ? readFileSync(log, 'utf8').split('\\n') : [];
const again = before.filter((line) => line === step).length;
appendFileSync(log, step + '\\n');
const { plays } = await import(project + '/plays.mjs');
const play = plays[step];
const values = play === undefined ? {} : await play({ prompt, again, step, project, appendFileSync, writeFileSync });
writeFileSync(file, JSON.stringify(values ?? {}));
console.log('said by ' + step);
`;

/** Everything that a workflow refers to by name, as files of a few words. */
export function referred(workflow: string): Record<string, string> {
  const names = (kind: string) =>
    [...workflow.matchAll(new RegExp(`\\b${kind}:([a-z0-9-]+)`, 'g'))].map(([, name = '']) => name);
  return Object.fromEntries([
    ...names('agent').map((name) => [`agents/${name}/role.md`, `You are ${name}.\n`]),
    ...names('ctx').map((name) => [`modules/${name}.md`, `About ${name}.\n`]),
    ...names('skill').map((name) => [
      `.claude/skills/${name}/SKILL.md`,
      `---\nname: ${name}\ndescription: Can ${name}.\n---\nHow.\n`,
    ]),
  ]);
}

export function stagesProject(
  workflow: string,
  plays: StagePlays,
  more: Readonly<Record<string, string>> = {},
): TestProject {
  const bodies = Object.entries(plays).map(
    ([id, body]) =>
      `  ${JSON.stringify(id)}: async ({ prompt, again, step, project, appendFileSync, writeFileSync }) => {\n${body}\n  },`,
  );
  return new TestProject({
    'mailroom.yaml':
      'providers: { play: { command: [node, play.mjs] } }\ndefaults: { provider: play }\ntrail: off\nsandbox: off\n',
    'play.mjs': runner,
    'plays.mjs': `export const plays = {\n${bodies.join('\n')}\n};\n`,
    'workflows/w.yaml': workflow,
    ...referred(workflow),
    ...more,
  });
}

/** A workflow of the tests. */
export function fixture(name: string): string {
  return readFileSync(new URL(`../fixtures/swdl/${name}`, import.meta.url), 'utf8');
}

/** How often each stage was played, in the order of the first time. */
export function played(project: TestProject): string[] {
  return project.read('played.log').trim().split('\n');
}
