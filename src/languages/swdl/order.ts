import { didYouMean } from '../../kernel/nearest.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';
import type { StageInput } from './schema.ts';

/** A stage of the file, and where it stands. */
export interface Placed {
  readonly input: StageInput;
  readonly path: Path;
}

/** The usable stages by id; each knows which are over before it starts. What cannot be is told. */
export function orderStages(
  placed: readonly Placed[],
  broken: ReadonlySet<string>,
  diagnostics: Diagnostics,
): ReadonlyMap<string, Placed & { readonly comesAfter: (other: string) => boolean }> {
  const byId = new Map<string, Placed>();
  for (const stage of placed) {
    const { id } = stage.input;
    if (byId.has(id))
      diagnostics.error(
        'E_DUPLICATE',
        [...stage.path, 'id'],
        `two stages are called \`${id}\``,
        'give one another id',
      );
    else byId.set(id, stage);
  }
  for (const stage of byId.values()) checkNeeds(stage, byId, broken, diagnostics);
  tellCircles(byId, diagnostics);
  const after = (id: string) => (other: string) => isBefore(other, id, byId);
  return new Map([...byId].map(([id, stage]) => [id, { ...stage, comesAfter: after(id) }]));
}

function checkNeeds(
  { input, path }: Placed,
  byId: ReadonlyMap<string, Placed>,
  broken: ReadonlySet<string>,
  diagnostics: Diagnostics,
): void {
  const seen = new Set<string>();
  for (const [index, need] of (input.depends_on ?? []).entries()) {
    const at = [...path, 'depends_on', index];
    if (seen.has(need)) diagnostics.warn(at, `\`${need}\` is named twice`);
    seen.add(need);
    if (byId.has(need) || broken.has(need)) continue;
    const known = [...byId.keys(), ...broken].filter((id) => id !== input.id);
    const hint = didYouMean(need, known) ?? `there is ${known.map((id) => `\`${id}\``).join(', ')}`;
    diagnostics.error('E_UNKNOWN_NAME', at, `no stage is called \`${need}\``, hint);
  }
}

/** Whether one stage is over before another starts; as if, where what it waits for is not known. Mostly the answer is near. */
function isBefore(target: string, id: string, stages: ReadonlyMap<string, Placed>): boolean {
  const seen = new Set<string>();
  const waiting = [id];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const needs = stages.get(next)?.input.depends_on ?? [];
    if (needs.includes(target) || needs.some((need) => !stages.has(need))) return true;
    const fresh = needs.filter((need) => !seen.has(need));
    for (const need of fresh) seen.add(need);
    waiting.push(...fresh);
  }
  return false;
}

function needsOf(id: string, stages: ReadonlyMap<string, Placed>): readonly string[] {
  return (stages.get(id)?.input.depends_on ?? []).filter((need) => stages.has(need));
}

/** Tells of stages that wait for each other, each circle once. Needs no stack, however long the way is. */
function tellCircles(stages: ReadonlyMap<string, Placed>, diagnostics: Diagnostics): void {
  const done = new Set<string>();
  for (const start of stages.keys()) {
    if (done.has(start)) continue;
    const way = [{ id: start, left: [...needsOf(start, stages)] }];
    const onWay = new Set([start]);
    for (let last = way.at(-1); last !== undefined; last = way.at(-1)) {
      const need = last.left.shift();
      if (need === undefined) {
        done.add(last.id);
        onWay.delete(last.id);
        way.pop();
      } else if (onWay.has(need)) {
        const ids = way.map(({ id }) => id);
        tellCircle([...ids.slice(ids.indexOf(need)), need], stages, diagnostics);
      } else if (!done.has(need)) {
        way.push({ id: need, left: [...needsOf(need, stages)] });
        onWay.add(need);
      }
    }
  }
}

function tellCircle(
  circle: readonly string[],
  stages: ReadonlyMap<string, Placed>,
  diagnostics: Diagnostics,
): void {
  const need = circle.at(-1)!;
  const { input, path } = stages.get(circle.at(-2)!)!;
  diagnostics.error(
    'E_WORKFLOW',
    [...path, 'depends_on', input.depends_on!.indexOf(need)],
    circle.length === 2
      ? `\`${need}\` waits for itself`
      : `these stages wait for each other: ${circle.toReversed().join(' → ')}`,
    'one of them must not depend on the next',
  );
}
