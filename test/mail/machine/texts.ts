import { defaultConfig, type Config, type ProviderConfig } from '../../../src/config/config.ts';
import type { AskedCall } from '../../../src/kernel/asked-call.ts';
import type { MailEvent, Sent, Staged } from '../../../src/mail/machine/event.ts';
import type { Draft } from '../../../src/mail/format/message.ts';
import type { Protocol } from '../../../src/mail/format/protocol.ts';
import type { MailState } from '../../../src/mail/machine/state.ts';
import { parseProtocol } from '../../../src/mail/protocol/read.ts';

const agent: ProviderConfig = {
  name: 'agent',
  kind: 'command',
  command: ['agent'],
  arguments: [],
  env: [],
  writable: [],
  tests: null,
  prices: null,
};

const config: Config = {
  ...defaultConfig,
  providers: new Map([
    ['agent', agent],
    ['other', { ...agent, name: 'other' }],
  ]),
  defaults: { ...defaultConfig.defaults, provider: 'agent' },
  concurrency: 100,
  workers: { queue: null, git: null, lease: 10_000 },
};

/** A protocol as its author writes it. Roles need say nothing: their provider is `agent`. */
export function protocolOf(text: string): Protocol {
  const known = protocols.get(text);
  if (known) return known;
  const protocol = parsed(text);
  protocols.set(text, protocol);
  return protocol;
}

const protocols = new Map<string, Protocol>();

function parsed(text: string): Protocol {
  const read = parseProtocol([{ file: 'protocol.yaml', text }], config);
  if (read.ok) return read.value;
  throw new Error(read.problems.map(({ message, place }) => `${String(place?.line)}: ${message}`).join('\n'));
}

/** A command that an agent asks a person to allow. */
export function askedCommand(command: string): AskedCall {
  return { key: command, title: command, kind: 'execute', command, paths: [], input: null };
}

const grammar = /^(?:(?<from>[\w-]+) )?→ ?(?<to>[\w-]+(?:, [\w-]+)*)?: (?<type>[\w-]+)(?<rest>.*)$/;

export interface Written {
  readonly from: string | null;
  readonly draft: Draft;
}

/**
 * A message in one line: `qa → engineer, user: answer re question in task | The subject`. Everything but the type may be
 * left out.
 */
export function written(line: string): Written {
  const [head = '', subject] = line.split(' | ');
  const found = grammar.exec(head)?.groups;
  if (!found) throw new Error(`this is not a message: ${line}`);
  const { from, to, type = '', rest = '' } = found;
  const [, inReplyTo] = / re ([\w-]+)/.exec(rest) ?? [];
  const [, thread] = / in ([\w-]+)/.exec(rest) ?? [];
  const draft: Draft = {
    type,
    from: null,
    to: to?.split(', ') ?? null,
    thread: thread ?? null,
    inReplyTo: inReplyTo ?? null,
    subject: subject ?? type,
    attachments: [],
    fields: {},
    extra: {},
    body: '',
    frontMatter: true,
  };
  return { from: from ?? null, draft };
}

/** The same as a file of a staging folder. */
export function staged(line: string | Staged, newId: (type: string) => string, created: number): Staged {
  if (typeof line !== 'string') return line;
  const { draft } = written(line);
  const type = draft.type ?? '';
  const id = newId(type);
  return { id, created, name: `${id}.md`, draft, problem: null, text: line };
}

function sentText({ message, late }: Sent): string {
  return `${message.from} → ${message.to.join(', ')}: ${message.type}${late ? ' (late)' : ''}`;
}

/** What an event did, in words; empty for what only prepares something. `state` is the one before the event. */
export function actText(state: MailState, event: MailEvent): string[] {
  const role = 'turn' in event ? (state.turns.get(event.turn)?.role ?? event.turn) : '';
  switch (event.type) {
    case 'accepted':
      return [sentText(event.sent)];
    case 'claimed':
      return [`${event.role} takes ${event.messages.join(', ') || 'nothing'}`];
    case 'resumed':
      return [`${role} begins again`];
    case 'committed':
      return event.sent.length > 0 ? event.sent.map(sentText) : [`${role} is done`];
    case 'asked':
      return [`${role} asks ${event.person}: ${event.calls.map(({ command }) => command).join('; ')}`];
    case 'unanswered':
      return [`${role} gets no answer`];
    case 'continued':
      return [`${role} continues`];
    case 'corrected':
      return [`${role} is corrected: ${event.problems.join('; ')}`];
    case 'conflicted':
      return [`${role} has a conflict for the ${event.by}`];
    case 'requeued':
      return [`${role} is put back`];
    case 'abandoned':
      return [`${role} fails: ${event.reason.code}`];
    case 'escalated':
      return [`${event.ask.request} goes to ${event.to}`];
    case 'proceeded':
      return [`${event.ask.request} goes on without ${event.ask.recipient}`];
    case 'failed-back':
      return [
        `${event.ask.request} is failed back to ${state.mail.get(event.ask.request)?.message.from ?? ''}`,
      ];
    case 'thread-failed':
      return [`${event.thread} fails: ${event.reason.code}`];
    case 'quieted':
      return [`${event.thread} is quiet`];
    case 'parked':
      return [`${event.provider} is parked`];
    default:
      return [];
  }
}
