import { userInfo } from 'node:os';
import { expect, it } from 'vitest';
import type { Context } from '../../src/cli/context.ts';
import { caller } from '../../src/cli/control.ts';

const by = (environment: Readonly<Record<string, string>>) =>
  caller({ call: { environment } } as unknown as Context);

it('who asks is $MAILROOM_USER, else the user of the system', () => {
  expect(by({ MAILROOM_USER: 'ada' })).toBe('ada');
  expect(by({ MAILROOM_USER: '' })).toBe(userInfo().username);
  expect(by({})).toBe(userInfo().username);
});
