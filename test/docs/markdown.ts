import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Answers what a link may lead to; paths are relative to the repository. */
export interface Place {
  exists(path: string): boolean;
  read(path: string): string;
}

export const checkout: Place = {
  exists: (path) => existsSync(join(repository, path)),
  read: (path) => readFileSync(join(repository, path), 'utf8'),
};

/** Relative links of a page that lead nowhere, as `path:line target`. */
export function findDeadLinks(path: string, place: Place): string[] {
  return linksOf(place.read(path))
    .filter(({ target }) => !/^([a-z][a-z+.-]*:|\/\/)/i.test(target))
    .filter(({ target }) => !leadsSomewhere(path, target, place))
    .map(({ target, line }) => `${path}:${line} ${target}`);
}

/** The pages that one comes to from a page by links, itself among them. */
export function reachablePages(start: string, place: Place): ReadonlySet<string> {
  const found = new Set([start]);
  for (const page of found)
    for (const { target } of linksOf(place.read(page))) {
      const [file = ''] = target.split('#');
      const destination = join(dirname(page), file);
      if (file.endsWith('.md') && !/^[a-z][a-z+.-]*:/i.test(file) && place.exists(destination))
        found.add(destination);
    }
  return found;
}

function leadsSomewhere(path: string, target: string, place: Place): boolean {
  const [file = '', anchor] = target.split('#');
  const destination = file === '' ? path : join(dirname(path), decodeURIComponent(file));
  if (destination.startsWith('..') || !place.exists(destination)) return false;
  if (anchor === undefined || !destination.endsWith('.md')) return true;
  return anchorsOf(place.read(destination)).has(anchor.toLowerCase());
}

function linksOf(text: string): { target: string; line: number }[] {
  const link = /\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\s*\[[^\]]+\]:\s+<?(\S+?)>?(?:\s|$)/g;
  return proseLines(text).flatMap((content, index) =>
    [...content.replace(/`[^`]*`/g, '').matchAll(link)].map((found) => ({
      target: found[1] ?? found[2] ?? '',
      line: index + 1,
    })),
  );
}

/** The names under which GitHub makes the headings of a page reachable. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const content of proseLines(text)) {
    const heading = /^#{1,6}\s+(.+?)\s*#*$/.exec(content)?.[1];
    if (heading === undefined) continue;
    const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = words.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
    let name = slug;
    for (let count = 1; anchors.has(name); count += 1) name = `${slug}-${count}`;
    anchors.add(name);
  }
  return anchors;
}

/** The page's lines with those inside code fences emptied, so that numbers of lines stay true. */
function proseLines(text: string): string[] {
  let fence: string | undefined;
  return text.split('\n').map((content) => {
    const mark = /^\s*(```+|~~~+)/.exec(content)?.[1];
    if (mark === undefined) return fence === undefined ? content : '';
    if (fence === undefined) fence = mark;
    else if (mark.startsWith(fence)) fence = undefined;
    return '';
  });
}
