import { RealDisk } from '../disk/real-disk.ts';
import { MailroomError } from '../kernel/errors.ts';
import { didYouMean } from '../kernel/nearest.ts';
import { ownValue } from '../kernel/own.ts';
import { habits } from './usage.ts';

/** A page of the documentation: its path in docs/ without `.md`, such as `commands/send`. */
interface Page {
  readonly name: string;
  readonly text: string;
}

const pageBytes = 4 * 1024 * 1024;

/** The documentation that is in the package. */
export class Manual {
  readonly #disk: RealDisk;

  constructor(packageRoot: string) {
    this.#disk = new RealDisk(packageRoot, null);
  }

  /** The names of all pages, those of folders last. */
  names(folder = ''): string[] {
    const entries = (this.#disk.list(`docs${folder}`) ?? []).toSorted();
    const pages = entries.flatMap((name) => (name.endsWith('.md') ? [`${folder}/${name}`.slice(1, -3)] : []));
    const folders = entries.filter((name) => this.#disk.look(`docs${folder}/${name}`)?.kind === 'folder');
    return [...pages, ...folders.flatMap((name) => this.names(`${folder}/${name}`))];
  }

  /**
   * The page that a word names: by its path in docs/ or by the last part of it, with or without
   * `.md`. Throws `E_TARGET` for none and for several.
   */
  page(word: string, others: readonly string[] = []): Page {
    const names = this.names();
    const wanted = word
      .toLowerCase()
      .replace(/^(?:\.?\/)?docs\//, '')
      .replace(/\.md$/, '');
    const whole = names.filter((each) => each.toLowerCase() === wanted);
    const [name, another] = whole.length > 0 ? whole : names.filter((each) => each.endsWith(`/${wanted}`));
    if (another !== undefined)
      throw new MailroomError(
        'E_TARGET',
        `\`${word}\` may be ${name ?? ''} or ${another}`,
        'give the whole path',
      );
    if (name !== undefined) return { name, text: this.#text(name) };
    const known = [...others, ...names.map((each) => each.split('/').at(-1) ?? '')];
    const near =
      ownValue(habits, word) ??
      didYouMean(word, known) ??
      '`mailroom help topics` lists the pages, `mailroom --help` the commands';
    throw new MailroomError('E_TARGET', `there is neither a command nor a page \`${word}\``, near);
  }

  /** What follows `#` on the first line of a page. */
  title(name: string): string {
    return /^# (.*)$/m.exec(this.#text(name))?.[1] ?? name;
  }

  /** Notes of the authors in a page are not for its readers. */
  #text(name: string): string {
    const text = this.#disk.read(`docs/${name}.md`, pageBytes)?.toString('utf8') ?? '';
    return text.replaceAll(/^<!--[^]*?-->\n+/gm, '');
  }
}

/** What the documentation says of a code: of an error, or of `why`. */
export interface Explanation {
  readonly code: string;
  readonly meaning: string;
  readonly remedy: string;
  /** The page with its table. */
  readonly page: string;
}

/** Every explained code, from the tables whose rows are a code, what it means and what to do. */
export function explanations({ name, text }: Page): Explanation[] {
  const rows = text.matchAll(/^\| `([A-Za-z_]+)` +\|(.*?[^\\])\|(.*?[^\\])\|$/gm);
  return [...rows].map(([, code = '', meaning = '', remedy = '']) => ({
    code,
    meaning: plain(meaning),
    remedy: plain(remedy),
    page: name,
  }));
}

/** A cell of a table without what only Markdown needs; a link becomes the page to read. */
function plain(cell: string): string {
  return cell
    .trim()
    .replaceAll(/\[([^\]]*)\]\((?:[^)]*\/)?([\w-]+)\.md[^)]*\)/g, '$1 (`mailroom help $2`)')
    .replaceAll('\\|', '|');
}
