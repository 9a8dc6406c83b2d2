/** Every way in which the host of a run changes something outside itself, by what it does to which path. */
export const effects = {
  'artifact.copy': 'copies an artifact beside its place',
  'artifact.place': 'puts a whole artifact in its place',
  'artifact.remove': 'removes an artifact, or what was left of one',
  'artifact.sync': 'makes an artifact durable',
  'card.write': 'puts down what a run is and what defines it',
  'context.folder': 'makes a folder of the context',
  'context.holder': 'puts down whose context folder it is',
  'context.move': 'moves what an earlier run left there',
  'control.remove': 'removes a command that the journal has',
  'dead.write': 'keeps a step that failed for good',
  'decision.remove': 'removes an old decision',
  draft: 'writes a whole file beside',
  'input.lay': 'lays an input into the workspace',
  'journal.append': 'appends records',
  'journal.begin': 'makes the journal',
  'journal.names': 'makes the names of the journal durable',
  'journal.sync': 'makes records durable',
  lock: 'takes the run and its context folder',
  'meta.write': 'tells of a settled step',
  'run.folder': 'makes a folder of a run',
  'step.folder': 'makes the folder of a process',
  'step.note': 'writes a file into the folder of a process',
  'step.output': 'writes down what a process prints',
  'step.spawn': 'starts a worker or a check',
  'summary.write': 'tells of the run',
  'values.remove': 'removes old values',
} as const;

export type EffectName = keyof typeof effects;

const run = String.raw`^\.mailroom/runs/[^/]+`;

/** The first that fits, by `kind path`; of a rename the path is where it goes to. `inward`: nobody else sees it. */
const table: readonly (readonly [RegExp, EffectName | 'inward'])[] = [
  [/^spawn worker/, 'step.spawn'],
  [/^spawn flock/, 'lock'],
  [/^spawn /, 'inward'],
  [new RegExp(`rename ${run.slice(1)}/(definition|run)\\.json$`), 'card.write'],
  [new RegExp(`rename ${run.slice(1)}/(context|found)/`), 'context.move'],
  [/rename .*\/_meta\.json$/, 'meta.write'],
  [/rename .*\/_workflow\.json$/, 'summary.write'],
  [/rename .*\/_convergence\//, 'meta.write'],
  [new RegExp(`rename ${run.slice(1)}/dead/`), 'dead.write'],
  [new RegExp(`rename ${run.slice(1)}/steps/`), 'step.note'],
  [/rename \.mailroom\/locks\//, 'context.holder'],
  [/rename context\//, 'artifact.place'],
  [/(rename|open|write|sync|folder) (project|in)[^/]*(\/|$)/, 'input.lay'],
  [/(open|write|sync|folder) context\/.*\.mailroom-tmp/, 'draft'],
  [/(open|write) context\/.*\/\.[^/]+\.new/, 'artifact.copy'],
  [/folder context\/.*\/\.[^/]+\.new/, 'artifact.copy'],
  [/sync context\//, 'artifact.sync'],
  [/remove context\//, 'artifact.remove'],
  [/(open|write|sync) \.mailroom\/tmp\//, 'draft'],
  [/(open|write|sync|folder) context(\/|$)/, 'context.folder'],
  [new RegExp(`open ${run.slice(1)}/journal/`), 'journal.begin'],
  [new RegExp(`write ${run.slice(1)}/journal/`), 'journal.append'],
  [new RegExp(`sync ${run.slice(1)}/journal/.`), 'journal.sync'],
  [/sync \.mailroom(\/|$)/, 'journal.names'],
  [/sync \.$/, 'journal.names'],
  [new RegExp(`remove ${run.slice(1)}/steps/.*values`), 'values.remove'],
  [new RegExp(`remove ${run.slice(1)}/control/`), 'control.remove'],
  [new RegExp(`remove ${run.slice(1)}/(context|found)`), 'context.move'],
  [/remove decision/, 'decision.remove'],
  [new RegExp(`folder ${run.slice(1)}/steps`), 'step.folder'],
  [new RegExp(`(open|write) ${run.slice(1)}/steps/.*/(stdout|stderr)`), 'step.output'],
  [new RegExp(`(open|write|remove) ${run.slice(1)}/steps/`), 'step.note'],
  [/folder \.mailroom/, 'run.folder'],
  [/(open|write) \.mailroom\/(locks\/|runs\/[^/]+\/lock)/, 'lock'],
  [/^(folder|open|write|remove|sync) (tmp:|\/proc\/|\/dev\/)/, 'inward'],
];

/** Null: one that the table does not have. */
export function nameOf(operation: string): EffectName | 'inward' | null {
  return table.find(([pattern]) => pattern.test(operation))?.[1] ?? null;
}
