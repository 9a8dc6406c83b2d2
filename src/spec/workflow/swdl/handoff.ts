import type { Tree } from '../../../core/expression/tree.ts';
import type { Taken } from '../../../core/workflow/model.ts';
import type { KnownStage } from './facts.ts';
import { call, choose, equals, literal, ofStep, orNull } from './trees.ts';

/** What a stage is given of one that it depends on, as that one hands it over. A stage that did not succeed hands over nothing. */
export function handedBy(stage: KnownStage): Taken[] {
  const { id, name, handoff = {}, type } = stage.input;
  const about = name === undefined ? '' : ` (${name})`;
  const taken = (of: string, source: Tree): Taken => ({
    name: of,
    description: null,
    source: [
      {
        kind: 'expression',
        tree: choose(equals(orNull(ofStep(id, 'status')), literal('SUCCEEDED')), source, literal(null)),
      },
    ],
    type: null,
    required: false,
  });
  const summary =
    handoff.summary_prompt === undefined ? [] : [taken(`summary of ${id}`, orNull(ofStep(id, 'summary')))];
  return [
    ...summary,
    taken(`${type === 'gate' ? 'decision at' : 'handed over by'} ${id}${about}`, handedOver(stage)),
    ...(handoff.include_run_log === true
      ? [{ ...taken(`end of the log of ${id}`, literal(null)), source: [], log: id }]
      : []),
  ];
}

function handedOver({ input, outputs }: KnownStage): Tree {
  const { id, handoff = {} } = input;
  const names = Object.keys(outputs ?? {});
  // Where nothing is declared there are only words.
  const isEmpty = outputs !== null && names.length === 0;
  if (handoff.format === 'raw' || isEmpty) return orNull(ofStep(id, 'output'));
  if (handoff.format !== 'markdown' || outputs === null) return orNull(ofStep(id, 'values'));
  const sections = names.map((name) => {
    const value = ofStep(id, 'values', name);
    const heading = `## ${name}\n\n`;
    return choose(
      equals(orNull(value), literal(null)),
      literal(''),
      call('concat', [literal(heading), value, literal('\n\n')]),
    );
  });
  return orNull(call('concat', sections));
}
