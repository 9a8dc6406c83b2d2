import { afterEach, expect, it, vi } from 'vitest';
import { judge, type VerdictOptions } from '../../src/cli/actions/approve.ts';
import type { Context } from '../../src/cli/context.ts';
import type { RunControlFile } from '../../src/letters/letters.ts';
import { graph, workflow } from '../workflow/machine/graph.ts';
import { World } from '../workflow/machine/world.ts';
import { FakeTerminal } from './fake-terminal.ts';

/** What a person answers, in order, and what she was asked. */
let answers: string[] = [];
let asked: string[] = [];
const answer = ({ message, options }: { message: string; options?: readonly { label: string }[] }) => {
  asked.push([message, ...(options ?? []).map(({ label }) => label)].join(' | '));
  return Promise.resolve(answers.shift());
};
vi.mock('@clack/prompts', () => ({
  select: (question: Parameters<typeof answer>[0]) => answer(question),
  text: (question: Parameters<typeof answer>[0]) => answer(question),
  isCancel: () => false,
}));
afterEach(() => {
  answers = [];
  asked = [];
});

const definition = workflow(
  graph('ask : gate=1h say="Ship it?" choices=approve|changes|reject fields=risk:low|high!,why!,note'),
);

/** The requests that an answer at a terminal makes of the run's host. */
async function judged(
  verb: 'approve' | 'reject',
  options: VerdictOptions,
  asking = definition,
): Promise<RunControlFile[]> {
  const world = new World(asking);
  const terminal = new FakeTerminal(() => 0);
  terminal.interactive = true;
  const requests: RunControlFile[] = [];
  const stored = {
    run: 'r1',
    definition: asking,
    state: () => world.state,
    alive: () => Promise.resolve(true),
    pending: () => [],
  };
  const workflows = {
    run: () => stored,
    request: (_run: string, file: RunControlFile) => void requests.push(file),
    verdict: () => ({ refusal: null }),
    changed: () => Promise.resolve(),
  };
  const context = {
    call: { environment: { MAILROOM_USER: 'ada' } },
    terminal,
    turn: null,
    outsideTurn: () => {},
    announce: () => {},
    place: () => ({ workflows, newId: () => 'one' }),
    project: () => ({ workflows }),
  };
  await judge(verb, context as unknown as Context, 'r1', 'ask', options);
  return requests;
}

it('refuses the changes of a turn for a gate', async () => {
  await expect(judged('approve', { changes: 'work' })).rejects.toMatchObject({ code: 'E_USAGE' });
});

it('asks a person at a terminal for the choice and the required fields, and for nothing else', async () => {
  answers = ['changes', 'high', 'too early'];
  const fields = { risk: 'high', why: 'too early' };
  expect(await judged('approve', {})).toMatchObject([{ verb: 'approve', choice: 'changes', fields }]);
  expect(asked).toEqual(['Ship it? | approve | changes | reject', 'risk? | low | high', 'why (string)?']);
});

it('asks only for what was not given, and nothing for a rejection or a document', async () => {
  answers = ['low'];
  const given = { choice: 'approve', field: ['why=so'] };
  expect(await judged('approve', given)).toMatchObject([{ fields: { risk: 'low', why: 'so' } }]);
  expect(asked).toEqual(['risk? | low | high']);
  expect(await judged('reject', { comment: 'no' })).toMatchObject([{ verb: 'reject', fields: {} }]);
  await expect(judged('approve', { json: true })).rejects.toThrow('the field `risk`');
  expect(asked).toHaveLength(1);
});

it('takes over nobody’s name: a person at a terminal who must not answer is asked who does', async () => {
  const gate = (approvers: string) => workflow(graph(`ask : gate=1h say="Ship it?" approvers=${approvers}`));
  expect(await judged('approve', {}, gate('lead|ada'))).toMatchObject([{ by: 'ada' }]);
  expect(await judged('approve', { as: 'lead' }, gate('lead'))).toMatchObject([{ by: 'lead' }]);
  await expect(judged('approve', { as: 'qa' }, gate('lead'))).rejects.toMatchObject({
    code: 'E_REFUSED',
    message: 'qa must not approve the gate ask: its approvers are lead',
    hint: 'nothing was recorded; one of them runs `mailroom approve r1 ask --as lead`',
  });
  const given = { json: true, choice: 'no', comment: "It isn't", field: ['a=1'] };
  await expect(judged('reject', given, gate('lead|user'))).rejects.toMatchObject({
    hint: `nothing was recorded; one of them runs \`mailroom reject r1 ask --as 'lead|user' --choice no --field a=1 --comment 'It isn'\\''t'\``,
  });
  expect(asked).toEqual([]);
  answers = ['user', 'lead'];
  expect(await judged('reject', {}, gate('lead|user'))).toMatchObject([{ by: 'user' }]);
  expect(await judged('approve', {}, gate('lead'))).toMatchObject([{ by: 'lead' }]);
  expect(asked).toEqual(['Who approves? | lead | user', 'Who approves? | lead']);
});

it('refuses the placeholders of the printed command', async () => {
  const given = { choice: 'approve', field: ['risk=low', 'why=<string>'] };
  await expect(judged('approve', given)).rejects.toThrow(
    'ask: the field `why` still has the placeholder <string>',
  );
});
