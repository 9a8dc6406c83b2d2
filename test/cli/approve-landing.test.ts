import { expect, it, vi } from 'vitest';
import { judge, type VerdictOptions } from '../../src/cli/actions/approve.ts';
import type { Context } from '../../src/cli/context.ts';
import { landingAsked } from '../mail/machine/world.ts';
import { FakeTerminal } from './fake-terminal.ts';

const patch = `diff --git a/src/cart.js b/src/cart.js
index 1..2 100644
--- a/src/cart.js
+++ b/src/cart.js
@@ -1,2 +1,3 @@
-one
+two
+++ three
 four
diff --git a/old.js b/old.js
deleted file mode 100644
--- a/old.js
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/logo.png b/logo.png
Binary files a/logo.png and b/logo.png differ
`;
vi.mock('../../src/mail/questions/message-difference.ts', () => ({
  messageDifference: () => Promise.resolve({ patch }),
}));
/** What the controller was asked for. */
let asked: unknown[] = [];
vi.mock('../../src/cli/control.ts', () => ({
  caller: () => 'user',
  control: (_context: unknown, verb: string, turn: string, options: object) => {
    asked.push([verb, turn, options]);
    return Promise.resolve(0);
  },
}));

/** What a person at a terminal sees before the work of a turn lands. */
async function seen(verb: 'approve' | 'reject', options: VerdictOptions, interactive = true) {
  const world = landingAsked();
  const terminal = new FakeTerminal(() => 0);
  terminal.interactive = interactive;
  const project = {
    journal: { state: () => world.state },
    definition: () => Promise.resolve({ ok: true, value: { protocol: world.protocol } }),
    workflows: { askedStart: () => null },
  };
  const context = {
    terminal,
    turn: null,
    outsideTurn: () => {},
    commandLine: (words: string) => `mailroom ${words}`,
    project: () => project,
  };
  asked = [];
  await judge(verb, context as unknown as Context, 't1', null, options);
  return terminal.out;
}

it('shows a person what lands, and approves just that', async () => {
  expect(await seen('approve', {})).toBe(
    [
      'work-of-le of left lands on main:',
      '  src/cart.js  +2 -1',
      '  old.js  +0 -1',
      '  logo.png  +0 -0',
      'The whole difference: `mailroom show t1 --diff`',
      '',
    ].join('\n'),
  );
  expect(asked).toEqual([['approve', 't1', { changes: 'work-of-left', by: 'user' }]]);
});

it('shows nothing where it was seen, is refused, or no person looks', async () => {
  expect(await seen('approve', { changes: 'work-of-left' })).toBe('');
  expect(await seen('reject', {})).toBe('');
  expect(await seen('approve', {}, false)).toBe('');
  expect(asked).toEqual([['approve', 't1', { by: 'user' }]]);
});
