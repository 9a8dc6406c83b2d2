import type { Config } from '../config/config.ts';
import type { Disk } from '../disk/disk.ts';
import { MailroomError } from '../kernel/errors.ts';
import { enumerate } from '../kernel/enumerate.ts';
import { parseProtocol } from '../mail/protocol/read.ts';
import { flowText, scalarText, type Style } from '../yaml/edit/print.ts';
import { parseConfig } from '../config/read.ts';
import { agentFolders, findAgents, type AgentProgram, type FoundAgent } from './agent-files.ts';
import { readConfigFile } from './definition/project-files.ts';
import { ProblemsError } from './definition/problems.ts';
import { copyTemplate, type ScaffoldResult } from './scaffold.ts';
import { linkAbove, type LeftOut } from './template.ts';

export interface FromAgents {
  /** The program whose agents become roles, or true: of all programs. */
  readonly from: string | true;
  /** The provider of all roles; null: the program of each. */
  readonly provider: string | null;
}

const file = 'protocols/agents.yaml';

/**
 * Makes a protocol of the agents that a repository has for agent programs. The description of a
 * role is a link to the file of the agent. Keeps existing files. Throws all problems, and then
 * nothing is written.
 */
export function teamFromAgents(disk: Disk, { from, provider }: FromAgents): ScaffoldResult {
  const programs = from === true ? known : known.filter((each) => each === from);
  if (programs.length === 0)
    throw new MailroomError(
      'E_USAGE',
      `\`${String(from)}\` is not a program whose agents are read`,
      `one of ${enumerate(known)}`,
    );
  const { agents, leftOut } = findAgents(disk, programs);
  if (agents.length === 0)
    throw new MailroomError(
      'E_USAGE',
      `no agent is in ${programs.flatMap((each) => agentFolders[each]).join(', ')}`,
      '`mailroom init --list` shows the templates',
    );
  const roles = agents.map((agent) => ({ ...agent, runs: provider ?? agent.provider }));
  const foreign = roles
    .filter((role) => role.model !== null && role.runs !== role.provider)
    .map(({ path, model, provider: its }) => ({
      path,
      why: `not taken: ${String(model)}, a model of ${its}`,
    }));
  const text = protocolText(roles);
  const checked = parseProtocol([{ file, text }], configOf(disk));
  if (!checked.ok) throw new ProblemsError(checked.problems);
  const links = linkRoles(disk, agents);
  const copied = copyTemplate(
    { files: [{ path: file, text }], leftOut: [...leftOut, ...foreign, ...links.leftOut] },
    disk,
    null,
  );
  return {
    written: [...links.written, ...copied.written],
    kept: [...links.kept, ...copied.kept],
    left_out: copied.left_out,
    provider,
  };
}

const known = Object.keys(agentFolders) as AgentProgram[];

function configOf(disk: Disk): Config {
  const settings = readConfigFile(disk, 'mailroom.yaml');
  const agents = readConfigFile(disk, 'agents.yaml');
  const read = parseConfig(settings?.text ?? '', settings?.path ?? 'mailroom.yaml', agents);
  if (!read.ok) throw new ProblemsError(read.problems);
  return read.value;
}

function linkRoles(disk: Disk, agents: readonly FoundAgent[]) {
  const done = { written: [] as string[], kept: [] as string[], leftOut: [] as LeftOut[] };
  for (const { name, path } of agents) {
    const place = `agents/${name}/role.md`;
    const link = linkAbove(disk, place);
    if (link !== null) done.leftOut.push({ path: place, why: `${link} is a link here` });
    else if (disk.look(place) !== null) done.kept.push(place);
    else {
      disk.link(place, `../../${path}`);
      done.written.push(place);
    }
  }
  return done;
}

const leads = 'architect|planner|lead|orchestrator|coordinator|manager';
const leadName = new RegExp(`(?:^|[-_.])(?:${leads})(?:$|[-_.])`, 'i');
const leadWord = new RegExp(`\\b(?:${leads}|plans|coordinates|orchestrates)\\b`, 'i');

/** The role that the person sends to: by its name, else its description, else the first. */
function leadOf<T extends FoundAgent>(agents: readonly T[]): T {
  const found =
    agents.find(({ name }) => leadName.test(name)) ??
    agents.find(({ description }) => leadWord.test(description)) ??
    agents.find(({ isPrimary }) => isPrimary) ??
    agents[0];
  if (found === undefined) throw new MailroomError('E_INTERNAL', 'a team without agents');
  return found;
}

const style: Style = { json: false, quote: "'", eol: '\n', unit: 2, padding: ' ' };
const word = (name: string) => scalarText(name, style, true);

/** A protocol in which one role gets all tasks, and asks each of the others. */
function protocolText(roles: readonly (FoundAgent & { readonly runs: string })[]): string {
  const lead = leadOf(roles);
  const others = roles.filter((role) => role !== lead).map(({ name }) => word(name));
  const [first, rest] = [word(lead.name), `[${others.join(', ')}]`];
  const asking = [
    '  # Each of the others owes an answer.',
    `  assignment: { from: ${first}, to: ${rest}, reply: [report], blocking: thread }`,
    `  report: { from: ${rest}, to: ${first} }`,
  ];
  const lines = [
    '# yaml-language-server: $schema=../.mailroom/schemas/protocol.schema.json',
    '#',
    '# A proposal of `mailroom init --from-agents`, yours to change: `mailroom check` says whether it is right.',
    '',
    'name: agents',
    "version: '1'",
    '',
    '# Agents work in your checkout. For a checkout of each role instead, whose work lands on a branch:',
    '# commit these files, uncomment the next line, and add `lands: main` to `done`.',
    '# workspace: { worktree: role }',
    '',
    '# agents/<role>/role.md is a link to the file of the agent.',
    'roles:',
    ...roles.flatMap(({ name, description, runs, provider, model, capabilities }) => {
      const itsModel = runs === provider && model !== null ? { model } : {};
      const budget = { usd: capabilities.includes('EDIT') ? 3 : 1 };
      const settings = { provider: runs, ...itsModel, capabilities: [...capabilities], budget };
      return [
        ...(description === '' ? [] : [`  # ${description}`]),
        `  ${word(name)}: ${flowText(settings, style)}`,
      ];
    }),
    '',
    'messages:',
    `  task: { from: user, to: ${first} }`,
    ...(others.length === 0 ? [] : asking),
    `  done: { from: ${first}, to: user, closes: true }`,
    '',
    'limits:',
    '  turns_per_thread: 30',
    '  budget: { thread: { usd: 20 }, day: { usd: 100 } }',
    '',
    `start: { type: task, to: ${first} }`,
  ];
  return `${lines.join('\n')}\n`;
}
