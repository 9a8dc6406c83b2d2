import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { milliseconds, percentile, type Line } from './report.ts';

const driver = fileURLToPath(new URL('../bin/acp-agent.mjs', import.meta.url));
const turns = 15;
/** What a turn may cost beyond starting its agent and asking it directly. */
const most = 150;

const agent = `
const answers = {
  initialize: { protocolVersion: 1, agentCapabilities: {}, agentInfo: { name: 'bench', version: '1.0.0' } },
  'session/new': { sessionId: 's' },
  'session/prompt': { stopReason: 'end_turn' },
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] }));
});
`;

/** What an Agent Client Protocol turn costs beyond the same conversation without Mailroom between. */
export async function acp(): Promise<Line[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mailroom-bench-acp-'));
  try {
    const program = join(folder, 'agent.cjs');
    writeFileSync(program, agent);
    const file = join(folder, 'turn.json');
    writeFileSync(file, JSON.stringify(turnOf(program, folder)));
    const [bare, direct, driven]: [number[], number[], number[]] = [[], [], []];
    // One after the other, so that a busy moment slows all three.
    for (let turn = 0; turn < turns; turn += 1) {
      bare.push(await took(() => void spawnSync(process.execPath, ['-e', '0'])));
      direct.push(await took(() => converse(program)));
      driven.push(await took(() => void spawnSync(process.execPath, [driver, file], { input: 'Work.' })));
    }
    const median = (values: readonly number[]) => percentile(values, 0.5);
    const over = median(driven) - median(direct);
    return [
      {
        what: 'an ACP turn, beyond starting its agent and asking it directly',
        seen: `${milliseconds(over)}: ${milliseconds(median(driven))} and ${milliseconds(median(direct))}`,
        ratio: `${(over / median(bare)).toFixed(2)} × node -e 0`,
        budget: `≤ ${String(most)} ms`,
        met: over <= most,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function took(act: () => void | Promise<void>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

function turnOf(program: string, workspace: string) {
  const none = { capabilities: [], owed: [], readable: [], tests: [], servers: [] };
  const policy = { ...none, workspace, outbox: workspace, settings: { folders: [], files: [] } };
  const conversation = { session: null, model: null, servers: [], asking: null, quirks: [] };
  return { ...conversation, command: [process.execPath, program], workspace, policy };
}

/** The same conversation, from this process. */
function converse(program: string): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
    const methods = ['initialize', 'session/new', 'session/prompt'];
    const ask = () => {
      const method = methods.shift();
      if (method === undefined) child.stdin.end();
      else child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: {} })}\n`);
    };
    createInterface({ input: child.stdout }).on('line', ask);
    child.once('close', () => resolve());
    ask();
  });
}
