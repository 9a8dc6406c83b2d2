import { fieldsOf } from '../../shape.ts';
import type { Path } from '../../yaml.ts';
import { stageSchema } from './schema.ts';

/** What cannot be concluded from stages of which a part could not be used. */
export interface Loss {
  /** Nobody knows which stage waits for which. */
  readonly isOrderUnknown: boolean;
  /** Whether it is not known what a stage, by its place, is. */
  isBroken(stage: Path): boolean;
  /** Whether it is not known what a stage, by its place, hands over. */
  areOutputsUnknown(stage: Path): boolean;
}

const known = fieldsOf(stageSchema);

/** `lost`: paths to what could not be used. A key that nobody knows may have been any. */
export function lossOf(lost: readonly Path[]): Loss {
  const parts = lost.filter(([list, , key]) => list === 'stages' && key !== undefined);
  const mayBe = ([, , key]: Path, wanted: string) => key === wanted || !Object.hasOwn(known, String(key));
  const of = ([, index]: Path) => parts.filter(([, other]) => other === index);
  return {
    isOrderUnknown: parts.some((path) => mayBe(path, 'depends_on')),
    isBroken: (stage) => of(stage).some((path) => path[2] === 'type'),
    areOutputsUnknown: (stage) => of(stage).some((path) => mayBe(path, 'outputs')),
  };
}
