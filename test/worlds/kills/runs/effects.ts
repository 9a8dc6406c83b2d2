import { effects as ofMail, type EffectName as MailEffect } from '../mail/effects.ts';
import { at, inSandbox, commonEffects, type Effect } from '../effects.ts';

/** What the host of a run changes outside itself. */
const ofRun = {
  ...commonEffects,
  'answer.write': at('puts what an agent answered where its output belongs'),
  'artifact.copy': at('copies an artifact beside its place', 'half'),
  'artifact.names': at('syncs the folders of an artifact'),
  'artifact.place': at('puts a whole artifact in its place'),
  'artifact.remove': at('removes an artifact, or what was left of one'),
  'artifact.sync': at('syncs what was copied'),
  'card.write': at('puts down what a run is and what defines it'),
  'check.spawn': at('starts a completion check', 'running'),
  'context.folder': at('makes a folder of the context'),
  'context.holder': at('puts down whose context folder it is'),
  'context.move': at('moves what an earlier run left there'),
  'control.remove': at('removes a command that the journal has'),
  'definition.keep': at('keeps a definition as a file'),
  'dead.write': at('stores a step that failed permanently'),
  'decision.remove': at('removes an old decision'),
  'event.append': at('adds signed events to a log', 'half'),
  'event.folder': at('makes a folder of events'),
  'event.names': at('syncs the folders of events'),
  'event.note': at('notes what relays are to be sent, and what they have answered', 'half'),
  'event.sync': at('syncs events, or what relays are to be sent'),
  'hook.spawn': at('starts a hook', 'running'),
  'input.folder': at('makes a folder for inputs'),
  'input.lay': at('puts a file of an input into the workspace'),
  'input.names': at('syncs the folders of an input'),
  'holder.forget': at('forgets which process holds the run'),
  'holder.note': at('writes down which process holds the run'),
  'key.write': at('makes the key that signs events'),
  'letter.answer': at('the mail puts an answer into the inbox of the run'),
  'letter.forget': at('forgets a step that is in the mail no more'),
  'letter.note': at('notes that a step is in the mail'),
  'letter.post': at('puts a step into the mail'),
  'letter.receive': at('the mail removes a step that its journal has'),
  'letter.take': at('removes an answer that the journal has'),
  'meta.write': at('writes the status of a settled step'),
  'person.notify': at('starts the command that notifies a person of a gate', 'running'),
  'place.make': inSandbox('makes what a sandbox is to let an agent write'),
  'place.remove': inSandbox('removes of that what was left empty'),
  'relay.connect': at('connects to a relay'),
  'relay.send': at('sends something to a relay'),
  'rollback.keep': at('keeps what is about to be undone'),
  'rollback.remove': at('takes away what a run has added', 'running'),
  'rollback.restore': at('puts back what a run has changed or removed', 'running'),
  'rollback.sync': at('makes durable what it has put back'),
  'run.folder': at('makes a folder of a run'),
  'step.folder': at('makes the folder of a process'),
  'step.input': at('writes what a process reads from standard input', 'half'),
  'step.kill': at('kills a process'),
  'step.note': at('writes a prompt into the folder of a process'),
  'step.output': at('writes down what a process prints', 'half'),
  'step.prompt': at('writes what an agent is asked', 'half'),
  'step.spawn': at('starts a worker', 'running'),
  'step.terminate': at('asks a process to end'),
  'trigger.note': at('writes down which runs triggers ask for, and which has begun'),
  'summary.write': at('writes the status of the run'),
  'values.hide': at('masks a secret in values that were handed over'),
} as const satisfies Record<string, Effect>;

/** What the controller of the mail does, which a run has beside it when a role does a step. */
const besides = [
  'boot.write',
  'confirmed.write',
  'holder.remove',
  'holder.write',
  'journal.append',
  'journal.begin',
  'journal.names',
  'journal.sync',
  'mailbox.folder',
  'projection.move',
  'projection.write',
  'project.folder',
  'turn.folder',
  'turn.input',
  'turn.message',
  'turn.output',
  'turn.prompt',
  'turn.release',
  'turn.result',
  'turn.spawn',
] as const satisfies readonly MailEffect[];

type Besides = `mail.${(typeof besides)[number]}`;
export type EffectName = keyof typeof ofRun | Besides;

const besidesHere = besides.map((name) => [`mail.${name}`, ofMail[name]] as const);

/** Every way in which a run changes something outside itself. The list is closed: anything else is an error. */
export const effects = { ...ofRun, ...Object.fromEntries(besidesHere) } as Readonly<
  Record<EffectName, Effect>
>;
