import type { Asked, Answer } from '../test/real-clis/support/model.ts';
import type { Cli, Tool } from '../test/real-clis/support/clis.ts';

/** The tools of the program that plays, and where a file of the repository is. */
export type Tools = Pick<Cli, 'read' | 'write' | 'shell'> & { readonly at: (path: string) => string };

const source = (cut: string, parameter: string): string =>
  `// Makes a slug of a title.
export function slug(${parameter}) {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')${cut};
}
`;
const begun = source('', 'title, { maxLength = Infinity } = {}');
const flawed = source('\n    .slice(0, maxLength)', 'title, { maxLength = Infinity } = {}');
const fixed = source(
  "\n    .slice(0, maxLength)\n    .replace(/-+$/, '')",
  'title, { maxLength = Infinity } = {}',
);
const test = (name: string, call: string, expected: string): string =>
  `import { test } from 'node:test';
import assert from 'node:assert';
import { slug } from '../src/slug.js';

test('${name}', () => assert.equal(slug(${call}), '${expected}'));
`;

/** The repository that the task is about. */
export const files: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "slugs", "type": "module", "scripts": { "test": "node --test" } }\n',
  'src/slug.js': source('', 'title'),
  'test/slug.test.js': test('makes a slug', "'Hello, World!'", 'hello-world'),
  'README.md': '# slugs\n\nA small library. Rule of the house: no dependencies.\n',
  '.gitignore': '.mailroom/\nagents/*/inbox/\n',
};

const text =
  'slug() in src/slug.js needs an option maxLength: the slug is cut to at most that many characters. Without the option nothing changes. It must be tested.';
export const task = {
  text,
  alone: `${text}\n\nDesign it, build it, review your own work as a strict reviewer would, mend what you find, and say at the end what now works.\n`,
};

const says = {
  design:
    'Change slug(title) in src/slug.js to slug(title, { maxLength = Infinity } = {}) and cut the result to maxLength characters. No dependency. Test: "Hello, World!" with 5 gives "hello"; the default gives "hello-world".',
  built:
    'BUILT-1. Done as designed: src/slug.js takes { maxLength }, test/max.test.js tests the cut and the default. npm test: 2 pass.',
  faults:
    'REVIEW-1. slug("Hello, World!", { maxLength: 6 }) gives "hello-"; it should be "hello": a slug never ends with a dash. npm test passes, no test covers this.',
  mended: 'BUILT-2. The dash at the end is removed after the cut. npm test: 2 pass.',
  delivered:
    'DELIVERED. slug(title, { maxLength }) cuts to that many characters and never ends with a dash. Ran npm test (2 pass) and tried 0, 5, 6 and 100.',
};

/** What one turn does: uses of tools, one request each, and what it says in the end. */
interface Work {
  readonly steps: readonly (readonly Tool[])[];
  readonly end: string;
}

function work({ prompt, conversation }: Asked, { at, read, write, shell }: Tools): Work | null {
  const look = read(at('src/slug.js'));
  const tests = shell('npm test');
  const build = [
    [write(at('src/slug.js'), begun)],
    [write(at('src/slug.js'), flawed)],
    [write(at('test/max.test.js'), test('cuts', "'Hello, World!', { maxLength: 5 }", 'hello'))],
    [tests],
  ];
  const mend = [[write(at('src/slug.js'), fixed)], [tests]];
  const design = [[look, read(at('README.md'))]];
  if (prompt.includes(task.alone.trim()))
    return { steps: [...design, ...build, ...mend], end: says.delivered };
  const head = (lines: string, body: string) => `${lines}\n\n${body}`;
  switch (/You are \*\*(\w+)\*\*/.exec(prompt)?.[1]) {
    case 'architect':
      return { steps: design, end: head('type: design\nsubject: maxLength for slug()', says.design) };
    case 'engineer':
      return prompt.includes('REVIEW-1')
        ? {
            steps: conversation.includes('BUILT-1') ? mend : [[look], ...mend],
            end: head('type: review-request\nsubject: Second review', says.mended),
          }
        : {
            steps: [[look], ...build],
            end: head('type: review-request\nsubject: Review of maxLength', says.built),
          };
    case 'qa':
      return {
        steps: [[look], [tests]],
        end: prompt.includes('BUILT-2')
          ? head('type: delivered\nsubject: slug() knows maxLength', says.delivered)
          : head('type: review-feedback\nfields: { verdict: changes_requested }', says.faults),
      };
    default:
      return null;
  }
}

/** What the model says to a request: the next step of the turn, or its end. */
export function answer(asked: Asked, tools: Tools): Answer {
  const turn = work(asked, tools);
  if (turn === null) return { say: 'A title' };
  let done = 0;
  for (const step of turn.steps) {
    if (done === asked.results.length) return { say: 'Next.', tools: step };
    done += step.length;
  }
  return { say: turn.end };
}
