import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { Finding } from '../kernel/finding.ts';
import { defaultConfig } from '../config/config.ts';
import { ProcessRunner } from '../host/runner/agents.ts';
import { RealDisk } from '../disk/real-disk.ts';
import { agentContainment } from '../host/containment.ts';
import { SettingsReader, type Surroundings } from './definition/definition.ts';
import { projectSecrets } from '../workflow/host/secrets.ts';
import type { Exit, Outcome } from '../providers/provider.ts';
import type { AgentJob } from '../host/runner/runner.ts';
import { makeProjectFolder } from '../host/project-folder.ts';

/** The timeout of one answer, in milliseconds. */
const patience = 120_000;
const charactersPerToken = 4;
const prompt = 'This is a test of the connection. Use no tools. Answer with the single word: ready\n';

/** An answer, and what its program has added to the prompt; null: it reports no tokens. */
interface Probed {
  readonly finding: Finding;
  readonly measured: { readonly tokens: number; readonly model: string | null } | null;
}

/**
 * Lets a CLI answer once, as in a turn of a role that edits and tests, in a temporary empty folder.
 * Costs what each call of it costs before a role has said a word.
 */
export async function probe(cli: string, surroundings: Surroundings): Promise<Probed> {
  const name = `mailroom-probe-${String(process.pid)}-${cli}`;
  const folder = join(tmpdir(), name);
  makeProjectFolder(join(folder, 'outbox'));
  try {
    const [outcome, exit] = await turn(cli, folder, surroundings);
    const measured = measuredBy(outcome);
    return { finding: { topic: cli, ...findingOf(outcome, exit, measured) }, measured };
  } finally {
    new RealDisk(tmpdir()).remove(name);
  }
}

async function turn(cli: string, folder: string, surroundings: Surroundings): Promise<[Outcome, Exit]> {
  const disk = new RealDisk(folder);
  const settings = await new SettingsReader(disk, surroundings).read();
  const providers = settings.ok ? settings.value.providers : new Map();
  const contain = await agentContainment(disk, defaultConfig);
  return new Promise((resolve) => {
    const runner = new ProcessRunner(
      {
        project: folder,
        mark: `mailroom-probe-${String(process.pid)}:`,
        providers,
        contain,
        now: Date.now,
        // Nothing lands from here.
        named: () => Promise.resolve([]),
        secrets: projectSecrets(disk),
      },
      {
        ready: (key) => runner.release(key),
        assigned: () => {},
        ended: (_key, outcome, exit) => resolve([outcome, exit]),
        checked: () => {},
        landing: () => {},
      },
    );
    runner.start(jobOf(cli, folder));
  });
}

function jobOf(cli: string, folder: string): AgentJob {
  const file = (name: string) => join(folder, name);
  return {
    key: cli,
    provider: cli,
    totalMs: patience,
    idleMs: null,
    noteTree: false,
    worktree: null,
    invocation: {
      role: 'doctor',
      thread: 'probe',
      turn: 't1',
      attempt: 1,
      round: 0,
      prompt,
      capabilities: ['READ', 'EDIT', 'RUN_TESTS'],
      owed: [],
      network: true,
      model: null,
      variant: null,
      maxSteps: null,
      maxCommandTime: null,
      workspace: folder,
      project: folder,
      session: null,
      budget: null,
      paths: {
        folder,
        prompt: file('prompt.md'),
        outbox: file('outbox'),
        messages: [],
        stdout: file('stdout'),
        stderr: file('stderr'),
      },
      tools: null,
      mcp: null,
      mayConfigure: false,
      asking: null,
      env: {},
    },
  };
}

/** The tokens of the answer without those of the words, which are about four characters each. */
function measuredBy(outcome: Outcome): Probed['measured'] {
  if (outcome.is !== 'done' || outcome.usage.tokens === null) return null;
  const said = Math.ceil((prompt.length + outcome.text.length) / charactersPerToken);
  const tokens = outcome.usage.tokens - said;
  return tokens > 0 ? { tokens, model: outcome.model } : null;
}

function findingOf(
  outcome: Outcome,
  { durationMs }: Exit,
  measured: Probed['measured'],
): Pick<Finding, 'state' | 'text'> {
  if (outcome.is !== 'done') return { state: 'problem', text: `does not answer: ${outcome.reason.text}` };
  const { usd, tokens } = outcome.usage;
  const cost = usd === null ? 'unpriced' : `$${usd.toFixed(4)}`;
  const used = tokens === null ? '' : `, ${String(tokens)} tokens`;
  const own = measured && `; its system prompt and tools are about ${String(measured.tokens)} of them`;
  const took = `${(durationMs / 1000).toFixed(1)} s`;
  return { state: 'ok', text: `answers, in ${took}${used} (${cost})${own ?? ''}` };
}
