import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Edit } from '../../../src/kernel/edits.ts';
import { recorder } from '../../../src/host/runner/recorder.ts';
import { exit } from '../../providers/samples.ts';
import type { Invocation, Outcome } from '../../../src/providers/provider.ts';

const outcome: Outcome = {
  is: 'done',
  text: 'Done.',
  session: null,
  usage: { usd: 0, tokens: 0 },
  model: null,
  denials: [],
};

function invocationIn(workspace: string): Invocation {
  const place = (name: string) => join(workspace, '.mailroom', name);
  const [folder, prompt, outbox, stdout, stderr] = ['', 'prompt', 'outbox', 'stdout', 'stderr'].map(place);
  const paths = { folder, prompt, outbox, messages: [], stdout, stderr } as Invocation['paths'];
  const limits = { maxSteps: null, maxCommandTime: null, model: null, session: null, budget: null };
  const where = {
    project: workspace,
    workspace,
    owed: [join(workspace, 'not/there.md')],
    network: true,
    env: {},
    paths,
  };
  const turn = {
    role: 'writer',
    thread: '019a0000-0000-7000-8000-00000000000a',
    turn: 't1',
    attempt: 1,
    round: 0,
    prompt: 'Write.',
    variant: null,
    tools: null,
    mcp: null,
    mayConfigure: false,
    asking: null,
  };
  return { ...turn, ...where, ...limits, capabilities: [] };
}

it('masks secrets in the files that were changed, whatever their bytes, and does without what was not handed over', () => {
  const root = mkdtempSync(join(tmpdir(), 'mailroom-recorder-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const edit = (path: string, after: Buffer): Edit => ({ path, kind: 'file', before: null, after });
  const changed = [
    edit('key.txt', Buffer.from('the key is sesame-open\n')),
    edit('key.bin', Buffer.concat([Buffer.from([0, 255]), Buffer.from('sesame-open')])),
  ];
  const record = recorder(join(root, 'recording'), ['sesame-open']);
  record(invocationIn(root), outcome, { ...exit(), edits: { changed, leftOut: [] } });
  const [name = ''] = readdirSync(join(root, 'recording'));
  const { files, edits } = JSON.parse(readFileSync(join(root, 'recording', name), 'utf8')) as {
    files: readonly object[];
    edits: readonly object[];
  };
  expect(files).toEqual([]);
  expect(edits).toMatchObject([
    { path: 'key.txt', text: 'the key is ***\n' },
    { path: 'key.bin', base64: Buffer.from([0, 255, 42, 42, 42]).toString('base64') },
  ]);
});
