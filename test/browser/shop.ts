import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import { playProject } from '../support/play.ts';
import type { TestProject } from '../support/project.ts';

/** A team in which a role asks a person, and one waits for another. */
const protocol = `
name: shop
version: "1"
roles:
  architect: { capabilities: [READ] }
  engineer: { capabilities: [READ, EDIT] }
  qa: { capabilities: [READ] }
  writer: { capabilities: [READ, EDIT] }
messages:
  task: { from: user, to: [engineer, writer] }
  question:
    from: [engineer, writer]
    to: user
    reply: [answer]
    blocking: thread
    timeout: 4h
    on_timeout: fail
  answer:
    from: user
    to: [engineer, writer]
    fields:
      currency: { type: string, enum: [EUR, USD], required: true, description: What prices are in. }
  review-request: { from: [engineer, writer], to: qa, reply: [review-feedback], blocking: role }
  review-feedback:
    from: qa
    to: [engineer, writer]
    fields: { verdict: { type: string, enum: [approved, changes_requested], required: true } }
  delivered: { from: [engineer, writer], to: user, closes: true }
start: { type: task, to: engineer }
`;

/** Waits, without asking again and again, until the test has written `go`. */
const held = `
const { existsSync, watch } = await import('node:fs');
if (!existsSync(project + '/go')) await new Promise((resolve) => {
  const watcher = watch(project, () => { if (existsSync(project + '/go')) { watcher.close(); resolve(); } });
  if (existsSync(project + '/go')) { watcher.close(); resolve(); }
});
`;

const work = `
console.log('I have read the message and the code that it is about.');
if (type === 'task' && mail[0].includes('price')) return send('question', 'user', question, 'subject: Which currency do prices have?\\n');
if (type === 'task' || type === 'answer') return send('review-request', 'qa', 'The totals are in src/totals.mjs, with tests.', 'subject: Review of the totals\\n');
send('delivered', 'user', 'The review approved it.', 'subject: Delivered\\n');
`;

const question =
  'The shop shows prices without a currency.\n\nShould totals be in euros or in dollars? ' +
  'I would take euros, because the invoices have them.';

/** A release in five steps, with a person's approval before the last one. */
const release = `
name: release
version: "1"
description: Builds, checks and publishes a version after a person has approved it.
timeout: 30m
parameters:
  version: { type: string, required: true, description: "The version, such as 1.4.0." }
  channel: { type: string, enum: [stable, beta], default: beta, description: Who gets it. }
  copies: { type: integer, default: 2, description: How many servers get it at once. }
steps:
  build:
    worker: CUSTOM
    capabilities: [EDIT]
    instructions: echo "building \${{ parameters.version }}"; echo "120 modules, 0 warnings"
    timeout: 10m
  unit-tests:
    worker: CUSTOM
    capabilities: [RUN_TESTS]
    depends_on: [build]
    instructions: echo "412 tests passed"
    timeout: 10m
  lint:
    worker: CUSTOM
    capabilities: [READ]
    depends_on: [build]
    instructions: echo "no problems"
    timeout: 5m
  ship-it:
    depends_on: [unit-tests, lint]
    gate:
      message: Publish version \${{ parameters.version }} to \${{ parameters.channel }}?
      timeout: 24h
      on_timeout: reject
  publish:
    worker: CUSTOM
    capabilities: [RUN_COMMANDS]
    depends_on: [ship-it]
    instructions: echo "published"
    timeout: 10m
`;

/** A project whose agents are scripts; qa holds its turn until the file `go` exists. */
export function shopProject(more: Readonly<Record<string, string>> = {}): TestProject {
  const asks = `const question = ${JSON.stringify(question)};\n${work}`;
  return playProject(
    protocol,
    {
      architect: '',
      engineer: asks,
      writer: asks,
      qa: `${held}\nsend('review-feedback', mail[0].includes('from: writer') ? 'writer' : 'engineer', 'Fine.', 'fields: { verdict: approved }\\n');`,
    },
    { 'workflows/release.yaml': release, ...more },
  );
}

/** The address that a server prints, with its key. */
export async function addressOf({ stdout }: ChildProcess): Promise<string> {
  let printed = '';
  if (stdout === null) throw new Error('the server has no output');
  for (;;) {
    const found = /http:\/\/\S+#key=\S+/.exec(printed)?.[0];
    if (found !== undefined) return found;
    const [chunk] = (await once(stdout, 'data')) as [Buffer];
    printed += chunk.toString();
  }
}
