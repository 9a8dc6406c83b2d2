import { capabilities as allCapabilities } from '../../kernel/capabilities.ts';
import type { Json } from '../../kernel/json.ts';
import { nothing, type Artifact, type ArtifactContext, type ArtifactKind } from '../shared/artifacts.ts';
import { seekPlayer } from './agents.ts';
import { confidenceIn } from './memory.ts';
import { firstOf, readProjectFile, seekModule, seekSkill } from './project-files.ts';

/** Every artifact of a project, by kind and then by name. */
export function artifactsIn(context: ArtifactContext): Artifact[] {
  const { files } = context;
  return [
    ...agentNames(context).flatMap((name) => agentCalled(name, context) ?? []),
    ...files.list('.claude/skills').flatMap((name) => {
      const { found } = seekSkill(files, name);
      return found === null ? [] : [artifact('skill', name, found)];
    }),
    ...namesIn(context, 'modules').flatMap((name) => {
      const { found } = seekModule(files, name);
      return found === null ? [] : [artifact('ctx', name, found)];
    }),
    ...namesIn(context, 'memory').map((name) => {
      const path = `memory/${name}.md`;
      const found = readProjectFile(path, files.read(path) ?? '');
      const ok = confidenceIn(found.front['confidence']) !== null;
      const problem = ok ? null : 'its `confidence` is not a number from 0 to 1';
      return { ...artifact('memory', name, found), ref: path, ok, problem };
    }),
  ];
}

function artifact(
  kind: ArtifactKind,
  name: string,
  { path, front, body }: ReturnType<typeof readProjectFile>,
): Artifact {
  const description = text(front['description']) ?? firstLine(body);
  return { ...nothing, ref: `${kind}:${name}`, kind, name, description, file: path };
}

function namesIn({ files }: ArtifactContext, folder: string): string[] {
  return files
    .list(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -'.md'.length));
}

/** Roles that are no people, and the agents that have a file. */
function agentNames(context: ArtifactContext): string[] {
  const { protocol, files } = context;
  const roles = [...(protocol?.roles.values() ?? [])];
  const people = new Set(roles.filter(({ provider }) => provider === 'human').map(({ name }) => name));
  const described = files.list('agents').filter((name) => files.read(`agents/${name}/role.md`) !== null);
  const names = [...roles.map(({ name }) => name), ...described, ...namesIn(context, '.claude/agents')];
  return [...new Set(names)].filter((name) => !people.has(name)).toSorted();
}

function agentCalled(name: string, context: ArtifactContext): Artifact | null {
  const { found } = seekPlayer(name, null, context);
  if (found === null) return null;
  const file = firstOf(context.files, [`agents/${name}/role.md`, `.claude/agents/${name}.md`]).found;
  const { provider, model } = found;
  const isKnown = context.providers.length === 0 || context.providers.includes(provider);
  return {
    ...nothing,
    ref: `agent:${name}`,
    kind: 'agent',
    name,
    description: text(file?.front['description']) ?? firstLine(found.text),
    file: file?.path ?? null,
    provider,
    model,
    capabilities: allCapabilities.filter((each) => found.capabilities.includes(each)),
    ok: isKnown,
    problem: isKnown ? null : `its provider \`${provider}\` does not exist`,
  };
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

function firstLine(body: string): string | null {
  const [line = ''] = body.trim().split('\n');
  const words = line.replace(/^#+\s*/, '').trim();
  return words === '' ? null : words.slice(0, 200);
}
