import * as z from 'zod';
import type { Incoming } from '../../channels/machine/contract.ts';
import type { GithubApi } from './api.ts';

const user = z.object({ login: z.string() }).nullable();
const pull = z.object({ number: z.int(), title: z.string(), head: z.object({ label: z.string() }) });
const review = z.object({ id: z.int(), state: z.string(), body: z.string(), user });
const remark = z.object({
  path: z.string(),
  body: z.string(),
  diff_hunk: z.string(),
  line: z.int().nullish(),
});

type Review = z.output<typeof review>;

const branchPrefix = 'mailroom/issue-';

/** The branch of the work of a conversation. */
export function branchOf(conversation: string): string {
  return `${branchPrefix}${conversation}`;
}

/**
 * New reviews of open pull requests of this channel. Each is a task in the conversation of the
 * work, with all its remarks.
 */
export async function newReviews(
  api: GithubApi,
  repository: string,
  isKnown: (id: string) => boolean,
): Promise<Incoming[]> {
  const [owner = ''] = repository.split('/');
  const own = `${owner}:${branchPrefix}`;
  const pulls = await api.list(`/repos/${repository}/pulls`, { state: 'open' }, pull);
  const incoming: Incoming[] = [];
  for (const { number, title, head } of pulls) {
    // Others can give a branch of a fork such a name, but not the label of this repository.
    if (!head.label.startsWith(own)) continue;
    const path = `/repos/${repository}/pulls/${String(number)}/reviews`;
    for (const each of await api.list(path, {}, review)) {
      const id = `review-${String(each.id)}`;
      if (isKnown(id) || !['COMMENTED', 'CHANGES_REQUESTED'].includes(each.state)) continue;
      const remarks = await api.list(`${path}/${String(each.id)}/comments`, {}, remark);
      const text = textOf(each, remarks);
      const author = each.user?.login ?? 'ghost';
      const by = { author, writer: author, forged: null, answers: null };
      const subject = `Review of #${String(number)}: ${title}`;
      const conversation = head.label.slice(own.length);
      if (text !== '') incoming.push({ id, kind: 'task', conversation, ...by, subject, text });
    }
  }
  return incoming;
}

function textOf({ body }: Review, remarks: readonly z.output<typeof remark>[]): string {
  const parts = remarks.map(({ path, line, diff_hunk: hunk, body: words }) => {
    const place = line === null || line === undefined ? path : `${path}:${String(line)}`;
    return `\`${place}\`\n\n> ${hunk.split('\n').at(-1) ?? ''}\n\n${words}`;
  });
  return [body, ...parts].filter((part) => part.trim() !== '').join('\n\n');
}
