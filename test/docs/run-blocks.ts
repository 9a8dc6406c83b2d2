import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { blocks, type Block } from './blocks.ts';

const named = 'docs/named-commands';
const read = 'docs/examples';

/**
 * What holds blocks true: of each the first row whose page, and whose "info: text", fit. Either the name of a test
 * that runs, reads or compares them, below test/, or in several words why there is none.
 */
const rows: readonly (readonly [page: RegExp, block: RegExp, by: string])[] = [
  [/^README/, /^sh:/, 'scenario/readme'],
  [/^README/, /^text: npm/, 'needs the published package'],
  [/^README/, /^text: {2}/, 'a picture'],
  [/\/tutorial/, /^(sh|yaml):/, 'scenario/tutorial'],
  [/\/tutorial/, /^text: echo/, 'a shorter form of a command that is run'],
  [/\/tutorial/, /^text:/, 'an output'],
  [/\/workflows\.md/, /^sh:/, 'scenario/workflow-guide'],
  [/\/workflows\.md/, /^yaml: when/, 'one key; the guide runs a workflow with it'],
  [/\/parallel-work/, /^sh:/, 'scenario/parallel-work'],
  [/\/from\.md/, /^yaml:/, 'scenario/from-other-programs'],
  [/\/notifications/, /./, 'docs/recipes'],
  [/\/channels\.md/, /^yaml:[^]*kind: command/, 'docs/recipe-channels'],
  [/\/channels\.md/, /^json:/, read],
  [/\/channels\.md/, /^text:/, 'a person writes it'],
  [/\/automation/, /: # workflows\/issue\.yaml/, 'scenario/recipe-automation'],
  [/\/automation/, /: (\/\/ tools|[^]*lawyer)/, 'scenario/remote-agent'],
  [/\/service/, /^ini:/, 'scenario/recipe-automation'],
  [/\/service/, /^yaml: groups/, 'extensions/metrics/metrics'],
  [/\/service/, /^sh: systemctl/, 'needs systemd as the first process'],
  [
    /\/service/,
    /^(dockerfile|text: docker)/,
    'needs a registry and a daemon; scenario/container has what runs in it',
  ],
  [/\/workers/, /^ini:/, 'scenario/recipe-automation'],
  [/\/workers/, /builder-1\.key/, 'extensions/workers/settings'],
  [/\/http-api/, /^http:/, 'docs/http-api'],
  [/\/http-api/, /^json:/, 'a key is random'],
  [/\/mcp/, /./, 'docs/mcp'],
  [/\/editors/, /^(json|toml):/, 'docs/editors'],
  [/\/editors/, /^(lua|elisp):/, 'needs the editor'],
  [/\/codex/, /^yaml:/, 'real-clis/retries'],
  [/\/providers/, /^sh:/, 'docs/providers'],
  [/\/commands\/compare/, /^json:/, 'scenario/compare'],
  [/\/commands\/undo/, /^json:/, 'scenario/landing'],
  [/\/commands/, /^json \w/, 'cli/docs'],
  [/\/swdl/, /^yaml: (overrides|\$schema)/, 'docs/swdl-reference'],
  [/\/architecture/, /^mermaid:/, 'architecture/rooms'],
  [/\/contributing/, /^sh:/, 'takes minutes to hours'],
  [/\/contributing/, /^text:/, 'a picture'],
  [/\/protocol/, /^text: #/, 'a line that `init` writes'],
  [/./, /^mermaid:/, 'a picture'],
  [/./, /^(yaml|text: (---|type:))/, read],
  [/\/orchestrate/, /^sh:/, 'scenario/orchestrate has its commands'],
  [/./, /^(sh|bash|text|yml): [^]*\bmailroom [a-z-]/, named],
  [/\/workers/, /^bash: export/, 'an address and a key of your own'],
  [/./, /^(sh|bash): (echo|git) /, 'the system’s own command'],
  [/./, /^(text)?: /, 'an output'],
];

/** Where the test of a name lies; null: there is none. */
function testFile(by: string): string | null {
  const files = ['.test.ts', '.long.test.ts'].map((end) => `test/${by}${end}`);
  return files.find((file) => existsSync(fromRoot(file))) ?? null;
}

const fromRoot = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Whether a test reads a page: it names it, its folder and a variable, or all pages. */
function isRead(file: string, page: string): boolean {
  const text = readFileSync(fromRoot(file), 'utf8');
  const [, folder] = /(\w+)\/[^/]+$/.exec(page) ?? [];
  const names = [page, page.replace('docs/', ''), `${folder ?? ''}/\${`, "from './blocks.ts'"];
  return names.some((name) => text.includes(name));
}

export interface Held {
  readonly block: Block;
  /** The file of the test, or why there is none; null: neither. */
  readonly by: string | null;
}

function rowOf({ page, info, text }: Block) {
  return rows.find(([pages, shapes]) => pages.test(page) && shapes.test(`${info}: ${text}`));
}

function heldBy(block: Block): Held {
  const by = rowOf(block)?.[2] ?? 'none';
  if (by.includes(' ')) return { block, by: `not run: ${by}` };
  const file = testFile(by);
  return { block, by: file !== null && isRead(file, block.page) ? file : null };
}

export const held: readonly Held[] = blocks.map(heldBy);

/** Rows that are of no block. */
export function unusedRows(): string[] {
  const used = new Set(blocks.map(rowOf));
  return rows.filter((row) => !used.has(row)).map(String);
}
