/** A group of the sidebar. */
export interface Group {
  readonly text: string;
  readonly items: { readonly text: string; readonly link: string }[];
}

/**
 * The sidebar: the table of docs/README.md, whose bold rows are headings. So there is one list of the
 * pages.
 */
export function contents(index: string): Group[] {
  const groups: Group[] = [];
  for (const [, first = ''] of index.matchAll(/^\| (.+?) +\|/gm)) {
    const heading = /^\*\*(.+)\*\*$/.exec(first)?.[1];
    const [, text, link] = /^\[(.+)\]\((.+)\.md\)$/.exec(first) ?? [];
    if (heading !== undefined) groups.push({ text: heading, items: [] });
    else if (text !== undefined) groups.at(-1)?.items.push({ text, link: `/docs/${link}` });
  }
  return groups;
}
