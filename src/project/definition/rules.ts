import { shellWord } from '../../kernel/quoting.ts';
import { orElse } from '../../kernel/contained.ts';
import type { RoleName } from '../../kernel/ids.ts';
import type { Disk } from '../../disk/disk.ts';
import { describeChange, lookAtChange } from './changed-by.ts';
import { confirm, readConfirmed, unconfirmed, type Confirmable, type Unconfirmed } from './confirmed.ts';
import { rulesKey, rulesOf } from './definition.ts';
import { readRoleTexts } from './role-texts.ts';

/**
 * What a running `up` does not use yet: the protocol and settings, and the descriptions of these
 * roles, as far as they differ from what its start or a person has confirmed.
 */
export function unusedRules(disk: Disk, roles: Iterable<RoleName>): Unconfirmed[] {
  const isKnown = readConfirmed(disk).has(rulesKey);
  const rules = isKnown ? orElse(() => [rulesOf(disk)], []) : [];
  return unconfirmed(disk, [...rules, ...readRoleTexts(disk, roles)]);
}

/** The same in words, with who changed what. */
export async function unusedNotices(disk: Disk, unused: readonly Unconfirmed[]): Promise<string[]> {
  const [rules, roles] = [true, false].map((are) => unused.filter(({ key }) => (key === rulesKey) === are));
  const of = async (changed: readonly Unconfirmed[], what: string, then: string) => {
    if (changed.length === 0) return [];
    const change = await describe(disk, changed);
    return [`${what}, and are not used yet: ${change.what}; ${lookAtChange(change)}, ${then}`];
  };
  const reload = `mailroom reload ${(roles ?? []).map(({ path }) => shellWord(path)).join(' ')}`;
  const notices = await Promise.all([
    of(
      rules ?? [],
      'the protocol or settings have changed since `up` started',
      'check it with `mailroom check`, and restart `mailroom up` to apply it',
    ),
    of(roles ?? [], 'descriptions of roles have changed since they were confirmed', `then run \`${reload}\``),
  ]);
  return notices.flat();
}

/**
 * Confirms what a start uses, and returns a note with who changed what since the last one; null:
 * nothing has changed, or it is the first.
 */
export async function confirmAtStart(disk: Disk, used: readonly Confirmable[]): Promise<string | null> {
  const isFirst = !readConfirmed(disk).has(rulesKey);
  const changed = confirm(disk, used);
  if (isFirst || changed.length === 0) return null;
  const { what, commands } = await describe(disk, changed);
  const look = commands === null ? '' : `; to look at it: ${commands}`;
  return `new or changed since the last start, and used from now on: ${what}${look}`;
}

function describe(disk: Disk, changed: readonly Unconfirmed[]) {
  const files = [...new Set(changed.flatMap((each) => each.files))];
  return describeChange(disk, files, JSON.stringify(changed.map(({ fingerprint }) => fingerprint)));
}
