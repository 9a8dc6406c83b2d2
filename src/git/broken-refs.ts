import { oneLine } from '../kernel/one-line.ts';
import { git } from './git.ts';

/** The refs of a repository. */
interface FoundRefs {
  /** Those that lead to an object, each as `<object> <ref>`. */
  readonly whole: readonly string[];
  /** Why git cannot use the others, with the command that removes each. */
  readonly broken: readonly string[];
}

/**
 * The refs of the repository that a folder lies in, as they are: what git says of all of them at
 * once fails with one that an agent, or a crash, has broken. None outside git.
 */
export async function refsIn(folder: string): Promise<FoundRefs> {
  const listed = await git(['for-each-ref', '--format=%(objectname) %(refname)'], { cwd: folder });
  const lines = listed.stdout.split('\n').filter((line) => line !== '');
  const objects = lines.map((line) => `${line.slice(0, line.indexOf(' '))}\n`).join('');
  const asked = ['cat-file', '--batch-check=%(objectname)'];
  const looked = lines.length === 0 ? '' : (await git(asked, { cwd: folder, stdin: objects })).stdout;
  const found = looked.split('\n');
  const lacks = (_: string, at: number) => found[at]?.endsWith(' missing') === true;
  const unread = [...listed.stderr.matchAll(/^warning: ignoring broken ref (.+)$/gm)].map(([, ref]) => ref!);
  const folderOf = async (ref: string) => {
    const path = await git(['rev-parse', '--git-path', ref], { cwd: folder });
    return path.stdout.replace(/\n$/, '');
  };
  return {
    whole: lines.filter((line, at) => !lacks(line, at)),
    broken: [
      ...(await Promise.all(
        unread.map(async (ref) => said(ref, 'holds no commit', ['rm', await folderOf(ref)])),
      )),
      ...lines.filter(lacks).map((line) => {
        const ref = line.slice(line.indexOf(' ') + 1);
        return said(ref, 'is at an object that is missing', ['git', 'update-ref', '-d', ref]);
      }),
    ],
  };
}

function said(ref: string, what: string, command: readonly string[]): string {
  const words = command.map((word) =>
    /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`,
  );
  return oneLine(
    `git cannot use ${ref}, which ${what}: \`git log --all\` and \`git gc\` fail until \`${words.join(' ')}\``,
  );
}
