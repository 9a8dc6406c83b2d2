import { endOfId } from '../../kernel/ids.ts';
import type { Item } from './contract.ts';

/** How much of a message a channel shows; the rest stays in the inbox. */
const longest = 30_000;

/** An item as Markdown, with what answers it. */
export function textOf(item: Item): string {
  return [
    `**${item.subject}**`,
    `${item.type} from ${item.from}${item.to.length === 0 ? '' : ` to ${item.to.join(', ')}`}`,
    ...(item.body.trim() === '' ? [] : [shortened(item.body.trim(), item.command)]),
    ...(item.kind === 'notice' ? [] : ['---', howToAnswer(item)]),
  ].join('\n\n');
}

function shortened(text: string, command: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest)} […]\n\nThe whole text: \`${command}\``;
}

function howToAnswer(item: Item): string {
  const deadline =
    item.deadline === null
      ? []
      : [`Without an answer until ${item.deadline}: ${item.onTimeout ?? 'nothing happens'}.`];
  const isApproval = item.kind === 'approval';
  // Services cut long texts, and keep their ends.
  const whole = isApproval && item.body !== '' ? [`All of it is shown by \`${item.command}\`.`] : [];
  return [...(isApproval ? howToApprove(item) : howToReply(item)), ...deadline, ...whole].join('\n\n');
}

function howToApprove({ key, replyTypes, fields }: Item): string[] {
  const choices = replyTypes.map((choice) => `\`/${choice} ${shortKey(key)}\``).join(' or ');
  return [`Answer with ${choices} in the first line.`, ...fieldLines({ fields })];
}

function howToReply({ key, replyTypes, fields }: Item): string[] {
  const only = replyTypes.length === 1;
  const types = replyTypes.map((type) => `\`/${type} ${shortKey(key)}\``).join(' or ');
  const how = only
    ? `Answer with a reply. Where several questions wait, begin it with ${types}.`
    : `Answer with a reply whose first line is ${types}.`;
  return [how, ...fieldLines({ fields })];
}

function fieldLines({ fields }: Pick<Item, 'fields'>): string[] {
  const lines = Object.entries(fields).map(([name, field]) => {
    const values = field.enum?.map((value) => JSON.stringify(value)).join(' | ') ?? field.type;
    return `- \`${name}: …\` (${values}${field.required ? ', required' : ''})`;
  });
  return lines.length === 0 ? [] : [`Lines at its beginning set fields:\n\n${lines.join('\n')}`];
}

/** A key as people write it: the end of an id, with the gate of a run. */
export function shortKey(key: string): string {
  const [id = '', ...gate] = key.split('/');
  return [endOfId(id), ...gate].join('/');
}
