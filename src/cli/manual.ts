import { RealDisk } from '../disk/real-disk.ts';
import { MailroomError } from '../kernel/errors.ts';
import { didYouMean } from '../kernel/nearest.ts';

/** A page of the documentation: its path in docs/ without `.md`, such as `commands/send`. */
interface Page {
  readonly name: string;
  readonly text: string;
}

/** A part of a page: from its heading to the next one of its level. */
interface Section {
  readonly page: string;
  readonly heading: string;
  readonly text: string;
  /** Where its first part ends, at the next heading. */
  readonly own: string;
}

const pageBytes = 4 * 1024 * 1024;
/** At most so many parts of pages are named for a word. */
const mostSections = 3;

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
    const folders = entries.filter(
      (name) => name !== 'contributing' && this.#disk.look(`docs${folder}/${name}`)?.kind === 'folder',
    );
    return [...pages, ...folders.flatMap((name) => this.names(`${folder}/${name}`))];
  }

  /**
   * The page that a word names: by its path in docs/ or by the last part of it, with or without
   * `.md`. Throws `E_TARGET` for none and for several.
   */
  page(word: string, others: readonly string[] = []): Page {
    const [name, another] = this.#named(word);
    if (another !== undefined)
      throw new MailroomError(
        'E_TARGET',
        `\`${word}\` may be ${name ?? ''} or ${another}`,
        'give the whole path',
      );
    if (name !== undefined) return { name, text: this.#text(name) };
    const pages = this.names().map((each) => each.split('/').at(-1) ?? '');
    const known = [...others, ...pages, ...this.#sections().map(({ heading }) => heading.toLowerCase())];
    const near =
      didYouMean(word, known) ?? '`mailroom help topics` lists the pages, `mailroom --help` the commands';
    throw new MailroomError('E_TARGET', `there is neither a command nor a page \`${word}\``, near);
  }

  #named(word: string): string[] {
    const names = this.names();
    const wanted = word
      .toLowerCase()
      .replace(/^(?:\.?\/)?docs\//, '')
      .replace(/\.md$/, '');
    const whole = names.filter((each) => each.toLowerCase() === wanted);
    return whole.length > 0 ? whole : names.filter((each) => each.endsWith(`/${wanted}`));
  }

  /**
   * The page that a word names, else the part of one that explains it, and where others are. Throws
   * as `page`.
   */
  about(word: string, others: readonly string[]): string {
    const found = this.#named(word).length > 0 ? [] : this.#explaining(word);
    const [best] = found;
    if (best === undefined) return this.page(word, others).text;
    const places = found.map(({ page, heading }) => `\`mailroom help ${page}\` (${heading})`);
    return `${best.text.trimEnd()}\n\nMore: ${places.join(', ')}\n`;
  }

  /**
   * The parts of pages with a word in their headings, those of folders last; else those that have
   * it most often.
   */
  #explaining(word: string): Section[] {
    if (!/\w\w/.test(word)) return [];
    const stem = word.toLowerCase().replace(/s$/, '').replaceAll(/\W/g, '\\$&');
    const whole = new RegExp(`^${stem}s?$`);
    const anywhere = new RegExp(`(?<!\\w)${stem}s?(?!\\w)`, 'g');
    const rank = ({ page, heading, own }: Section): number => {
      const title = heading.toLowerCase();
      if (title.search(anywhere) === -1) return own.toLowerCase().match(anywhere)?.length ?? 0;
      return (/^(?!commands\/).*\//.test(page) ? 1e4 : 3e4) + (whole.test(title) ? 1e4 : 0);
    };
    const ranked = this.#sections().map((section) => ({ section, at: rank(section) }));
    const found = ranked.filter(({ at }) => at > 0).toSorted((a, b) => b.at - a.at);
    const isHeaded = (found[0]?.at ?? 0) >= 1e4;
    const best = found.filter(({ at }) => !isHeaded || at >= 1e4);
    return best.slice(0, mostSections).map(({ section }) => section);
  }

  #sections(): Section[] {
    return this.names().flatMap((page) => sectionsOf(page, this.#text(page)));
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

/** Headings inside of blocks are comments of examples. */
function sectionsOf(page: string, text: string): Section[] {
  const masked = text.replaceAll(/^ *```[^]*?^ *```/gm, (block) => block.replaceAll('#', '.'));
  const headings = [...masked.matchAll(/^(#+) (.*)$/gm)];
  return headings.map(({ index, 1: marks = '', 2: title = '' }, at) => {
    const after = headings.slice(at + 1);
    const end = after.find(({ 1: next = '' }) => next.length <= marks.length)?.index;
    const own = text.slice(index, after[0]?.index);
    return { page, heading: title.replaceAll('`', ''), text: text.slice(index, end), own };
  });
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
