import { expect } from 'vitest';
import { orchestrate } from '../languages/machine/orchestrate.ts';
import { heldBy, type Rows } from './held.ts';
import {
  alone,
  holds,
  inside,
  loop,
  one,
  refused,
  runs,
  step,
  words,
  workOf,
  world,
} from './orchestrate-plays.ts';

/*
 * What the table of docs/languages/orchestrate.md says of each construct. What needs a disk or a process is held by scenarios.
 */

const acceptance = 'scenario/orchestrate';
const flow = 'scenario/orchestrate-flow';

export const rows: Rows = {
  'where it works': () =>
    heldBy(flow, 'is done beside the `workflows/` that holds the file, else in the project'),
  paths: () => {
    expect(refused([step('One', { input_file: '../a.md' })])).toBe('nothing');
    expect(refused([step('One', { input_file: '../../a.md' })])).toContain('would leave the project');
    heldBy(acceptance, '5: so does a path that is absolute once it is substituted, and a link on the way');
    heldBy(acceptance, '12: `file_exists` is meant from the workspace, up to the project and not beyond');
    heldBy(flow, 'reads its input, and nothing where there is none');
  },
  '`command`': () => {
    expect(words(['Two', '${steps.One.output}; $(x) | y', '*'])).toEqual(['Two', 'said; $(x) | y', '*']);
    heldBy(
      acceptance,
      '11: variables are put into arguments, and one that nothing sets is E_VAR_MISSING with exit code 2',
    );
  },
  '`provider`': () => {
    const programs = { hasProgram: (name: string) => name === 'gemini-shim' };
    expect(workOf({ provider: 'gemini', input_file: 'a' }, programs).work.kind).toBe('command');
    const agents = ['claude', 'openai', 'gemini'].map(
      (provider) => workOf({ provider, input_file: 'a' }).work,
    );
    expect(agents).toMatchObject([{ provider: 'claude' }, { provider: 'codex' }, { provider: 'gemini' }]);
    heldBy(acceptance, '1: the demonstration makes all its artifacts');
  },
  '`model`, `max_tokens`': () => {
    heldBy(
      'languages/orchestrate',
      'is a shim where PATH has one, with the model of the step, else of the settings',
    );
    heldBy(acceptance, '1: the demonstration makes all its artifacts');
  },
  '`capabilities` of a provider': () => {
    expect(workOf({ provider: 'claude', input_file: 'a' }).work).toMatchObject({ capabilities: ['READ'] });
    const edits = { provider: 'claude', input_file: 'a', capabilities: ['EDIT'] };
    expect(workOf(edits).work).toMatchObject({ capabilities: ['EDIT'] });
  },
  '`input_file`, `prompt_file`': () => {
    const both = { provider: 'claude', input_file: 'a', prompt_file: 'b' };
    expect(refused([step('One', both)])).toContain('`input_file` or `prompt_file`, not both');
    expect(refused([step('One', { prompt_file: 'b' })])).toContain(
      '`prompt_file` is the prompt of a provider',
    );
    heldBy(
      flow,
      'is what the page says: its input, its values, its environment, and what is kept of what it prints',
    );
    heldBy(
      flow,
      'is an agent itself where there is no shim: its prompt as it is, its final text, its key by its own name',
    );
  },
  '`output_file`': () => {
    expect(workOf({ output_file: 'a/b.txt' }).stdout).toMatchObject({ folder: 'artifacts/One' });
    expect(refused([step('One', { output_file: 'a/../../b' })])).toContain('would leave artifacts/One/');
    heldBy(flow, 'is the head of what it prints; all of it lies in its log and its artifact');
  },
  'output in `state.json`': () => {
    heldBy(flow, 'is the head of what it prints; all of it lies in its log and its artifact');
    heldBy(
      flow,
      'is what the page says: its input, its values, its environment, and what is kept of what it prints',
    );
  },
  '`${…}`, `$$`, `${{…}}`': () => {
    expect(words(['${steps.One.output}', '$$x', '${{ y }}'])).toEqual(['said', '$x', '${{ y }}']);
  },
  '`${context.…}`': () => {
    heldBy(
      flow,
      'is what the page says: its input, its values, its environment, and what is kept of what it prints',
    );
    heldBy(flow, 'are set by set_context, and a resume keeps them');
    const context = { a: 'x', b: '${context.a}/${env.CI}', c: { d: ['${context.b}'] } };
    expect(words(['${context.c.d}'], { context, env: ['CI'] }, { CI: 'yes' })).toEqual(['["x/yes"]']);
    const early = { context: { a: '${context.b}', b: 'x' } };
    expect(refused([step('One')], early, alone)).toContain('nothing sets `${context.b}`');
  },
  '`${steps.X.…}`': () => {
    const each = ['exit_code', 'output', 'duration', 'status'].map((name) => `\${steps.One.${name}}`);
    expect(words(each)).toEqual(['0', 'said', '0.001', 'completed']);
    const never = { equals: { left: 'a', right: 'b' } };
    const told = (name: string) =>
      world([step('One', { when: never }, 'Two'), step('Two', { command: [`\${steps.One.${name}}`] })]).state;
    expect(told('status').endedAt).toBeNull();
    for (const name of ['exit_code', 'output', 'duration'])
      expect(told(name)).toMatchObject({ status: 'FAILED', reason: { code: 'E_VAR_MISSING' } });
  },
  '`${env.X}`': () => {
    expect(words(['${env.CI}'], { env: ['CI'] }, { CI: 'yes' })).toEqual(['yes']);
    expect(refused([step('One', { command: ['${env.HOME}'] })])).toContain('nothing allows `${env.HOME}`');
    heldBy(flow, 'gets exactly the secrets that it names, and the variables that are allowed');
  },
  '`${item}`, `${loop.…}`': () => {
    const texts = ['${item}', '${loop.index}', '${loop.total}', '${loop.iteration}', '${loop.elapsed}'];
    const place = world([
      loop(
        { for_each: { items: ['a', 'b'] } },
        inside('In', '_loop_continue', '_loop_break', { command: texts }),
      ),
      step('Last'),
    ]);
    place.pass(2_000);
    place.done('Loop/0/In');
    expect(place.launch('Loop/1/In').work).toMatchObject({ argv: ['b', '1', '2', '2', '2'] });
    const rounds = { while: { condition: { not: { file_exists: 'x' } }, max_iterations: 2 } };
    const total = inside('In', '_loop_continue', '_loop_break', { command: ['${loop.total}'] });
    expect(refused([loop(rounds, total), step('Last')])).toContain('`${loop.total}` has no value here');
  },
  'a missing variable': () => {
    const asks = step('One', { command: ['${context.a}'] });
    expect(refused([asks], {}, alone)).toContain('nothing sets `${context.a}`');
    expect(refused([asks], {}, { starting: { context: new Set(['a']), only: null } })).toBe('nothing');
    heldBy(
      acceptance,
      '11: variables are put into arguments, and one that nothing sets is E_VAR_MISSING with exit code 2',
    );
    heldBy(acceptance, '11: what is missing only when it runs ends the run at that step, with exit code 1');
  },
  '`allow_missing_vars`': () => {
    expect(words(['-${context.none}-'])).toEqual(['--']);
  },
  '`when`': () => {
    expect(holds({ step_ok: 'One', not: { step_ok: 'One' } })).toBe(false);
    const skipped = step('Two', { when: { step_ok: 'One' } }, 'Three');
    expect(runs([one, skipped, step('Three')], { One: [2] })).toBe('One, Three: completed');
  },
  '`step_ok`, `exit_code`': () => {
    const first = { ...one, on: { success: { goto: 'Three' }, failure: { goto: 'Two' } } };
    const zero = { exit_code: { step: 'One', op: '==', value: 0 } };
    const list = (when: object) => [
      step('Zero', { when }, 'One'),
      first,
      step('Two', {}, 'One'),
      step('Three', { when }),
    ];
    for (const when of [{ step_ok: 'One' }, zero])
      expect(runs(list(when), { One: [2, 0] })).toBe('One, Two, One, Three: completed');
  },
  '`file_exists`': () => {
    const place = world([one, step('Two', { when: { file_exists: 'made' } })]);
    place.files.add('made');
    place.done('One');
    expect(place.running).toEqual(['Two']);
    heldBy(acceptance, '12: `file_exists` is meant from the workspace, up to the project and not beyond');
  },
  '`env_set`': () => {
    expect([
      holds({ env_set: 'A' }, { env: ['A'] }, { A: '1' }),
      holds({ env_set: 'A' }, { env: ['A'] }),
    ]).toEqual([true, false]);
    expect(holds({ env_set: 'TOKEN' }, { secrets: ['TOKEN'] })).toBe(true);
    expect(refused([step('One', { when: { env_set: 'A' } })])).toContain(
      'nothing allows `A` to be looked at',
    );
  },
  '`equals`, `contains`': () => {
    const said = (needle: string) => [
      holds({ equals: { left: 'a 1', right: needle } }),
      holds({ contains: { haystack: 'a 1', needle } }),
    ];
    expect(['a 1', 'A 1', '1', '1.0'].map(said)).toEqual([
      [true, true],
      [false, false],
      [false, true],
      [false, false],
    ]);
  },
  '`regex`': () => {
    const finds = (pattern: string, flags = '') => holds({ regex: { text: 'a\nBc', pattern, flags } });
    expect([
      finds('b'),
      finds('b', 'i'),
      finds('^B'),
      finds('^B', 'm'),
      finds('a.B'),
      finds('a.B', 's'),
    ]).toEqual([false, true, false, true, false, true]);
    expect(refused([step('One', { when: { regex: { text: 'a', pattern: '(a)\\1' } } })])).toContain(
      'invalid escape',
    );
    heldBy(flow, 'take no time by their pattern');
  },
  '`number`': () => {
    const over = { number: { left: '${steps.One.exit_code}', op: '>=', right: 1 } };
    expect([holds(over), holds({ number: { left: '0.5', op: '>', right: 1 } })]).toEqual([true, false]);
    const wrong = step('One', { when: { number: { left: 'many', op: '>', right: 1 } } });
    expect(world([wrong]).state).toMatchObject({
      status: 'FAILED',
      reason: { text: expect.stringContaining('many') as string },
    });
  },
  '`on`': () => {
    expect(refused([{ name: 'One', command: ['One'], on: { success: { end: true } } }])).toContain(
      'after a failure',
    );
    const sets = { name: 'Set', set_context: { a: 'b' }, on: { success: { end: true } } };
    expect([refused([sets]), refused([{ ...sets, on: {} }])]).toEqual([
      'nothing',
      expect.stringContaining('after success'),
    ]);
    const on = { success: { goto: '_end' }, failure: { goto: 'Two' } };
    expect(runs([step('One', { on }), step('Two')], { One: [124] })).toBe('One, Two: completed');
    const timed = step('One', { on: { ...on, timeout: { end: true } } });
    expect(runs([timed, step('Two')], { One: [124] })).toBe('One: completed');
  },
  '`goto`, `end: true`, `error:`': () => {
    const list = [
      step('One', {}, 'Two'),
      step('Two', { on: { success: { goto: '_start' }, failure: { end: true } } }),
    ];
    expect(runs(list, { Two: [0, 2] })).toBe('One, Two, One, Two: completed');
    const nested = loop({ for_each: { items: ['a'] } }, inside('In', 'Last'));
    expect(refused([nested, step('Last')])).toContain('`Last` is not among the steps that `In` belongs to');
    const place = world(
      [
        step('One', {
          on: { success: { error: 'no ${context.a}: ${steps.One.output}' }, failure: { end: true } },
        }),
      ],
      { context: { a: 'x' } },
    );
    place.done('One', { output: 'said' });
    expect(place.state).toMatchObject({ status: 'FAILED', reason: { text: 'no x: said' } });
  },
  'a circle of jumps': () => {
    expect(orchestrate([step('One')]).body).toMatchObject({ maxVisits: 1_000 });
    heldBy(flow, 'made of jumps end when a step was entered as often as it may be');
  },
  '`for_each`': () => {
    const in1 = inside('In', 'More', '_loop_break', { command: ['In', '${item}'] });
    const more = inside('More', '_loop_continue', '_loop_continue');
    const list = (items: unknown) => [loop({ for_each: { items } }, in1, more), step('Last')];
    expect(runs(list(['a', 'b']))).toBe('In a, More, In b, More, Last: completed');
    expect(runs(list('${context.all}'), { More: [2] }, { context: { all: ['c', 'd'] } })).toBe(
      'In c, More, In d, More, Last: completed',
    );
    expect(refused([loop({ for_each: { items: ['a'], as: 'steps' } }, in1, more), step('Last')])).toContain(
      '`steps` means something else in variables',
    );
    expect(refused(list('${steps.Last.output}'))).toContain('`items` must be a list, or one `${context.…}`');
  },
  '`while`': () => {
    const until = { while: { condition: { not: { step_ok: 'In' } }, max_iterations: 2 } };
    const list = [loop(until, inside('In', '_loop_continue', '_loop_continue')), step('Last')];
    expect(runs(list, { In: [2, 0] })).toBe('In, In, Last: completed');
    expect(runs(list, { In: [2, 2, 2] })).toBe('In, In: failed');
  },
  'a loop': () => {
    const list = (success: string, failure: string) => [
      loop({ for_each: { items: ['a', 'b'] } }, inside('In', success, failure)),
      step('Last', { when: { exit_code: { step: 'Loop', op: '==', value: 7 } } }),
    ];
    const goesOn = list('_loop_continue', '_loop_break').map((each) => ({
      ...each,
      on: { success: { goto: 'Last' }, failure: { goto: 'Last' } },
    }));
    expect(runs([goesOn[0]!, list('', '')[1]!], { In: [7] })).toBe('In, Last: completed');
    expect(runs(list('_loop_break', '_loop_break'))).toBe('In: completed');
    expect(runs(list('_loop_continue', '_loop_continue'), { In: [7, 7] })).toBe('In, In: completed');
    expect([runs(list('_end', '_error')), runs(list('_end', '_error'), { In: [7] })]).toEqual([
      'In: completed',
      'In: failed',
    ]);
  },
  'steps of a loop': () => {
    const after = step('Last', { command: ['${steps.In.output}'] });
    expect(refused([loop({ for_each: { items: ['a'] } }, inside('In')), after])).toContain(
      'not seen outside of it',
    );
    const hands = {
      name: 'Hand',
      set_context: { got: '${item}' },
      on: { success: { goto: '_loop_continue' } },
    };
    const last = step('Last', { command: ['Last', '${context.got}'] });
    expect(runs([loop({ for_each: { items: ['a', 'b'] } }, hands), last])).toBe('Last b: completed');
  },
  '`timeout`': () => {
    expect(workOf({})).toMatchObject({ timeout: 300_000, grace: 10_000 });
    expect(workOf({ timeout: 0.5 }).timeout).toBe(500);
    heldBy(acceptance, '2: a step that takes too long is ended, and the exit code is 124');
  },
  '`retry: { attempts }`': () => {
    const twice = step('One', { retry: { attempts: 2 } });
    const ends = [
      [1, 1, 0],
      [124, 0],
      [2, 0],
    ].map((One) => runs([twice], { One }));
    expect(ends).toEqual(['One, One: failed', 'One, One: completed', 'One: failed']);
    heldBy(acceptance, '3: a command that fails once succeeds at its second attempt, two seconds later');
  },
  '`secrets`': () => {
    expect(orchestrate([step('One')], { secrets: ['A'] })).toMatchObject({
      secrets: ['A'],
      body: { steps: [{ secrets: null }] },
    });
    expect(workOf({ secrets: ['B'] }).secrets).toEqual(['B']);
    expect(refused([step('One', { command: ['${env.A}'] })], { secrets: ['A'] })).toContain('is a secret');
    heldBy(
      acceptance,
      '4: a secret reaches the step, and nothing that is written has it',
      '4: a secret that is given as a value is refused, so that it becomes no argument',
      '4: a secret that is not set ends it before anything starts, with exit code 2',
    );
    heldBy(flow, 'gets exactly the secrets that it names, and the variables that are allowed');
  },
  '`strict_flow: false`, `parallel`, `limits`, `input_files`, `catch`': () => {
    for (const key of ['parallel', 'limits', 'input_files', 'catch'])
      expect(refused([step('One', { [key]: [] })])).toContain(`\`${key}\` is not there in this language`);
    for (const top of [{ strict_flow: false }, { limits: {} }, { parallel: true }])
      expect(refused([step('One')], top)).toContain('is not there in this language');
  },
  '`state.json`': () =>
    heldBy(
      acceptance,
      '6: a damaged state.json is reported with exit code 2, and drawn again where it is removed',
    ),
  '`logs/`': () =>
    heldBy(
      flow,
      'is what the page says: its input, its values, its environment, and what is kept of what it prints',
    ),
  '`resume`': () => {
    heldBy(acceptance, '6: after a failure `orchestrate resume` continues, and does nothing twice');
    heldBy(
      acceptance,
      '6: after its host was killed it continues with the step that ran, and its log continues, too',
    );
  },
  '`run-step`': () =>
    heldBy(
      acceptance,
      '10: `run-step` does one step in a run of its own and leaves earlier runs as they are',
    ),
  '`watch`': () =>
    heldBy(flow, 'reports .gitignore once, and runs again when a file of the workspace changes'),
  '`.gitignore`': () => {
    heldBy(
      'cli/git-ignore',
      'puts its records into .gitignore when it may',
      'only says so without a terminal',
    );
  },
};
