import { orElse } from '../../kernel/contained.ts';
import type { Disk } from '../../disk/disk.ts';
import { differingFiles, type Confirmable, type Unconfirmed } from '../../project/definition/confirmed.ts';
import { rulesKey, rulesOf, rulesWith, type Wired } from '../../project/definition/definition.ts';
import { ConfirmedRoleTexts } from '../../project/definition/role-texts.ts';
import { confirmAtStart, unusedNotices } from '../../project/definition/rules.ts';

/** How long a look at the files is valid, in milliseconds. */
const fresh = 1_000;

interface Hints {
  readonly clock: () => number;
  readonly wake: () => void;
}

/**
 * The rules that a controller obeys: protocol, settings and descriptions of roles as they were at
 * its start, or as a person has confirmed them since. What else lies on disk is only reported.
 */
export class ObeyedRules {
  readonly #disk: Disk;
  readonly #followed: Confirmable;
  /** The descriptions of the roles. */
  readonly texts: ConfirmedRoleTexts;
  readonly #clock: () => number;
  readonly #wake: () => void;
  /** Who changed what in the meantime, for the person at the start; null: nothing. */
  readonly note: string | null;
  #lookedAt = -Infinity;
  /** The difference that `#notices` describe. */
  #difference = '';
  #notices: readonly string[] = [];
  #asking: Promise<void> = Promise.resolve();

  /**
   * `texts`: what a run read when a person started it, which may be long ago; null: those of now
   * are confirmed. `clock`: milliseconds; `wake`: called when there are new notices.
   */
  static async open(
    disk: Disk,
    { protocol, fingerprint }: Pick<Wired, 'protocol' | 'fingerprint'>,
    { texts, ...hints }: Hints & { readonly texts: ConfirmedRoleTexts | null },
  ): Promise<ObeyedRules> {
    const followed = rulesWith(disk, fingerprint);
    if (texts !== null) return new ObeyedRules(disk, { followed, texts, note: null, ...hints });
    const found = new ConfirmedRoleTexts(disk, protocol.roles.keys());
    const note = await confirmAtStart(disk, [followed, ...found.used]);
    return new ObeyedRules(disk, { followed, texts: found, note, ...hints });
  }

  private constructor(
    disk: Disk,
    parts: Hints & {
      readonly followed: Confirmable;
      readonly texts: ConfirmedRoleTexts;
      readonly note: string | null;
    },
  ) {
    this.#disk = disk;
    this.#followed = parts.followed;
    this.texts = parts.texts;
    this.note = parts.note;
    this.#clock = parts.clock;
    this.#wake = parts.wake;
  }

  /**
   * What differs on disk, with who changed it. Looks at most once a second, and asks git once for
   * each change: its answer wakes the host.
   */
  notices(): readonly string[] {
    if (this.#clock() - this.#lookedAt >= fresh) this.#look();
    return this.#notices;
  }

  /** Looks at once, and resolves when `notices` has what it found. */
  async settled(): Promise<void> {
    this.#look();
    await this.#asking;
  }

  #look(): void {
    this.#lookedAt = this.#clock();
    const unused = orElse(() => this.#unused(), null);
    if (unused === null) return;
    const difference = unused.map(({ key, fingerprint }) => `${key} ${fingerprint}`).join('\n');
    if (difference === this.#difference) return;
    this.#difference = difference;
    if (unused.length === 0) this.#notices = [];
    else this.#asking = this.#ask(difference, unusedNotices(this.#disk, unused));
  }

  #unused(): Unconfirmed[] {
    const { key, path, fingerprint } = { key: rulesKey, ...this.#followed };
    const [before, now] = [fingerprint(), orElse(() => rulesOf(this.#disk).fingerprint(), fingerprint())];
    const files = before === now ? [] : differingFiles(before, now);
    const rules = before === now ? [] : [{ key, path, files, fingerprint: now }];
    return [...rules, ...this.texts.unused()];
  }

  async #ask(difference: string, asked: Promise<readonly string[]>): Promise<void> {
    const notices = await asked;
    if (difference !== this.#difference) return;
    this.#notices = notices;
    this.#wake();
  }
}
