import { withArticle } from '../../kernel/enumerate.ts';
import { comparisonsOf, pathOf, referencesOf, type Segment } from '../../expressions/references.ts';
import type { Comparison, Tree } from '../../expressions/tree.ts';
import { typesOf, type Types } from '../../expressions/types.ts';
import { typeOf } from '../../expressions/values.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import type { ValueType } from '../../workflow/model.ts';
import type { Path } from '../../yaml/yaml.ts';
import { languageAt, stageStatuses } from './language.ts';
import type { KnownStage, Lowering, Place } from './facts.ts';

/** Whether what an expression reads is there when it is evaluated, and whether what it compares can be equal. */
export function checkReads(tree: Tree, path: Path, place: Place, lowering: Lowering): void {
  const language = languageAt(place);
  const teller = new Reads(path, place, lowering);
  for (const reference of referencesOf(tree, language)) teller.check(reference.path);
  for (const comparison of comparisonsOf(tree)) teller.compare(comparison);
}

/** The types that an expression may have; null: any. */
export function typesOfTree(tree: Tree, place: Place, lowering: Lowering): Types {
  return typesOf(tree, languageAt(place), (path) => {
    if (isStatus(path)) return new Set(['string']);
    const type = typeAt(path, lowering);
    return type === null ? null : jsonTypes(type);
  });
}

/** The JSON types of a declared one. */
export function jsonTypes({ type }: ValueType): Types {
  return type === 'any' ? null : new Set([type === 'integer' ? 'number' : type]);
}

const ofRun = ['id', 'started_at'];
const ofWorkflow = ['id', 'name', 'version', 'description', 'author'];

function isNamed(segment: Segment | undefined, word: string): boolean {
  return segment?.name?.toLowerCase() === word;
}

function isStatus(path: readonly Segment[]): boolean {
  return path.length === 3 && isNamed(path[0], 'stages') && isNamed(path[2], 'status');
}

function find<T>(names: Readonly<Record<string, T>>, name: string): T | undefined {
  const key = Object.hasOwn(names, name)
    ? name
    : Object.keys(names).find((each) => each.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : names[key];
}

/** The declared type of what a path reads; null: nothing is declared of it. */
function typeAt(path: readonly Segment[], { parameters, stages }: Lowering): ValueType | null {
  const [namespace, name, property, output, ...rest] = path;
  if (name?.name == null) return null;
  if (isNamed(namespace, 'parameters'))
    return property === undefined ? (find(parameters, name.name) ?? null) : null;
  if (!isNamed(namespace, 'stages') || !isNamed(property, 'outputs') || output?.name == null) return null;
  const outputs = stages.get(name.name)?.outputs ?? {};
  return rest.length > 0 ? null : (find(outputs, output.name) ?? null);
}

class Reads {
  private readonly path: Path;
  private readonly place: Place;
  private readonly lowering: Lowering;

  constructor(path: Path, place: Place, lowering: Lowering) {
    this.path = path;
    this.place = place;
    this.lowering = lowering;
  }

  check(path: readonly Segment[]): void {
    const [namespace, name] = path;
    if (isNamed(namespace, 'stages')) return this.stage(path);
    if (name?.name == null) return;
    const { parameters, brokenParameters, file } = this.lowering;
    if (isNamed(namespace, 'parameters')) {
      if (find(parameters, name.name) === undefined && !brokenParameters.has(name.name))
        this.unknown(name, `no parameter is called \`${name.name}\``, Object.keys(parameters));
    } else if (isNamed(namespace, 'env')) {
      const names = Object.keys(file.config?.env ?? {});
      if (!names.some((each) => each.toLowerCase() === name.name?.toLowerCase()))
        this.warn(
          name,
          `\`env\` of this workflow does not name \`${name.name}\``,
          'name it under `config.env`',
        );
    } else if (isNamed(namespace, 'run')) this.property(name, 'run', ofRun);
    else if (isNamed(namespace, 'workflow')) this.property(name, 'workflow', ofWorkflow);
  }

  private property(name: Segment, of: string, known: readonly string[]): void {
    if (!known.includes(name.name?.toLowerCase() ?? ''))
      this.unknown(name, `\`${of}\` has no \`${name.name ?? ''}\``, known);
  }

  private stage([namespace, name, property, output, inner]: readonly Segment[]): void {
    const { stages, broken } = this.lowering;
    if (name?.name == null)
      return this.error(
        name ?? namespace!,
        'which stage is meant must be told literally',
        'write its id: `stages.research.outputs`',
      );
    const target = stages.get(name.name);
    if (target === undefined) {
      if (broken.has(name.name)) return;
      const known = [...stages.keys(), ...broken];
      return this.unknown(name, `no stage is called \`${name.name}\``, known);
    }
    this.order(name, target);
    if (property?.name == null)
      return this.error(
        name,
        'of a stage there is `outputs` and `status`',
        `\`stages.${name.name}.outputs.…\``,
      );
    if (isNamed(property, 'status')) return;
    if (!isNamed(property, 'outputs')) return this.noProperty(name.name, property, target);
    if (output?.name == null || target.outputs === null) return;
    const type = find(target.outputs, output.name);
    if (type === undefined)
      return this.unknown(
        output,
        `\`${name.name}\` has no output \`${output.name}\``,
        Object.keys(target.outputs),
      );
    if (inner !== undefined && !['object', 'array', 'any'].includes(type.type))
      this.error(inner, `\`${output.name}\` is ${withArticle(type.type)}: there is nothing in it`, null);
  }

  private noProperty(stage: string, property: Segment, { outputs }: KnownStage): void {
    const name = property.name ?? '';
    const message = `a stage has no \`${name}\``;
    if (find(outputs ?? {}, name) === undefined)
      return this.unknown(property, message, ['outputs', 'status']);
    this.add('E_UNKNOWN_NAME', property, message, `it is an output: \`stages.${stage}.outputs.${name}\``);
  }

  /** A stage is read only by those that wait for it, directly or not. */
  private order(name: Segment, target: KnownStage): void {
    const { stage, over } = this.place;
    if (over) return;
    if (stage === null) return this.error(name, 'no stage has run yet where this stands', null);
    const id = target.input.id;
    if (id === stage) return this.error(name, `\`${id}\` cannot read what it has not done yet`, null);
    if (this.lowering.stages.get(stage)?.comesAfter(id) === false)
      this.error(
        name,
        `\`${id}\` does not come before \`${stage}\``,
        `name it under \`depends_on\` of \`${stage}\`, or of a stage before it`,
      );
  }

  compare({ left, right, operator }: Comparison): void {
    const [side, other] = right.kind === 'literal' ? [left, right] : [right, left];
    const path = pathOf(side);
    if (path === null || other.kind !== 'literal' || other.value === null) return;
    const { value } = other;
    if (isStatus(path)) {
      const words: readonly string[] = stageStatuses;
      if (typeof value === 'string' && words.includes(value.toLowerCase()))
        return this.warnUnreached(path, value.toLowerCase(), other);
      const near = typeof value === 'string' ? didYouMean(value, words) : null;
      const shown = typeof value === 'string' ? `'${value}'` : String(value);
      return this.errorAt(
        other,
        `no stage is ever ${shown}`,
        near ?? `there is ${words.map((each) => `\`${each}\``).join(', ')}`,
      );
    }
    const type = typeAt(path, this.lowering);
    const types = type === null ? null : jsonTypes(type);
    if (type === null || types === null || types.has(typeOf(value)) || !['==', '!='].includes(operator))
      return;
    const source = path.map(({ name }) => name ?? '*').join('.');
    const shown = typeof value === 'string' ? `'${value}'` : String(value);
    const message = `\`${source}\` is ${withArticle(type.type)}: comparing it with ${shown} says nothing`;
    this.lowering.diagnostics.warnAt(this.path, other.span, message);
  }

  /** A status of which this stage would be skipped before it can read it. */
  private warnUnreached(path: readonly Segment[], word: string, { span }: Tree): void {
    const { stages, file } = this.lowering;
    const target = stages.get(path[1]?.name ?? '');
    const hasFailed = word === 'failed' || word === 'timed_out';
    if (!hasFailed || this.place.over || target === undefined || target.input.type === 'gate') return;
    const { id, error_policy: own } = target.input;
    const policy = own?.on_failure ?? file.error_policy?.on_stage_failure ?? 'halt';
    if (policy === 'continue') return;
    const what = policy === 'skip_dependents' ? 'skips its dependents' : 'ends the run';
    this.lowering.diagnostics.warnAt(
      this.path,
      span,
      `\`${id}\` ${what} when it fails, so nothing here ever sees it as '${word}'`,
      `give \`${id}\` \`error_policy: { on_failure: continue }\``,
    );
  }

  private unknown(segment: Segment, message: string, known: readonly string[]): void {
    const all =
      known.length === 0 ? 'there are none' : `there is ${known.map((each) => `\`${each}\``).join(', ')}`;
    this.add('E_UNKNOWN_NAME', segment, message, didYouMean(segment.name ?? '', known) ?? all);
  }

  private error(segment: Segment, message: string, hint: string | null): void {
    this.add('E_EXPRESSION', segment, message, hint);
  }

  private errorAt({ span }: Tree, message: string, hint: string | null): void {
    this.lowering.diagnostics.errorAt('E_EXPRESSION', this.path, span, message, hint);
  }

  private add(
    code: 'E_EXPRESSION' | 'E_UNKNOWN_NAME',
    { span }: Segment,
    message: string,
    hint: string | null,
  ): void {
    this.lowering.diagnostics.errorAt(code, this.path, span, message, hint);
  }

  private warn({ span }: Segment, message: string, hint: string | null): void {
    this.lowering.diagnostics.warnAt(this.path, span, message, hint);
  }
}
