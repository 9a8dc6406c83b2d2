import { describe, expect, it } from 'vitest';
import { refusal, type RunCommand } from '../../../src/workflow/machine/commands.ts';
import { maskEvent, typesIn } from '../../../src/workflow/machine/mask-event.ts';
import { parse } from 'yaml';
import { runDocument } from '../../../src/languages/swdl/run-record.ts';
import { findStep } from '../../../src/workflow/machine/scope.ts';
import { metaOf } from '../../../src/workflow/machine/view.ts';
import { World } from './world.ts';

const minute = 60_000;
const gate = 'ask : gate=1h/POLICY choices=approve|changes|reject fields=risk:low|high!,note';
const after = `
ship <- ask : when="steps.ask.approval.choice == 'approve'" say="\${{ steps.ask.approval.fields.risk }}"
fix <- ask : when="steps.ask.approval.choice == 'changes'" say="\${{ steps.ask.approval.comment }} by \${{ steps.ask.approval.by }}"
`;

function asked(policy = 'abort'): World {
  return new World(gate.replace('POLICY', policy) + after);
}

function refused(world: World, answer: Partial<RunCommand>): string | null {
  const command = { verb: 'approve', path: 'ask', by: 'ada', choice: null, fields: {} } as const;
  return refusal(world.state, world.rules, { ...command, at: world.now, ...answer })?.text ?? null;
}

const one = (name: string) => `the field \`${name}\``;
const risks = 'one of "low", "high"';

describe('an answer to a gate', () => {
  it('is one of its choices, and has its fields', () => {
    const world = asked();
    expect(refused(world, { fields: { risk: 'low' } })).toBeNull();
    expect(refused(world, { choice: 'changes', fields: { risk: 'high', note: 'so' } })).toBeNull();
    expect(refused(world, {})).toBe(`${one('risk')} (${risks}) is missing`);
    expect(refused(world, { choice: 'change', fields: { risk: 'medium', nots: 1 } })).toBe(
      'the choice `change` must be one of "approve", "changes", "reject"; there is no field `nots`; ' +
        `did you mean \`note\`?; ${one('risk')} must be ${risks}, not "medium"`,
    );
  });

  it('needs no field for a rejection, which is no other choice', () => {
    const world = asked();
    expect(refused(world, { verb: 'reject' })).toBeNull();
    expect(refused(world, { choice: 'reject' })).toBeNull();
    expect(refused(world, { verb: 'reject', fields: { risk: 'none' } })).toContain(one('risk'));
    expect(refused(new World('ask : gate=1h choices=staging|production'), { verb: 'reject' })).toBe(
      'the choice `reject` must be one of "staging", "production"',
    );
  });

  it('is what later steps read, whatever opened the gate', () => {
    const world = asked();
    world.judge('ask', 'changes', world.now, { comment: 'more tests', fields: { risk: 'low' } });
    expect(world.statuses).toBe('ask SUCCEEDED, ship SKIPPED, fix RUNNING');
    expect(world.launch('fix').work).toMatchObject({ argv: ['more tests by ada'] });
    expect(world.state.steps.get('ask')?.values).toEqual({
      by: 'ada',
      comment: 'more tests',
      choice: 'changes',
      fields: { risk: 'low', note: null },
    });
  });

  it('is read of a rejection, too, where the run continues after it', () => {
    const world = new World(`
      ask : gate=1h/abort ok=ship fail=fix
      ship : ok=_end
      fix : ok=_end say="\${{ steps.ask.approval.choice }}: \${{ steps.ask.approval.comment }} \${{ steps.ask.values.by }}"
    `);
    world.judge('ask', 'reject', world.now, { comment: 'not yet' });
    expect(world.launch('fix').work).toMatchObject({ argv: ['reject: not yet '] });
  });

  it('stands in the records of the step, also of a rejection', () => {
    const world = asked();
    world.judge('ask', 'reject', world.now, { comment: 'no' });
    const approval = { by: 'ada', comment: 'no', choice: 'reject', fields: { risk: null, note: null } };
    expect(metaOf(world.state, world.rules, 'ask')).toMatchObject({ status: 'FAILED', approval });
    expect(parse(runDocument(world.state, world.rules))).toMatchObject({
      run: { stages: { ask: { status: 'failed', outputs: approval, reason: 'rejected by ada: no' } } },
    });
  });
});

describe('the time of a gate that is over', () => {
  it('approves with the defaults of its fields, else null', () => {
    const world = asked('approve');
    world.pass(60 * minute);
    expect(world.launch('ship').work).toMatchObject({ argv: [''] });
    const answer = { by: 'auto_approve', comment: null, choice: 'approve' };
    expect(world.state.steps.get('ask')?.values).toEqual({ ...answer, fields: { risk: null, note: null } });
  });

  it.each(['reject', 'abort'])('leaves no answer: %s', (policy) => {
    const world = asked(policy);
    world.pass(60 * minute);
    expect(world.status('ask')).toBe('FAILED');
    expect(metaOf(world.state, world.rules, 'ask')).not.toHaveProperty('approval');
  });
});

it('masks the secrets of an answer, but no word of its definition', () => {
  const world = asked();
  const mask = { text: (text: string) => text.replaceAll('high', '***'), name: (text: string) => text };
  const said = { type: 'judged', path: 'ask', choice: 'approve', by: 'ada', said: 0, command: null } as const;
  const event = { ...said, comment: 'as high as ever', fields: { risk: 'high', note: 'high' } };
  const typesOf = (path: string) => typesIn(findStep(world.state, world.rules, path)?.rule.step ?? null);
  expect(maskEvent(event, mask, typesOf)).toMatchObject({
    comment: 'as *** as ever',
    fields: { risk: 'high', note: '***' },
  });
});
