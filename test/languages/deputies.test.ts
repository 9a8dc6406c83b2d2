import { describe, expect, it } from 'vitest';
import { defaultConfig, type Config } from '../../src/config/config.ts';
import type { Diagnostic } from '../../src/kernel/diagnostic.ts';
import { parseWorkflow } from '../../src/languages/parse.ts';
import { parseProtocol } from '../../src/mail/protocol/read.ts';
import type { Protocol } from '../../src/mail/format/protocol.ts';
import { deputiesOf, protocolDeputies } from '../../src/project/definition/deputies.ts';
import { nowhere } from '../support/nowhere.ts';

const roles = 'a: { provider: claude, capabilities: [READ, EDIT], network: false }';

function protocol(text = roles, more = ''): Protocol {
  const file = `start: { to: a, type: task }
roles: { ${text} }
messages:
  task: { from: user, to: a }
  done: { from: a, to: user, closes: true }
${more}`;
  const read = parseProtocol([{ file: 'p.yaml', text: file, replaces: new Set() }], defaultConfig, {
    cores: 2,
  });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.value;
}

const config = (sandbox: Config['sandbox'] = 'auto', more: Partial<Config> = {}): Config => ({
  ...defaultConfig,
  sandbox,
  ...more,
});

/** The warnings of a workflow that concern deputies. */
function found(body: string, given: Config = config(), mail: Protocol = protocol()): readonly Diagnostic[] {
  const text = `name: w\nversion: '1'\ntimeout: 1h\n${body}`;
  const context = { ...nowhere, protocol: mail, deputies: deputiesOf(mail, given), hasProgram: () => true };
  const read = parseWorkflow(text, 'w.yaml', context);
  const all = read.ok ? read.warnings : read.problems;
  const errors = all.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  return all.filter(({ message }) => /no person sees it before|without an approval/.test(message));
}

const on = 'triggers: { onsrc: { files: ["src/**"] } }\n';
const agent = 'e: { worker: CLAUDE_CODE, capabilities: [READ, EDIT], instructions: x }';

describe('a workflow is warned of', () => {
  it.each([
    [
      'a script that a trigger lets run',
      `${on}steps:\n  s: { command: [sh, build.sh] }`,
      '`a` may write `build.sh`',
    ],
    [
      'the same by a clock',
      'triggers: { c: { cron: "0 3 * * *" } }\nsteps:\n  s: { command: [./b.sh] }',
      '`b.sh`',
    ],
    [
      'the same by a message',
      'triggers: { m: { message: { role: a, type: task } } }\nsteps:\n  s: { command: [make] }',
      '`Makefile`',
    ],
    ['the tests of the project', `${on}steps:\n  s: { command: [npm, test] }`, '`package.json`'],
    [
      'a command in a script',
      `${on}steps:\n  s:\n    worker: CUSTOM\n    capabilities: [READ, RUN_COMMANDS]\n    instructions: |\n      set -e\n      cd tools && ./go.sh`,
      '`tools/go.sh`',
    ],
    ['the folder of a step', `${on}steps:\n  s: { command: [sh, b.sh], workspace: app }`, '`app/b.sh`'],
    [
      'a hook',
      `${on}steps:\n  s: { command: [ls] }\nhooks: { on_complete: { run: [sh, done.sh] } }`,
      'the hook on_complete',
    ],
    [
      'what a trigger itself runs',
      'triggers: { p: { command: [sh, poll.sh], every: 1m, by: person } }\nsteps:\n  s: { command: [ls] }',
      'the trigger `p`',
    ],
    [
      'an agent before it in the run',
      `steps:\n  ${agent}\n  s: { command: [npm, test], depends_on: [e] }`,
      '`e` may write `package.json`',
    ],
    [
      'one behind a step between',
      `steps:\n  ${agent}\n  m: { command: [ls], depends_on: [e] }\n  s: { command: [sh, x.sh], depends_on: [m] }`,
      '`e` may write `x.sh`',
    ],
    [
      'a check of an agent',
      `steps:\n  e: { worker: CLAUDE_CODE, capabilities: [READ, EDIT], instructions: x, max_iterations: 2, completion_check: { command: [sh, c.sh] } }`,
      'the check of `e`',
    ],
    [
      'a step that a gate does not follow',
      `${on}steps:\n  ok: { gate: { message: Fine? } }\n  s: { command: [sh, b.sh] }`,
      '`b.sh`',
    ],
    [
      'a round after the next',
      'steps:\n  l:\n    for_each:\n      items: [1, 2]\n      steps:\n        s: { command: [sh, b.sh] }\n        e: { worker: CLAUDE_CODE, capabilities: [READ, EDIT], instructions: x, depends_on: [s] }',
      '`e` may write `b.sh`',
    ],
  ])('%s', (_, body, words) => {
    const warnings = found(body);
    expect(warnings.map(({ message }) => message)).toEqual([expect.stringContaining(words)]);
    expect(warnings[0]).toMatchObject({ code: 'E_CAPABILITY', severity: 'warning' });
    expect(warnings[0]?.place?.line).toBeGreaterThan(3);
  });

  it.each([
    ['started by a person', 'steps:\n  s: { command: [sh, build.sh] }'],
    [
      'confirmed by a person',
      `${on.replace('] }', '], by: person }')}steps:\n  s: { command: [sh, build.sh] }`,
    ],
    [
      'of a trigger that is off',
      `${on.replace('] }', '], enabled: false }')}steps:\n  s: { command: [sh, build.sh] }`,
    ],
    [
      'after a gate',
      `${on}steps:\n  ok: { gate: { message: Fine? } }\n  s: { command: [sh, b.sh], depends_on: [ok] }`,
    ],
    [
      'with a gate after the agent',
      `steps:\n  ${agent}\n  ok: { gate: { message: Fine? }, depends_on: [e] }\n  s: { command: [npm, test], depends_on: [ok] }`,
    ],
    [
      'whose programs lie elsewhere',
      `${on}steps:\n  s: { command: [git, status] }\n  t: { command: [sh, /opt/x.sh] }`,
    ],
    [
      'of an agent that only reads',
      'steps:\n  e: { worker: CLAUDE_CODE, capabilities: [READ], instructions: x }\n  s: { command: [npm, test], depends_on: [e] }',
    ],
    [
      'in a worktree of the agent alone',
      'steps:\n  e: { worker: CLAUDE_CODE, capabilities: [READ, EDIT], instructions: x, workspace: { worktree: step } }\n  s: { command: [npm, test], depends_on: [e] }',
    ],
  ])('and not of one %s', (_, body) => {
    expect(found(body)).toEqual([]);
  });

  it('and not of what may do no more than the writer', () => {
    const body = `${on}steps:\n  s: { command: [npm, test], capabilities: [RUN_TESTS], network: false }`;
    const mail = protocol('a: { provider: claude, capabilities: [READ, EDIT, RUN_TESTS], network: false }');
    expect(found(body, config('required'), mail)).toEqual([]);
    expect(found(body, config('required'))).toHaveLength(1);
    expect(found(body, config('auto'), mail)).toHaveLength(1);
  });

  it('only where the role may write', () => {
    const mail = protocol(roles, 'workspace: app');
    expect(found(`${on}steps:\n  s: { command: [sh, build.sh] }`, config(), mail)).toEqual([]);
    expect(found(`${on}steps:\n  s: { command: [sh, app/build.sh] }`, config(), mail)).toHaveLength(1);
  });

  it('where a role works in a worktree, once its work lands without a person', () => {
    const landing = (lands: string) =>
      protocol(roles, `workspace: { worktree: role }`.concat('\n')).types.size > 0 &&
      found(`${on}steps:\n  s: { command: [sh, build.sh] }`, config(), {
        ...protocol(roles, 'workspace: { worktree: role }'),
        types: new Map(
          [...protocol().types].map(([name, type]) => [
            name,
            name === 'done' && lands !== ''
              ? { ...type, lands: { branch: 'main', by: 'merge' as const, approval: lands === 'asked' } }
              : type,
          ]),
        ),
      });
    expect(landing('')).toEqual([]);
    expect(landing('asked')).toEqual([]);
    expect(landing('alone')).toHaveLength(1);
  });

  it('that can move a protected branch because it is in no sandbox', () => {
    const body = 'steps:\n  s: { command: [ls], capabilities: [RUN_COMMANDS] }';
    const given = (sandbox: Config['sandbox']) => config(sandbox, { protected: ['main'] });
    expect(found(body, given('auto'))).toMatchObject([
      { message: expect.stringContaining('the protected `main`') },
    ]);
    expect(found(body, given('required'))).toEqual([]);
    expect(found(body)).toEqual([]);
  });
});

describe('the protocol and mailroom.yaml are warned of', () => {
  const place = () => null;
  const warned = (mail: Protocol, given: Config) =>
    protocolDeputies(mail, given, { protocol: place, config: place }).map(({ message }) => message);

  it('a gate that runs what its author may write and not run', () => {
    const gated = (capabilities: string) =>
      protocol(`a: { provider: claude, capabilities: [${capabilities}] }`).types.get('done')!;
    const mail = (capabilities: string) => ({
      ...protocol(`a: { provider: claude, capabilities: [${capabilities}] }`),
      types: new Map([
        [
          'done',
          {
            ...gated(capabilities),
            checks: [{ kind: 'run', argv: ['sh', 'g.sh'], timeout: 1, on: 'own' } as const],
          },
        ],
      ]),
    });
    expect(warned(mail('READ, EDIT'), config())).toEqual([
      expect.stringContaining('the gate of `done` runs with RUN_TESTS'),
    ]);
    expect(warned(mail('READ, EDIT, RUN_TESTS'), config())).toEqual([]);
  });

  it('programs that notify people, of channels and of providers', () => {
    const given = config('auto', {
      notify: { user: { command: ['sh', 'tools/n.sh'], env: [] } },
    });
    expect(warned(protocol(), given)).toEqual([
      expect.stringContaining('`a` may write `tools/n.sh`, which the notice to `user`'),
    ]);
    expect(warned(protocol('a: { provider: claude, capabilities: [READ] }'), given)).toEqual([]);
  });
});
