import { classify as ofMail } from '../mail/classify.ts';
import type { FileTable, GitTable, MoveTable, Named, Operation } from '../operation.ts';
import { classifier, newCheckout } from '../tables.ts';
import type { EffectName } from './effects.ts';

const run = String.raw`^\.mailroom/runs/[^/]+`;
const draft = String.raw`^(\.mailroom/tmp/|context/(.*/)?\.[^/]+\.mailroom-tmp$)`;
const beside = String.raw`^([^/]+/)*\.[^/]+\.mailroom-tmp$`;
const fresh = String.raw`^context/.*/\.[^/]+\.new(/|$)`;

const events = String.raw`^\.mailroom/events`;

const files: FileTable<EffectName> = [
  ...newCheckout,
  ['begin', String.raw`^\.git/worktrees/[^/]+/mailroom\.git$`, 'worktree.make'],
  ['open', String.raw`^\.git/worktrees/[^/]+/mailroom\.git$`, 'worktree.make'],
  ['write', String.raw`^\.git/worktrees/[^/]+/mailroom\.git$`, 'worktree.make'],
  ['begin', `${events}/[^/]+\\.jsonl$`, 'event.append'],
  ['open', `${events}/[^/]+\\.jsonl$`, 'event.append'],
  ['write', `${events}/[^/]+\\.jsonl$`, 'event.append'],
  ['begin', `${events}/relays/[^/]+\\.jsonl$`, 'event.note'],
  ['open', `${events}/relays/[^/]+\\.jsonl$`, 'event.note'],
  ['write', `${events}/relays/[^/]+\\.jsonl$`, 'event.note'],
  ['sync', `${events}/.*\\.jsonl$`, 'event.sync'],
  ['sync', `${events}(/relays|/definitions)?$`, 'event.names'],
  ['folder', `${events}(/|$)`, 'event.folder'],
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
  ['folder', String.raw`^\.mailroom(/(tmp|locks|contexts|refused|runs|triggers)(/.*)?)?$`, 'run.folder'],
  ['sync', String.raw`^\.mailroom/contexts$`, 'context.holder'],
  ['sync', String.raw`^\.mailroom/triggers$`, 'trigger.note'],
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
  ['copy', String.raw`^\.git/(worktrees/[^/]+/)?index\.mailroom$`, 'checkout.index'],
  ['copy', '^tmp:mailroom-[^/]+/index', 'checkout.index'],
  ['sync', String.raw`^\.git/objects/`, 'leave.sync'],
  ['begin', String.raw`^\.git/index\.lock`, 'land.lock'],
  ['write', String.raw`^\.git/index\.lock`, 'land.lock'],
  ['link', String.raw`^\.git/index\.lock`, 'land.lock'],
  ['remove', String.raw`^\.git/index\.lock`, 'land.lock'],
  ['sync', String.raw`^(?!\.mailroom(/|$))`, 'rollback.sync'],
];

const moves: MoveTable<EffectName> = [
  [String.raw`/mailroom\.git$`, String.raw`^\.mailroom/worktrees/[^/]+/\.git$`, 'worktree.make'],
  [String.raw`^\.git/mailroom-[^/]+$`, String.raw`^\.git/worktrees/[^/]+$`, 'worktree.make'],
  [String.raw`/index\.mailroom$`, String.raw`^\.git/(worktrees/[^/]+/)?index$`, 'checkout.index'],
  [draft, String.raw`^\.mailroom/refused/.*\.reason\.txt$`, 'other.refuse'],
  [draft, `${events}/definitions/`, 'definition.keep'],
  [draft, String.raw`^\.mailroom/nostr\.key$`, 'key.write'],
  [draft, `${run}/(definition|run\\.json)$`, 'card.write'],
  [draft, `${run}/control/`, 'older.cancel'],
  [draft, `${run}/lock\\.json$`, 'holder.note'],
  [draft, `${run}/steps/.*/values\\.json$`, 'values.hide'],
  [draft, `${run}/steps/`, 'step.note'],
  [draft, `${run}/dead/`, 'dead.write'],
  [draft, `${run}/rolled-back(-\\d+)?\\.patch$`, 'rollback.keep'],
  [draft, String.raw`^\.mailroom/contexts/`, 'context.holder'],
  [draft, String.raw`^\.mailroom/triggers/`, 'trigger.note'],
  [draft, String.raw`^\.mailroom/incoming/`, 'letter.post'],
  [draft, `${run}/posted/`, 'letter.note'],
  [draft, `${run}/inbox/`, 'letter.answer'],
  [draft, String.raw`^context/\.gitignore$`, 'context.ignore'],
  [draft, '^context/.*/(_meta\\.json|_convergence/.*)$', 'meta.write'],
  [draft, '^context/_workflow\\.json$', 'summary.write'],
  [beside, `${run}/shown/_workflow\\.json$`, 'summary.write'],
  [beside, `${run}/shown/.*/_meta\\.json$`, 'meta.write'],
  ['^context/', '^context/.*/\\.[^/]+\\.old$', 'artifact.place'],
  [fresh, '^context/', 'artifact.place'],
  ['^context/', `${run}/(context|found)/`, 'context.move'],
  [beside, '^in/', 'input.lay'],
  [beside, String.raw`^said\.md$`, 'answer.write'],
];

/** With an index of its own, git changes the workspace only where it takes files away and writes them. */
const gits: GitTable<EffectName> = [
  ['update-ref --no-deref --create-reflog -m leave', 'leave.commit'],
  ['update-ref --no-deref --create-reflog -m land', 'land.swap'],
  ['update-ref', 'checkout.branch'],
  ['symbolic-ref', 'checkout.branch'],
  ['worktree add', 'worktree.make'],
  ['worktree remove', 'worktree.make'],
  ['read-tree --reset', 'checkout.files'],
  ['read-tree -m -u -n', 'inward'],
  ['read-tree -m -u', 'land.files'],
  ['merge-tree', 'merge'],
  ['commit-tree', 'leave.commit'],
  ['rm', 'rollback.remove'],
  ['checkout-index', 'rollback.restore'],
  ['read-tree', 'inward'],
  ['diff', 'inward'],
  ['diff-index', 'inward'],
];

const ofRun = classifier<EffectName>({
  home: run,
  files,
  moves,
  gits,
  marked: ({ mark }) => markedBy(mark),
  terminate: 'step.terminate',
  kill: 'step.kill',
});

/** The mark of a step ends with its iteration, its attempt and the try of its check. */
function markedBy(mark: string | null): EffectName | null {
  if (!mark?.startsWith('mailroom-run-')) return null;
  if (mark.includes(':hook:')) return 'hook.spawn';
  return mark.endsWith('.0') ? 'step.spawn' : 'check.spawn';
}

/** Which effect an operation of a run is, or of the mail beside it; null: one that no table has. */
export function classify(operation: Operation): Named<EffectName> | null {
  if (operation.kind === 'connect') return 'relay.connect';
  if (operation.kind === 'send') return 'relay.send';
  if (operation.kind === 'spawn' && operation.forgotten) return 'person.notify';
  return ofRun(operation) ?? besides(operation);
}

/** What the mail does is proved by its own matrix; here it is killed where it shows between the two. */
function besides(operation: Operation): Named<EffectName> | null {
  const name = ofMail(operation);
  return name === null || name === 'inward' ? name : (`mail.${name}` as EffectName);
}
