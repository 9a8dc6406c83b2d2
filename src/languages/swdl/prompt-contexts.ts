import { isJsonObject, type Json } from '../../kernel/json.ts';
import { ownValue } from '../../kernel/own.ts';
import { validParts } from '../../yaml/shape.ts';
import type { YamlDocument } from '../../yaml/yaml.ts';
import type { ProjectFiles } from '../shared/context.ts';
import type { PromptContext } from '../shared/prompt-contexts.ts';
import type { OverridesContext } from '../shared/workflow-language.ts';
import { memoryQuery, packMemories } from './memory.ts';
import { overridden } from './overrides.ts';
import { seekModule } from './project-files.ts';
import { modulesOf, nameIn } from './prompt-context.ts';
import { stageContext, workflowContext, type StageContext, type WorkflowContext } from './schema.ts';

/**
 * The context of the prompts of each stage with an agent, after that of a stage which adds none.
 * Reads what is valid of a file with errors.
 */
export function promptContexts(base: YamlDocument, context: OverridesContext): PromptContext[] {
  const { value } = overridden(base, context).document;
  const shared: WorkflowContext = partsOf(workflowContext, entryOf(value, 'context'));
  const all = entryOf(value, 'stages');
  const stages = (Array.isArray(all) ? all : []).flatMap((stage) => {
    const [id, type] = [entryOf(stage, 'id'), entryOf(stage, 'type')];
    if (typeof id !== 'string' || type === 'gate') return [];
    const work = type === 'fan_out' ? entryOf(entryOf(stage, 'fan_out'), 'stage_template') : stage;
    const own: StageContext = partsOf(stageContext, entryOf(work, 'context'));
    return [{ step: id, ...contextOf(own, shared, context.files) }];
  });
  return [{ step: null, ...contextOf({}, shared, context.files) }, ...stages];
}

function contextOf(
  own: StageContext,
  shared: WorkflowContext,
  files: ProjectFiles,
): Omit<PromptContext, 'step'> {
  const query = memoryQuery(own.memory, shared.memory);
  const modules = modulesOf(own, shared).map(({ name, from }) => {
    const { found } = seekModule(files, nameIn(name));
    return { name, file: found?.path ?? null, from };
  });
  if (query === null) return { modules, memory: null };
  const { packed, noRoom } = packMemories(files, query);
  return { modules, memory: { ...query, packed, noRoom } };
}

function entryOf(value: Json, key: string): Json {
  return isJsonObject(value) ? (ownValue(value, key) ?? null) : null;
}

function partsOf(schema: typeof stageContext | typeof workflowContext, value: Json): object {
  return isJsonObject(value) ? validParts(schema, value) : {};
}
