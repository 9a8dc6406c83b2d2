import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { v7 } from 'uuid';
import { layered, workflowOf } from './graphs.ts';
import { Project } from '../src/project/project.ts';
import { startUp } from '../src/up/start.ts';
import { milliseconds, percentile, type Line } from './report.ts';
import { BenchProject } from './world.ts';

const packageRoot = fileURLToPath(new URL('..', import.meta.url));
const program = join(packageRoot, 'bin', 'mailroom');

const rounds = 9;

function toEnd(argv: readonly string[], cwd: string): number {
  const took = Array.from({ length: rounds }, () => {
    const start = performance.now();
    spawnSync(process.execPath, argv, { cwd });
    return performance.now() - start;
  });
  return median(took);
}

const median = (took: readonly number[]) => percentile(took, 0.5);

/** Milliseconds until the MCP server of a turn has answered `initialize`. */
async function toAnswer(root: string): Promise<number> {
  const took: number[] = [];
  const turn = { MAILROOM_TURN: 't1', MAILROOM_THREAD: 'th', MAILROOM_OUTBOX: root };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } };
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    const env = { ...process.env, ...turn, MAILROOM_PROJECT: root };
    const server = spawn(process.execPath, [program, 'mcp'], { cwd: root, env });
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params })}\n`);
    await once(server.stdout, 'data');
    took.push(performance.now() - start);
    server.stdin.end();
    await once(server, 'close');
  }
  return median(took);
}

/** Handled mail of a project that has been used for long. */
function fill(project: BenchProject, processed: number, waiting: number): void {
  const folder = join(project.root, 'agents/role0/processed/2026-01');
  mkdirSync(folder, { recursive: true });
  for (let index = 0; index < processed; index += 1) {
    const id = v7();
    const name = `20260101T000000${String(index % 1000).padStart(3, '0')}Z-task-${String(index).padStart(6, '0')}.md`;
    writeFileSync(join(folder, name), `---\nid: ${id}\ntype: task\n---\nDone\n`);
  }
  for (let index = 0; index < waiting; index += 1) project.drop(0, `w${String(index)}.md`);
}

/** Starts a controller in this process; returns milliseconds to its first launch. */
async function starting(project: BenchProject): Promise<number> {
  const start = performance.now();
  let first = 0;
  const controller = await startUp(Project.at(project.root, { packageRoot, environment: process.env }), {
    untilIdle: false,
    record: null,
    triggers: false,
    onChange: (state) => {
      const launched = [...state.turns.values()].some(
        ({ phase }) => phase.is === 'active' && phase.launched !== null,
      );
      if (launched && first === 0) {
        first = performance.now() - start;
        controller.end('stop');
      }
    },
  });
  await controller.run();
  return first;
}

async function idle(): Promise<number> {
  const project = new BenchProject(50, ['true']);
  const controller = await startUp(Project.at(project.root, { packageRoot, environment: process.env }), {
    untilIdle: false,
    record: null,
    triggers: false,
    onChange: () => {},
  });
  const ended = controller.run();
  await new Promise((wait) => setTimeout(wait, 2_000));
  const before = process.cpuUsage();
  await new Promise((wait) => setTimeout(wait, 10_000));
  const { user, system } = process.cpuUsage(before);
  controller.end('stop');
  await ended;
  return (user + system) / 10_000_000;
}

/** The MCP server of a turn, beside a Node that does nothing. */
async function servingTools(root: string, bare: number): Promise<Line> {
  const tools = await toAnswer(root);
  return {
    what: '`mailroom mcp` in a turn, to its answer to `initialize`',
    seen: milliseconds(tools),
    ratio: `${(tools / bare).toFixed(1)} × \`node -e 0\``,
    budget: '≤ 1.3 ×',
    met: tools <= 1.3 * bare,
  };
}

export async function programs(): Promise<Line[]> {
  const bare = toEnd(['-e', '0'], packageRoot);
  const help = toEnd([program, '--help'], packageRoot);
  const small = new BenchProject(1, ['true']);
  small.write('one.yaml', workflowOf(layered(1, 1)));
  const run = toEnd([program, 'run', 'one.yaml'], small.root);
  const project = new BenchProject(10, ['true']);
  for (let index = 0; index < 10_000; index += 1) project.drop(index % 10, `m${String(index)}.md`);
  spawnSync(process.execPath, [program, 'pause', 'all'], { cwd: project.root });
  spawnSync(process.execPath, [program, 'up', '--until-idle'], { cwd: project.root });
  const status = toEnd([program, 'status'], project.root);
  const large = new BenchProject(1, ['sleep', '5']);
  fill(large, 100_000, 1_000);
  const start = await starting(large);
  const memory = process.memoryUsage().rss / 2 ** 20;
  const load = await idle();
  return [
    {
      what: '`mailroom --help`',
      seen: milliseconds(help),
      ratio: `${(help / bare).toFixed(1)} × \`node -e 0\` (${milliseconds(bare)})`,
      budget: '≤ 150 ms',
      met: help <= 150,
    },
    {
      what: '`mailroom run` of a workflow with one script, to its end',
      seen: milliseconds(run),
      ratio: `${(run / bare).toFixed(1)} × \`node -e 0\``,
      budget: '≤ 2.2 ×',
      met: run <= 2.2 * bare,
    },
    await servingTools(small.root, bare),
    {
      what: '`mailroom status`, 10,000 open threads, no controller',
      seen: milliseconds(status),
      ratio: `${(status / bare).toFixed(1)} × \`node -e 0\``,
      budget: '≤ 300 ms',
      met: status <= 300,
    },
    {
      what: 'start with 100,000 processed and 1,000 waiting messages, to the first launch',
      seen: `${milliseconds(start)}, ${memory.toFixed(0)} MB with the bench itself`,
      ratio: `${(start / bare).toFixed(1)} × \`node -e 0\``,
      budget: '≤ 1.5 s, ≤ 250 MB',
      met: start <= 1_500 && memory <= 250,
    },
    {
      what: 'idle controller, 50 roles',
      seen: `${(load * 100).toFixed(2)} % of a core`,
      ratio: '10 s of it',
      budget: '< 0.5 %',
      met: load < 0.005,
    },
  ];
}
