import type { Workflow } from '../../src/workflow/model.ts';
import { parseWorkflow } from '../../src/languages/parse.ts';
import { type LanguageContext } from '../../src/languages/shared/context.ts';
import { nowhere } from '../support/nowhere.ts';

const texts: Readonly<Record<string, string>> = {
  'agents/plain/role.md': 'You are plain.\n',
  'agents/said/role.md': '---\nprovider: codex\nmodel: o9\ncapabilities: [EDIT]\n---\nYou are said.\n',
  '.claude/agents/theirs.md':
    '---\nname: theirs\ntools: Read, Edit, Bash(npm test:*)\nmodel: inherit\n---\nTheirs.\n',
};

/** A project with these files besides agents of some kinds. */
export function withFiles(
  more: Readonly<Record<string, string>> = {},
  rest: Partial<LanguageContext> = {},
): LanguageContext {
  const all = { ...texts, ...more };
  return {
    ...nowhere,
    ...rest,
    files: {
      read: (path) => all[path] ?? null,
      list: (folder) =>
        Object.keys(all).flatMap((path) =>
          path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : [],
        ),
      tracked: ['a.ts', 'b.ts'],
    },
  };
}

/** The workflow that a text is; throws what is wrong with it. */
export function read(text: string, context = withFiles()): Workflow {
  const result = parseWorkflow(text, 'w.yaml', context);
  if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join('\n'));
  return result.value;
}

/** What every workflow has. */
export const head = 'workflow: { id: w, name: W, version: 1.0.0 }\n';
