/** A group of the sidebar. */
export interface Group {
  readonly text: string;
  readonly items: { readonly text: string; readonly link: string }[];
}

/**
 * The sidebar: the table "Where next" of README.md, whose bold rows are headings. So there is one list
 * of the pages.
 */
export function contents(readme: string): Group[] {
  const section = readme.split(/^## /m).find((part) => part.startsWith('Where next\n')) ?? '';
  const groups: Group[] = [];
  for (const [, first = ''] of section.matchAll(/^\| (.+?) +\|/gm)) {
    const heading = /^\*\*(.+)\*\*$/.exec(first)?.[1];
    const [, text, link] = /^\[(.+)\]\((.+)\.md\)$/.exec(first) ?? [];
    if (heading !== undefined) groups.push({ text: heading, items: [] });
    else if (text !== undefined) groups.at(-1)?.items.push({ text, link: `/${link}` });
  }
  return groups;
}
