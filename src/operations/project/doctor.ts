import process from 'node:process';
import type { Finding } from '../services.ts';
import { probeContainment, wrap } from '../../process/sandbox/containment.ts';
import { buildEnvironment } from '../../process/sandbox/environment.ts';
import { findProgram } from '../../process/proc.ts';
import { run } from '../../process/run.ts';
import { sandboxFor } from '../../process/sandbox/sandbox.ts';
import { loginOf } from '../../providers/logins.ts';
import { proved, quirksOf, type AgentCli } from '../../providers/quirks.ts';
import { readText } from '../../disk/text.ts';
import { agents, programOf } from './doctor-agents.ts';
import { examineProject } from './doctor-project.ts';

/**
 * What this machine provides, and what would not work here. Without `probes` it starts nothing that
 * costs money.
 */
export async function examine(
  root: string | null,
  packageRoot: string,
  { probes }: { readonly probes: boolean },
): Promise<Finding[]> {
  const found = await Promise.all([
    machine(),
    containment(),
    ...agents.map(agent),
    root === null ? [noProject] : examineProject(root, packageRoot),
  ]);
  const findings = found.flat();
  if (!probes) return findings;
  const { probe } = await import('./probe.ts');
  // One at a time: in parallel they would slow each other down.
  for (const each of agents)
    if (findProgram(programOf(each), process.env['PATH'], process.cwd()) === 'found')
      findings.push(await probe(each.name, packageRoot));
  return findings;
}

/** As far as it is known without a call: macOS keeps some logins in a keychain. */
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
        text: 'bubblewrap: an agent sees the system, its project and its own settings, and writes only what its capabilities allow; `sandbox: required` also restricts programs, scripts and commands',
      }
    : {
        topic: 'sandbox',
        state: 'warning',
        text: `none (${bubblewrap.why}): an agent can read and write what you can, as far as its own switches let it${sandboxAdvice()}`,
      };
  const asRoot = process.getuid?.() === 0 && !bubblewrap.works;
  const free: Finding = {
    topic: 'containment',
    state: 'warning',
    text: 'as root and without bubblewrap an agent can read and write every file of this machine: run Mailroom as another user, or install bubblewrap',
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
  return [sandbox, kept, ...(asRoot ? [free] : [])];
}

/** What makes the sandbox work on this machine; empty: nothing does. */
function sandboxAdvice(): string {
  if (process.platform !== 'linux') return '';
  return findProgram('bwrap', process.env['PATH'], process.cwd()) === 'found'
    ? '; let unprivileged users create namespaces'
    : '; install bubblewrap, for example with `sudo apt install bubblewrap`';
}

async function agent(one: (typeof agents)[number]): Promise<Finding[]> {
  const { name } = one;
  const program = programOf(one);
  const state = findProgram(program, process.env['PATH'], process.cwd());
  if (state !== 'found')
    return [
      {
        topic: name,
        state: 'info',
        text: `${program} is ${state === 'missing' ? 'not installed' : 'not executable'}`,
      },
    ];
  const said = await version([program, '--version']);
  if (said === null)
    return [
      { topic: name, state: 'problem', text: `${program} is installed, but \`${program} --version\` fails` },
    ];
  const which = program === name ? said : `${said}, ${program}`;
  const other = said.includes(proved[name]) ? '' : `; proved with ${proved[name]}`;
  const found: Finding = { topic: name, state: 'ok', text: `${which}; driven headless${other}` };
  const usual = [found, login(name), ...peculiarities(name, said)];
  return (await startsInSandbox(program)) ? usual : [...usual, outsideOnly(name, program)];
}

/**
 * Known peculiarities of this version: those that are handled, and those that a person must know.
 */
function peculiarities(name: AgentCli, said: string): Finding[] {
  const known = quirksOf(name, said);
  const handled = known.filter(({ advice }) => advice === null).map(({ what }) => what);
  const texts =
    handled.length === 0 ? [] : [`known of this version and taken care of: ${handled.join('; ')}`];
  const advised = known.flatMap(({ what, advice }) => (advice === null ? [] : [`${what}: ${advice}`]));
  return [...texts, ...advised].map((text) => ({ topic: name, state: 'info', text }));
}

function outsideOnly(name: string, program: string): Finding {
  const text = `${program} does not start in the sandbox: what it needs lies where a sandbox shows nothing; name it under \`writable\` of the provider, or set \`sandbox: off\``;
  return { topic: name, state: 'problem', text };
}

/** True also where there is no sandbox. */
async function startsInSandbox(program: string): Promise<boolean> {
  if (!(await probeContainment()).bubblewrap.works) return true;
  const argv = [program, '--version'];
  const env = buildEnvironment();
  const reach = { provider: null, argv, env, workspace: '/usr', capabilities: [], network: false };
  const nothing = { writable: [], owed: [], guarded: [] };
  const sandbox = sandboxFor({ ...reach, ...nothing }, { project: '/usr', nests: false });
  return (await version(wrap(sandbox, argv, false, '/usr'))) !== null;
}
