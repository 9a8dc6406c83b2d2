import process from 'node:process';
import { orElse } from '../kernel/contained.ts';
import { formatDuration } from '../kernel/duration.ts';
import type { Finding } from '../kernel/finding.ts';
import { zombieNote } from '../process/sandbox/first-process.ts';
import { probeContainment, wrap } from '../process/sandbox/containment.ts';
import { buildEnvironment } from '../process/sandbox/environment.ts';
import { findProgram, listProcesses } from '../process/proc.ts';
import { run } from '../process/run.ts';
import { sandboxFor } from '../process/sandbox/sandbox.ts';
import { acpAgents, type AcpAgentName } from '../config/config.ts';
import { provedAcp } from '../providers/acp-quirks.ts';
import { loginOf } from '../providers/logins.ts';
import { onlyRecorded, proved, quirksOf, type AgentCli } from '../providers/quirks.ts';
import { readText } from '../disk/text.ts';
import { keepOverhead } from './definition/overheads.ts';
import { agents, programOf } from './definition/programs.ts';
import { examineProject } from './doctor-project.ts';
import type { Surroundings } from './definition/definition.ts';

type Place = Surroundings & { readonly cwd: string };

/**
 * What this machine provides, and what would not work here. Without `probes` it starts nothing that
 * costs money.
 */
export async function examine(
  root: string | null,
  place: Place & { readonly probes: boolean },
): Promise<Finding[]> {
  const found = await Promise.all([
    machine(),
    containment(place),
    ...agents.map((name) => agent(name, place)),
    ...acpAgents.map((name) => acpAgent(name, place)),
    root === null ? [noProject] : examineProject(root, place),
  ]);
  const findings = [...found.flat(), ...acpMissing(place)];
  if (!place.probes) return findings;
  // One at a time: in parallel they would slow each other down.
  for (const each of [...agents, ...acpAgents])
    if (stateOf(each, place) === 'found') findings.push(...(await ask(each, place)));
  return findings;
}

/** Whether an agent answers. Keeps what it measures for `plan` and `check --price`. */
async function ask(name: string, place: Place): Promise<Finding[]> {
  const { probe } = await import('./probe.ts');
  const { finding, measured } = await probe(name, place);
  if (measured === null) return [finding];
  const said = await versionOf(name, programOf(name, place.environment));
  const number = typeof said === 'string' ? (/\d+\.\d+\.\d+/.exec(said)?.[0] ?? said) : 'unknown';
  const overhead = { ...measured, version: number, at: Date.now() };
  const keep = () => keepOverhead(place.environment, name, overhead);
  const kept = orElse(() => (keep(), true), false);
  const text = '`plan` and `check --price` do not get this figure: your cache folder cannot be written';
  return kept ? [finding] : [finding, { topic: name, state: 'warning', text }];
}

function stateOf(name: string, { environment, cwd }: Place) {
  return findProgram(programOf(name, environment), environment['PATH'], cwd);
}

/** As far as it is known without a call: macOS keeps some logins in a keychain. */
function login(name: string, { environment }: Place): Finding {
  const exists = (path: string) => readText(path) !== null;
  const { found, advice } = loginOf(name, environment, exists);
  if (found !== null) return { topic: name, state: 'ok', text: `login: ${found}` };
  const hidden = process.platform === 'darwin' ? ', unless it is in the keychain' : '';
  return { topic: name, state: 'warning', text: `no login was found${hidden}: ${advice}` };
}

const noProject: Finding = { topic: 'project', state: 'info', text: 'none here; `mailroom init` makes one' };

/** How long a program may take to print its version, in milliseconds. */
const patience = 10_000;

/** `late`: it printed none in time, as on a busy machine; it need not be broken. */
type Said = { readonly is: 'version'; readonly text: string } | { readonly is: 'failure' | 'late' };

async function version(argv: readonly string[], timeoutMs = patience): Promise<Said> {
  const { exitCode, stdout, ended } = await run(argv, { cwd: '/', env: buildEnvironment(), timeoutMs });
  if (ended === 'timeout') return { is: 'late' };
  if (exitCode !== 0) return { is: 'failure' };
  return { is: 'version', text: stdout.trim().split('\n')[0] ?? '' };
}

/** A tool of the system. `missing`: what does not work without it. */
async function tool(topic: string, program: string, missing: string): Promise<Finding> {
  const said = await version([program, '--version']);
  if (said.is === 'version') return { topic, state: 'ok', text: said.text };
  return { topic, state: 'warning', text: said.is === 'late' ? late(program, patience) : missing };
}

function late(program: string, timeoutMs: number): string {
  return `\`${program} --version\` printed nothing within ${formatDuration(timeoutMs)}`;
}

async function machine(): Promise<Finding[]> {
  return [
    { topic: 'node', state: 'ok', text: process.version },
    ...(await Promise.all([
      tool('git', 'git', 'not found: no trail, no `changed` gates, no worktrees'),
      tool('lock', 'flock', 'no flock(1): a weaker lock is used, which outlives a killed controller by 15 s'),
    ])),
  ];
}

async function containment(place: Place): Promise<Finding[]> {
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
        text: `none (${bubblewrap.why}): an agent can read and write what you can, as far as its own switches let it${sandboxAdvice(place)}`,
      };
  const asRoot = process.getuid?.() === 0 && !bubblewrap.works;
  const free: Finding = {
    topic: 'containment',
    state: 'warning',
    text: 'as root and without bubblewrap an agent can read and write every file of this machine: run Mailroom as another user, or install bubblewrap',
  };
  const sweeps = listProcesses() !== null;
  const kept: Finding = namespace.works
    ? {
        topic: 'containment',
        state: 'ok',
        text: 'each agent has a PID namespace of its own: nothing that it starts outlives it or the controller',
      }
    : {
        topic: 'containment',
        state: 'warning',
        text: `process groups only (${namespace.why}): ${sweeps ? 'what leaves its group is ended by a sweep of /proc' : 'what leaves its group is not ended'}`,
      };
  const note = await zombieNote();
  const zombies: readonly Finding[] =
    note === null ? [] : [{ topic: 'containment', state: 'warning', text: note }];
  return [sandbox, kept, ...zombies, ...(asRoot ? [free] : [])];
}

/** What makes the sandbox work on this machine; empty: nothing does. */
function sandboxAdvice({ environment, cwd }: Place): string {
  if (process.platform !== 'linux') return '';
  return findProgram('bwrap', environment['PATH'], cwd) === 'found'
    ? '; let unprivileged users create namespaces'
    : '; install bubblewrap, for example with `sudo apt install bubblewrap`';
}

async function agent(name: AgentCli, place: Place): Promise<Finding[]> {
  const program = programOf(name, place.environment);
  const state = stateOf(name, place);
  if (state !== 'found')
    return [
      {
        topic: name,
        state: 'info',
        text: `${program} is ${state === 'missing' ? 'not installed' : 'not executable'}`,
      },
    ];
  const said = await versionOf(name, program);
  if (typeof said !== 'string') return [said];
  const which = program === name ? said : `${said}, ${program}`;
  const other = onlyRecorded.has(name)
    ? `; no test drives it, its events are known from recordings of ${proved[name]}`
    : said.includes(proved[name])
      ? ''
      : `; proved with ${proved[name]}`;
  const found: Finding = { topic: name, state: 'ok', text: `${which}; driven headless${other}` };
  const usual = [found, login(name, place), ...peculiarities(name, said)];
  return (await startsInSandbox(program)) ? usual : [...usual, outsideOnly(name, program)];
}

/** The version that an agent's program prints, or what to report instead. */
export async function versionOf(
  topic: string,
  program: string,
  timeoutMs = patience,
): Promise<string | Finding> {
  const said = await version([program, '--version'], timeoutMs);
  if (said.is === 'version') return said.text;
  if (said.is === 'late') return { topic, state: 'warning', text: late(program, timeoutMs) };
  return { topic, state: 'problem', text: `${program} is installed, but \`${program} --version\` fails` };
}

/** An agent that speaks the Agent Client Protocol, if its program is here. */
async function acpAgent(name: AcpAgentName, place: Place): Promise<Finding[]> {
  if (stateOf(name, place) !== 'found') return [];
  const program = programOf(name, place.environment);
  const said = await versionOf(name, program);
  if (typeof said !== 'string') return [said];
  const tested = provedAcp[name];
  const other =
    tested === undefined ? '; no test drives it' : said.includes(tested) ? '' : `; proved with ${tested}`;
  const text = `${said}, ${program}; driven by the Agent Client Protocol${other}`;
  const found: Finding = { topic: name, state: 'ok', text };
  return (await startsInSandbox(program)) ? [found] : [found, outsideOnly(name, program)];
}

/** The others, in one line: a person has two or three of them. */
function acpMissing(place: Place): Finding[] {
  const missing = acpAgents.filter((name) => stateOf(name, place) !== 'found');
  const text = `supported over the Agent Client Protocol when installed: ${missing.join(', ')}`;
  return missing.length === 0 ? [] : [{ topic: 'acp', state: 'info', text }];
}

/**
 * Known peculiarities of this version: those that are handled, and those that a person must know.
 */
function peculiarities(name: AgentCli, said: string): Finding[] {
  const known = quirksOf(name, said);
  const handled = known.filter(({ advice }) => advice === null).map(({ what }) => what);
  const texts = handled.length === 0 ? [] : [`known quirks of this version, handled: ${handled.join('; ')}`];
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
  return (await version(wrap(sandbox, argv, false, '/usr'))).is !== 'failure';
}
