import { afterEach, expect, test } from 'vitest';
import { finished, said, TestProject } from '../support/project.ts';

/*
 * A gate that asks for more than yes or no: through the real program, as the person who answers it.
 */

let project: TestProject | null = null;

afterEach(() => {
  project?.remove();
  project = null;
});

const ada = { MAILROOM_USER: 'ada' };

const workflow = `name: ship
version: '1'
timeout: 5m
context_dir: made
steps:
  ask:
    gate:
      message: Ship it?
      choices: [approve, changes, reject]
      approvers: [ada]
      fields:
        risk: { enum: [low, high], required: true }
        days: { type: integer, default: 3 }
        note: {}
  ship:
    depends_on: [ask]
    when: \${{ steps.ask.approval.choice == 'approve' }}
    command: [touch, shipped]
  fix:
    depends_on: [ask]
    when: \${{ steps.ask.approval.choice == 'changes' }}
    worker: CUSTOM
    capabilities: [EDIT]
    instructions: |
      printf '%s\\n' \${{ steps.ask.approval.by }} \${{ steps.ask.approval.comment }} \${{ toJSON(steps.ask.approval.fields) }} > fix.txt
`;

test('a gate gets a choice, a comment and fields, which later steps read', async () => {
  const place = (project = new TestProject({
    'mailroom.yaml': 'trail: off\n',
    'workflows/ship.yaml': workflow,
  }));
  expect((await place.run(['plan', 'ship'])).stdout).toContain(
    `  ask  GATE
    approvers    ada
    choices      approve, changes, reject
    fields       risk, days, note
`,
  );
  const child = place.start(['run', 'workflows/ship.yaml']);
  const ran = finished(child);
  await said(child, 'mailroom approve');
  const [id = ''] = place.list('.mailroom/runs');
  const command = `mailroom approve ${id.slice(-6)} ask --as ada --choice 'approve|changes|reject' --field 'risk=low|high'`;
  expect((await place.run(['status'])).stdout).toContain(`ask asks: Ship it? (\`${command}\`)`);
  const { items } = JSON.parse((await place.run(['inbox', '--json'])).stdout) as { items: object[] };
  expect(items).toMatchObject([
    {
      kind: 'approval',
      reply_types: ['approve', 'changes', 'reject'],
      fields: {
        risk: { type: 'string', enum: ['low', 'high'], required: true },
        days: { type: 'integer', enum: null, required: false },
        note: { type: 'string', enum: null, required: false },
      },
      command,
    },
  ]);
  expect((await place.run(['inbox'])).stdout).toContain('--field risk=…  "low" | "high"\n');

  for (const [options, problem] of [
    [[], 'the field `risk` (one of "low", "high") is missing'],
    [
      ['--choice', 'approve|changes|reject', '--field', 'risk=low'],
      'must be one of "approve", "changes", "reject"',
    ],
    [['--field', 'risk=low|high'], 'the field `risk` must be one of "low", "high", not "low|high"'],
    [['--field', 'risk=low', '--field', 'days=soon'], 'the field `days` must be an integer, not "soon"'],
    [['--field', 'risk=low', '--field', 'notes=x'], 'there is no field `notes`; did you mean `note`?'],
  ] as const) {
    const { code, stderr } = await place.run(['approve', ...options], ada);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(problem) as string });
    expect(stderr).toContain(`hint: answer with \`${command}\``);
  }
  expect(place.list(`.mailroom/runs/${id}/control`)).toEqual([]);

  const answer = ['--choice', 'changes', '--field', 'risk=low', '--field', 'days=5', '-m', 'more tests'];
  expect(await place.run(['approve', ...answer], ada)).toMatchObject({ code: 0, stderr: '' });
  const { code, stdout } = await ran;
  expect(stdout).toContain('ask is answered by ada with `changes`: more tests');
  // What was refused has not become part of the run.
  expect(stdout).not.toContain('is refused');
  expect(code).toBe(0);
  expect(place.read('fix.txt').split('\n').slice(0, 2)).toEqual(['ada', 'more tests']);
  const approval = {
    by: 'ada',
    comment: 'more tests',
    choice: 'changes',
    fields: { risk: 'low', days: 5, note: null },
  };
  const shown = JSON.parse((await place.run(['show', id, '--json'])).stdout) as { steps: object };
  expect(shown.steps).toMatchObject({ ask: { values: approval }, ship: { status: 'SKIPPED' } });
  expect(JSON.parse(place.read('made/ask/_meta.json'))).toMatchObject({ approval });
});

test('an answer while no process hosts the run is kept for its resume', async () => {
  const place = (project = new TestProject({
    'mailroom.yaml': 'trail: off\n',
    'workflows/ship.yaml': workflow,
  }));
  const child = place.start(['run', 'workflows/ship.yaml']);
  await said(child, 'mailroom approve');
  child.kill('SIGKILL');
  await finished(child);
  const [id = ''] = place.list('.mailroom/runs');
  expect(await place.run(['approve', '--field', 'risk=no'], ada)).toMatchObject({ code: 1 });
  expect(await place.run(['approve', '--field', 'risk=high', '--choice', 'changes'], ada)).toMatchObject({
    code: 0,
  });
  expect(await place.run(['approve', id, 'ask', '--field', 'risk=low'], ada)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('ada has said `changes` to ask already'),
  });
  expect((await place.run(['status'])).stdout).toContain('ask: `changes` by ada is recorded');
  expect(await place.run(['resume', id])).toMatchObject({ code: 0 });
  expect(place.read('fix.txt')).toContain('"risk": "high"');
});

test('people are notified of a gate that waits', async () => {
  const told = `echo "$MAILROOM_TO: $MAILROOM_TYPE $MAILROOM_GATE of $MAILROOM_FROM $MAILROOM_MESSAGE asks $MAILROOM_SUBJECT\${MAILROOM_THREAD-}" >> told.log\n`;
  const gate = (more: string) => `name: ship
version: '1'
timeout: 5m
steps:
  ask: { gate: { message: "Ship\\n it?"${more} } }
`;
  const place = (project = new TestProject({
    'mailroom.yaml': 'trail: off\nnotify: { user: [sh, told.sh], ada: [sh, told.sh] }\n',
    'told.sh': told,
    'workflows/any.yaml': gate(''),
    'workflows/ada.yaml': gate(', approvers: [ada, eve]'),
    'workflows/eve.yaml': gate(', approvers: [eve]'),
  }));
  const lines: string[] = [];
  for (const [file, to] of [
    ['any', 'user'],
    ['ada', 'ada'],
    ['eve', 'user'],
  ] as const) {
    const child = place.start(['run', `workflows/${file}.yaml`]);
    const ran = finished(child);
    await said(child, 'mailroom approve');
    const [run = ''] = place.list('.mailroom/runs').slice(-1);
    lines.push(`${to}: gate ask of ship ${run} asks Ship it?\n`);
    await expect.poll(() => place.read('told.log')).toBe(lines.join(''));
    child.kill('SIGKILL');
    await ran;
    // Whether the process that was killed has notified of it is unknown.
    const resumed = finished(place.start(['resume', run]));
    lines.push(lines.at(-1) ?? '');
    await expect.poll(() => place.read('told.log')).toBe(lines.join(''));
    expect(await place.run(['approve', '--as', 'eve'])).toMatchObject({ code: 0 });
    await resumed;
  }
  expect(place.read('told.log')).toBe(lines.join(''));
});
