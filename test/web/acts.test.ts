import { expect, it } from 'vitest';
import { mailCommand } from '../../src/mail/questions/mail-why.ts';
import { replyCommands, turnCommand } from '../../src/mail/machine/answering.ts';
import { emptyState } from '../../src/mail/machine/state.ts';
import { approveCommand, resumeCommand, runCommand } from '../../src/workflow/runs/run-commands.ts';
import { actOf } from '../../src/web/acts.ts';
import type { MailAct } from '../../src/mail/machine/explain/words.ts';
import type { Protocol } from '../../src/mail/format/protocol.ts';

const thread = '01a2283d-4870-7064-ba74-088a6e7b2378';
const run = '01a2283d-4870-7064-ba74-088a6e8c1d02';
const protocol = {} as Protocol;

const mail = (act: MailAct) => mailCommand(emptyState(), protocol, act) ?? '';
const send = (path: string) => ({ do: 'send', path: path.slice(1).split('/') });
const open = (to: string) => ({ do: 'open', to });
const gate = { approvers: ['ada', 'bob'], choices: ['ship', 'reject'], fields: {} };

it.each([
  [mail({ do: 'unpause', target: { kind: 'all' } }), send('/unpause')],
  [mail({ do: 'unpause', target: { kind: 'role', role: 'qa' } }), send('/roles/qa/unpause')],
  [mail({ do: 'unpause', target: { kind: 'thread', thread } }), send('/threads/7b2378/unpause')],
  [mail({ do: 'unpause', target: { kind: 'turn', turn: 't3' } }), null],
  [mail({ do: 'approve', turn: 't12' }), open('#/inbox/t12')],
  [mail({ do: 'work', role: 'qa', labels: ['gpu'] }), null],
  [mail({ do: 'unpause-worker', host: 'box' }), send('/workers/box/unpause')],
  [mail({ do: 'retry', message: thread, role: 'qa' }), send('/messages/7b2378/retry')],
  [mail({ do: 'send', to: 'qa', thread, type: 'join' }), open('#/send/qa?thread=7b2378&type=join')],
  [mail({ do: 'send', to: 'qa', thread, type: null }), open('#/send/qa?thread=7b2378')],
  ['mailroom up', null],
  ['mailroom doctor', null],
  ['mailroom status', null],
  ['mailroom show 7b2378', open('#/messages/7b2378')],
  ['mailroom show t4 --diff', open('#/turns/t4')],
  ['mailroom why 7b2378', open('#/why/7b2378')],
  [turnCommand('approve', 't4', 'ada', '0123456789'), open('#/inbox/t4')],
  [turnCommand('reject', 't4', null), open('#/inbox/t4')],
  [
    replyCommands({
      id: thread,
      as: ['ada', 'bob'],
      types: ['yes', 'no'],
      fields: (types) =>
        types.includes('yes') ? { days: { type: 'integer', enum: null, required: true } } : {},
    }).join('\n'),
    open('#/inbox/7b2378'),
  ],
  [approveCommand(run, "ship 'it'", gate), open("#/inbox/8c1d02%2Fship%20'it'")],
  [runCommand(run, { do: 'approve', path: 'ship-it', gate }), open('#/inbox/8c1d02%2Fship-it')],
  [runCommand(run, { do: 'retry-step', path: 'build' }), send('/workflow-runs/8c1d02/retry/build')],
  [runCommand(run, { do: 'resume', raises: null }), send('/workflow-runs/8c1d02/resume')],
  [runCommand(run, { do: 'resume', raises: 'timeout' }), null],
  [runCommand(run, { do: 'unpause' }), send(`/workflow-runs/${run.slice(-6)}/unpause`)],
  [resumeCommand({ run, startedBy: 'person' }), send('/workflow-runs/8c1d02/resume')],
  [resumeCommand({ run, startedBy: 'up' }), null],
  ['rm -rf /', null],
  ['', null],
])('%s', (command, expected) => {
  const act = actOf(command, [run]);
  expect(act).toEqual(expected === null ? null : { ...expected, label: expect.any(String) as string });
});
