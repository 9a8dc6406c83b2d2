import { classify as ofMail } from '../kill-matrix/classify.ts';
import {
  askedOfGit,
  filesOfHeldPlaces,
  inTables,
  movesOfHeldPlaces,
  type FileTable,
  type GitTable,
  type MoveTable,
  type Named,
  type Operation,
  type Spawn,
} from '../killing/operation.ts';
import type { EffectName } from './effects.ts';

const run = String.raw`^\.mailroom/runs/[^/]+`;
const draft = String.raw`^(\.mailroom/tmp/|context/(.*/)?\.[^/]+\.mailroom-tmp$)`;
const beside = String.raw`^([^/]+/)*\.[^/]+\.mailroom-tmp$`;
const fresh = String.raw`^context/.*/\.[^/]+\.new(/|$)`;

const files: FileTable<EffectName> = [
  ...filesOfHeldPlaces,
  ['begin', `${run}/journal/\\d+\\.log$`, 'journal.begin'],
  ['open', `${run}/journal/\\d+\\.log$`, 'journal.open'],
  ['write', `${run}/journal/\\d+\\.log$`, 'journal.append'],
  ['sync', `${run}/journal/\\d+\\.log$`, 'journal.sync'],
  ['cut', `${run}/journal/\\d+\\.log$`, 'journal.cut'],
  ['sync', String.raw`^(\.|\.mailroom|\.mailroom/runs|\.mailroom/runs/[^/]+(/journal)?)$`, 'journal.names'],
  ['begin', draft, 'draft.open'],
  ['remove', draft, 'draft.open'],
  ['write', draft, 'draft.write'],
  ['sync', draft, 'draft.sync'],
  ['begin', fresh, 'artifact.copy'],
  ['write', fresh, 'artifact.copy'],
  ['folder', fresh, 'artifact.copy'],
  ['sync', `${fresh}.*\\.txt$`, 'artifact.sync'],
  ['sync', '^context/', 'artifact.names'],
  ['remove', '^context/', 'artifact.remove'],
  ['folder', '^context(/|$)', 'context.folder'],
  ['begin', `${run}/steps/.*/\\.input-`, 'step.input'],
  ['write', `${run}/steps/.*/\\.input-`, 'step.input'],
  ['remove', `${run}/steps/.*/\\.input-`, 'step.input'],
  ['begin', `${run}/(steps|hooks)/.*/(stdout|stderr)$`, 'step.output'],
  ['open', `${run}/(steps|hooks)/.*/(stdout|stderr)$`, 'step.output'],
  ['write', `${run}/(steps|hooks)/.*/(stdout|stderr)$`, 'step.output'],
  ['open', `${run}/steps/.*/prompt\\.md$`, 'step.prompt'],
  ['write', `${run}/steps/.*/prompt\\.md$`, 'step.prompt'],
  ['remove', `${run}/posted/`, 'letter.forget'],
  ['remove', `${run}/inbox/`, 'letter.take'],
  ['remove', String.raw`^\.mailroom/incoming/`, 'letter.receive'],
  ['remove', `${run}/control/`, 'control.remove'],
  ['remove', `${run}/lock\\.json$`, 'holder.forget'],
  ['folder', `${run}/(steps|hooks|dead)(/|$)`, 'step.folder'],
  ['folder', String.raw`^\.mailroom(/(tmp|locks|runs)(/.*)?)?$`, 'run.folder'],
  ['sync', String.raw`^\.mailroom/locks$`, 'context.holder'],
  ['remove', '^decision$', 'decision.remove'],
  ['folder', '^in(/|$)', 'input.folder'],
  ['begin', String.raw`^said\.md$`, 'place.make'],
  ['remove', String.raw`^said\.md$`, 'place.remove'],
  ['folder', '^tmp:home/', 'place.make'],
  ['begin', '^tmp:home/', 'place.make'],
  ['write', '^tmp:home/', 'place.make'],
  ['begin', beside, 'draft.open'],
  ['remove', beside, 'draft.open'],
  ['write', beside, 'draft.write'],
  ['sync', beside, 'draft.sync'],
  ['sync', '^in(/|$)', 'input.names'],
  ['sync', String.raw`^(?!\.mailroom(/|$))`, 'rollback.sync'],
  ['folder', '^tmp:mailroom-[^/]+/refs$', 'tree.note'],
  ['copy', '^tmp:mailroom-[^/]+/index$', 'tree.note'],
  ['begin', '^tmp:mailroom-[^/]+/(config|HEAD|index)$', 'tree.note'],
  ['write', '^tmp:mailroom-[^/]+/(config|HEAD|index)$', 'tree.note'],
  ['link', '^tmp:mailroom-[^/]+/(info|lfs)$', 'tree.note'],
  ['scratch', '^tmp:mailroom-pipes-', 'pipes.make'],
  ['remove', '^tmp:mailroom-pipes-', 'pipes.make'],
  ['scratch', '^tmp:mailroom-', 'scratch.make'],
  ['remove', '^tmp:mailroom-', 'scratch.remove'],
];

const moves: MoveTable<EffectName> = [
  ...movesOfHeldPlaces,
  [draft, `${run}/(definition|run\\.json)$`, 'card.write'],
  [draft, `${run}/lock\\.json$`, 'holder.note'],
  [draft, `${run}/steps/.*/values\\.json$`, 'values.hide'],
  [draft, `${run}/steps/`, 'step.note'],
  [draft, `${run}/dead/`, 'dead.write'],
  [draft, `${run}/rolled-back(-\\d+)?\\.patch$`, 'rollback.keep'],
  [draft, String.raw`^\.mailroom/locks/`, 'context.holder'],
  [draft, String.raw`^\.mailroom/incoming/`, 'letter.post'],
  [draft, `${run}/posted/`, 'letter.note'],
  [draft, `${run}/inbox/`, 'letter.answer'],
  [draft, '^context/.*/(_meta\\.json|_convergence/.*)$', 'meta.write'],
  [draft, '^context/_workflow\\.json$', 'summary.write'],
  ['^context/', '^context/.*/\\.[^/]+\\.old$', 'artifact.place'],
  [fresh, '^context/', 'artifact.place'],
  ['^context/', `${run}/(context|found)/`, 'context.move'],
  [beside, '^in/', 'input.lay'],
  [beside, String.raw`^said\.md$`, 'answer.write'],
];

/** With an index of its own, git changes the workspace only where it takes files away and writes them. */
const gits: GitTable<EffectName> = [
  ['add', 'tree.note'],
  ['ls-files', 'inward'],
  ['config', 'inward'],
  ['update-index', 'tree.note'],
  ['write-tree', 'tree.note'],
  ['rm', 'rollback.remove'],
  ['checkout-index', 'rollback.restore'],
  ['read-tree', 'inward'],
  ['diff', 'inward'],
];

/** Which effect an operation of a run is, or of the mail beside it; null: one that no table has. */
export function classify(operation: Operation): Named<EffectName> | null {
  switch (operation.kind) {
    case 'spawn':
      return spawned(operation) ?? besides(operation);
    case 'unlock':
      return 'lock.release';
    case 'signal':
      return signalled(operation.signal, operation.starting);
    default:
      return inTables(operation, files, moves) ?? besides(operation);
  }
}

/** The mark of a step ends with its iteration, its attempt and the try of its check. */
function spawned({ argv, mark }: Spawn): Named<EffectName> | null {
  if (mark?.startsWith('mailroom-run-')) {
    if (mark.includes(':hook:')) return 'hook.spawn';
    return mark.endsWith('.0') ? 'step.spawn' : 'check.spawn';
  }
  if (argv[0] === 'git') return askedOfGit(argv, gits);
  if (argv[0] === 'flock') return 'lock.take';
  if (argv[0] === 'mkfifo') return 'pipes.make';
  return argv.at(-1) === '/proc/self/stat' ? 'containment.probe' : null;
}

function signalled(signal: string, starting: boolean): EffectName | null {
  if (signal === 'SIGTERM') return starting ? 'sweep.terminate' : 'step.terminate';
  if (signal === 'SIGKILL') return starting ? 'sweep.kill' : 'step.kill';
  return null;
}

/** What the mail does is proved by its own matrix; here it is killed where it shows between the two. */
function besides(operation: Operation): Named<EffectName> | null {
  const name = ofMail(operation);
  return name === null || name === 'inward' ? name : (`mail.${name}` as EffectName);
}
