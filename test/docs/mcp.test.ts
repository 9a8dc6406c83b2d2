import { readFileSync } from 'node:fs';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { rowsOnPage } from './workflow-tables.ts';

const page = readFileSync(new URL('../../docs/mcp.md', import.meta.url), 'utf8');
const code = readFileSync(new URL('../../src/server/mcp/project.ts', import.meta.url), 'utf8');

interface Entry {
  readonly command: string | readonly string[];
  readonly args?: readonly string[];
}

/** The command line that a client's configuration starts. */
function commandIn(kind: string, text: string): readonly string[] {
  let found: Entry = { command: [] };
  const read: unknown = kind === 'toml' ? parseToml(text) : JSON.parse(text);
  JSON.parse(JSON.stringify(read), (key: string, value: unknown) => {
    if (key === 'mailroom') found = value as Entry;
    return value;
  });
  return [...[found.command].flat(), ...(found.args ?? [])];
}

describe('docs/mcp.md', () => {
  it('configures six clients', () => {
    const blocks = [...page.matchAll(/^```(json|toml)\n(?:\/\/|#) (\S+)\n([^]+?)^```$/gm)];
    const shown = blocks.map(([, kind = '', file = '', text = '']) => [
      file,
      commandIn(kind, text).join(' '),
    ]);
    const inFolder = 'mailroom -C /home/ada/shop mcp';
    expect(shown).toEqual([
      ['.mcp.json', 'mailroom mcp'],
      ['~/.codex/config.toml', inFolder],
      ['.gemini/settings.json', inFolder],
      ['.vscode/mcp.json', 'mailroom -C ${workspaceFolder} mcp'],
      ['.cursor/mcp.json', inFolder],
      ['opencode.json', inFolder],
    ]);
  });

  it('has every tool, and no other', () => {
    const served = [...code.matchAll(/registerTool\(\n\s+'(\w+)'/g)].map(([, name = '']) => `\`${name}\``);
    expect(served.length).toBeGreaterThan(5);
    expect(
      rowsOnPage(page, 'Tools')
        .map(([name = '']) => name)
        .toSorted(),
    ).toEqual(served.toSorted());
  });
});
