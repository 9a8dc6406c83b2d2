import { join } from 'node:path';
import process from 'node:process';
import type { Finding } from '../cli/services.ts';
import { MailroomError } from '../core/errors.ts';
import { probeContainment, wrap } from '../process/containment.ts';
import { buildEnvironment } from '../process/environment.ts';
import { git } from '../process/git.ts';
import { findProgram } from '../process/proc.ts';
import { run } from '../process/run.ts';
import { sandboxFor } from '../process/sandbox.ts';
import { loginOf } from '../providers/logins.ts';
import { quirksOf, type AgentCli } from '../providers/quirks.ts';
import { readHolder } from '../store/holder.ts';
import { RealDisk } from '../store/real-disk.ts';
import { readText } from '../store/text.ts';
import { readDefinition } from './definition.ts';

const agents = [
  { name: 'claude', variable: 'MAILROOM_CLAUDE_BIN' },
  { name: 'codex', variable: 'MAILROOM_CODEX_BIN' },
  { name: 'gemini', variable: 'MAILROOM_GEMINI_BIN' },
  { name: 'opencode', variable: 'MAILROOM_OPENCODE_BIN' },
] as const;

/** What this machine has, and what would not work here. Without `probes` it starts nothing that costs anything. */
export async function examine(
  root: string | null,
  packageRoot: string,
  { probes }: { readonly probes: boolean },
): Promise<Finding[]> {
  const found = await Promise.all([
    machine(),
    containment(),
    ...agents.map(agent),
    root === null ? [noProject] : project(root, packageRoot),
  ]);
  const findings = found.flat();
  if (!probes) return findings;
  const { probe } = await import('./probe.ts');
  // One after the other: they would slow each other down.
  for (const { name, variable } of agents)
    if (findProgram(process.env[variable] ?? name, process.env['PATH'], process.cwd()) === 'found')
      findings.push(await probe(name, packageRoot));
  return findings;
}

/** As far as it can be known without asking anybody: macOS keeps some logins in a keychain. */
function login(name: string): Finding {
  const exists = (path: string) => readText(path) !== null;
  const { found, advice } = loginOf(name, process.env, exists);
  if (found !== null) return { topic: name, state: 'ok', text: `login: ${found}` };
  const hidden = process.platform === 'darwin' ? ', unless it is in the keychain' : '';
  return { topic: name, state: 'warning', text: `no login was found${hidden}: ${advice}` };
}

const noProject: Finding = { topic: 'project', state: 'info', text: 'none here; `mailroom init` makes one' };

async function version(argv: readonly string[]): Promise<string | null> {
  const result = await run(argv, { cwd: '/', env: buildEnvironment(), timeoutMs: 10_000 });
  return result.exitCode === 0 ? (result.stdout.trim().split('\n')[0] ?? '') : null;
}

async function machine(): Promise<Finding[]> {
  const [gitVersion, flock] = await Promise.all([
    version(['git', '--version']),
    version(['flock', '--version']),
  ]);
  return [
    { topic: 'node', state: 'ok', text: process.version },
    gitVersion === null
      ? { topic: 'git', state: 'warning', text: 'not found: no trail, no `changed` gates, no worktrees' }
      : { topic: 'git', state: 'ok', text: gitVersion },
    flock === null
      ? {
          topic: 'lock',
          state: 'warning',
          text: 'no flock(1): a weaker lock is used, which outlives a killed controller by 15 s',
        }
      : { topic: 'lock', state: 'ok', text: flock },
  ];
}

async function containment(): Promise<Finding[]> {
  const { bubblewrap, namespace } = await probeContainment();
  const sandbox: Finding = bubblewrap.works
    ? {
        topic: 'sandbox',
        state: 'ok',
        text: 'bubblewrap: an agent sees the system, its project and its own settings, and writes what its rights allow; `sandbox: required` holds programs, scripts and commands to that, too',
      }
    : {
        topic: 'sandbox',
        state: 'warning',
        text: `none (${bubblewrap.why}): an agent can read and write what you can, as far as its own switches let it`,
      };
  const kept: Finding = namespace.works
    ? {
        topic: 'containment',
        state: 'ok',
        text: 'each agent has a PID namespace of its own: nothing that it starts outlives it or the controller',
      }
    : {
        topic: 'containment',
        state: 'warning',
        text: `process groups only (${namespace.why}): what leaves its group is ended by a sweep of /proc`,
      };
  return [sandbox, kept];
}

async function agent({ name, variable }: (typeof agents)[number]): Promise<Finding[]> {
  const program = process.env[variable] ?? name;
  const state = findProgram(program, process.env['PATH'], process.cwd());
  if (state !== 'found')
    return [
      {
        topic: name,
        state: 'info',
        text: `${program} is ${state === 'missing' ? 'not here' : 'not executable'}`,
      },
    ];
  const said = await version([program, '--version']);
  if (said === null)
    return [
      { topic: name, state: 'problem', text: `${program} is here, but \`${program} --version\` fails` },
    ];
  const found: Finding = { topic: name, state: 'ok', text: `${said} (${program}); driven headless` };
  const usual = [found, login(name), ...peculiarities(name, said)];
  return (await startsInSandbox(program)) ? usual : [...usual, outsideOnly(name, program)];
}

/** What this version is known to do otherwise than one would think: what is taken care of, and what a person must know. */
function peculiarities(name: AgentCli, said: string): Finding[] {
  const known = quirksOf(name, said);
  const handled = known.filter(({ advice }) => advice === null).map(({ what }) => what);
  const texts = handled.length === 0 ? [] : [`known of this version, and minded: ${handled.join('; ')}`];
  const advised = known.flatMap(({ what, advice }) => (advice === null ? [] : [`${what}: ${advice}`]));
  return [...texts, ...advised].map((text) => ({ topic: name, state: 'info', text }));
}

function outsideOnly(name: string, program: string): Finding {
  const text = `${program} does not start in the sandbox: what it needs lies where a sandbox shows nothing; name it under \`writable\` of the provider, or set \`sandbox: off\``;
  return { topic: name, state: 'problem', text };
}

/** True where there is no sandbox as well. */
async function startsInSandbox(program: string): Promise<boolean> {
  if (!(await probeContainment()).bubblewrap.works) return true;
  const argv = [program, '--version'];
  const env = buildEnvironment();
  const reach = { provider: null, argv, env, workspace: '/usr', capabilities: [], network: false };
  const nothing = { writable: [], owed: [], guarded: [] };
  const sandbox = sandboxFor({ ...reach, ...nothing }, { project: '/usr', nests: false });
  return (await version(wrap(sandbox, argv, false, '/usr'))) !== null;
}

async function project(root: string, packageRoot: string): Promise<Finding[]> {
  try {
    const disk = new RealDisk(root);
    const definition = await readDefinition(disk, packageRoot);
    const protocol: Finding = definition.ok
      ? {
          topic: 'protocol',
          state: 'ok',
          text: `${String(definition.value.protocol.roles.size)} roles, ${String(definition.value.protocol.types.size)} types`,
        }
      : {
          topic: 'protocol',
          state: 'problem',
          text: `${String(definition.problems.length)} problem(s); see \`mailroom check\``,
        };
    const holder = readHolder(disk);
    const held: Finding[] =
      holder === null
        ? []
        : [{ topic: 'controller', state: 'info', text: `process ${String(holder.pid)} on ${holder.host}` }];
    return [{ topic: 'project', state: 'ok', text: root }, protocol, ...held, ...(await ignored(root))];
  } catch (error) {
    if (!(error instanceof MailroomError)) throw error;
    return [{ topic: 'project', state: 'problem', text: error.message }];
  }
}

/** Mail that git tracks would be moved by stash, clean and checkout. */
async function ignored(root: string): Promise<Finding[]> {
  const inside = await git(['rev-parse', '--is-inside-work-tree'], { cwd: root });
  if (inside.exitCode !== 0)
    return [
      {
        topic: 'trail',
        state: 'warning',
        text: 'not in a git repository: `git init` gives the mail a history',
      },
    ];
  const paths = ['.mailroom/journal', 'agents/x/inbox/x.md', 'agents/x/processed/x.md'];
  const checked = await Promise.all(
    paths.map((path) => git(['check-ignore', '-q', join(root, path)], { cwd: root })),
  );
  const missing = paths.filter((_path, index) => checked[index]?.exitCode !== 0);
  if (missing.length === 0) return [{ topic: 'gitignore', state: 'ok', text: 'git leaves the mail alone' }];
  return [
    {
      topic: 'gitignore',
      state: 'warning',
      text: `git does not ignore ${missing.join(', ')}: stash, clean and checkout would move mail. \`mailroom init\` adds the lines`,
    },
  ];
}
