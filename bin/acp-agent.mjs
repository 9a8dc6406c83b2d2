#!/usr/bin/env node
// Runs one turn of an agent that speaks the Agent Client Protocol, version 1: starts the agent as
// its child, sends it the prompt of standard input, answers its permission requests by a policy and
// prints what happens as JSON, one event per line, the last one with type `result`. The file that
// the first argument names says everything else; src/providers/acp.ts writes it and reads the
// events. Uses only Node's own modules.
import { spawn } from 'node:child_process';
import { readFileSync, writeSync } from 'node:fs';
import { Connection, isObject, RequestError } from './acp-connection.mjs';
import { askedCall, detailOf } from './acp-call.mjs';
import { AskingMode } from './acp-mode.mjs';
import { refusal } from './acp-policy.mjs';

/** How long an agent may take to introduce itself. */
const introductionMs = 60_000;
/** How long an agent may take to end after its last answer, before it is ended. */
const closingMs = 250;
const killingMs = 2000;
/** How often an agent is asked to continue after a refusal that ended its turn. */
const mostContinuations = 3;
/** A person is asked about all calls together that an agent wants to make within this time. */
const gatheringMs = 200;
/** How long an agent may take to end its turn when a person must be asked. */
const cancellingMs = 5000;

/** An end of the turn that is no answer to the prompt. */
class Failure extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

const turn = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const { version: ourVersion } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url)));
let quirks = {};
let asking = new AskingMode();
const progress = { refused: [], saidSince: false, usedSince: false, cancelled: false, loading: false };
const tools = new Set();
/** What was said of the calls that run or wait, by their ids: a request tells only what is new. */
const parts = new Map();
/** What a person must be asked, with what answers the agent. */
const questions = [];
let session = null;
let isResumable = false;

function print(event) {
  writeAll(Buffer.from(`${JSON.stringify(event)}\n`));
}

/** Waits where the reader is slow: nothing is lost when this process ends. */
function writeAll(bytes) {
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

const [program, ...args] = [...turn.command];
const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const ended = new Promise((resolve) => {
  child.once('exit', resolve);
  child.once('error', resolve);
});
const connection = new Connection({
  input: child.stdin,
  output: child.stdout,
  requests: { 'session/request_permission': answerPermission },
  notifications: (method, params) => {
    if (method === 'session/update' && isObject(params.update)) report(params.update);
  },
  broken: (why) => connection.close(new Failure('ended', why)),
});
child.once('error', (error) => {
  const isMissing = error.code === 'ENOENT';
  connection.close(new Failure(isMissing ? 'missing' : 'ended', isMissing ? program : error.message));
});
child.once('exit', (code, signal) => {
  const how = signal === null ? `exit code ${code}` : signal;
  const close = () => connection.close(new Failure('ended', `it ended with ${how} before its answer`));
  // Its last words may still be in the pipe, which what it started can hold open.
  child.stdout.once('end', close);
  setTimeout(close, closingMs);
});

/** Prints a session update in short; what a loaded session repeats is left out. */
function report(update) {
  const left = asking.left(update);
  if (left !== null) return stray(left);
  if (progress.loading) return;
  const kind = update.sessionUpdate;
  if (String(kind).startsWith('tool_call')) learn(update);
  // After its end an agent may still say its last words, but uses no tool.
  if (!connection.isWaiting && String(kind).startsWith('tool_call')) return print({ type: 'update', kind });
  switch (kind) {
    case 'agent_message_chunk': {
      const text = update.content?.type === 'text' ? String(update.content.text) : '';
      if (quirks.notice_is_text && text.startsWith('Info: ')) return print({ type: 'notice', text });
      if (text !== '') progress.saidSince = true;
      return print({ type: 'text', text });
    }
    case 'tool_call':
      return announce(update);
    case 'tool_call_update':
      return print({ type: 'tool_update', id: update.toolCallId, status: update.status });
    case 'usage_update':
      return print({ type: 'usage', cost: update.cost });
    default:
      return print({ type: 'update', kind });
  }
}

function learn({ toolCallId, title, kind, content, locations, rawInput, status }) {
  if (status === 'completed' || status === 'failed') return parts.delete(toolCallId);
  const call = { title, kind, content, locations, rawInput };
  return parts.set(toolCallId, { ...parts.get(toolCallId), ...withoutNothing(call) });
}

function withoutNothing(call) {
  return Object.fromEntries(
    Object.entries(call).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** Prints a tool call once: some agents show it only by asking for permission. */
function announce({ toolCallId, kind, title, status }) {
  progress.usedSince = true;
  if (tools.has(toolCallId)) return;
  tools.add(toolCallId);
  print({ type: 'tool', id: toolCallId, kind, title: String(title ?? '').slice(0, 1000), status });
}

/** Selects the option of a permission request that the policy, or a person, decides for. */
function answerPermission({ toolCall, options }) {
  const said = isObject(toolCall) ? toolCall : {};
  const call = {
    ...parts.get(said.toolCallId),
    ...withoutNothing(said),
    titleIsCommand: quirks.title_is_command,
  };
  const option = (kind) => (Array.isArray(options) ? options : []).find((each) => each?.kind === kind);
  if (progress.cancelled || !connection.isWaiting) return cancelled;
  announce(call);
  const once = option('allow_once');
  const decision = decide(call, once !== undefined);
  if (decision.is === 'allowed') return selected(once);
  if (decision.is === 'asked') return ask(decision.question);
  const { why } = decision;
  progress.refused.push({ title: String(call.title ?? call.kind ?? 'a tool'), why });
  Object.assign(progress, { saidSince: false, usedSince: false });
  print({ type: 'denied', tool: call.title ?? call.kind ?? null, detail: detailOf(call), why });
  // An option that rejects always would also decide requests that were not made.
  return option('reject_once') ? selected(option('reject_once')) : cancelled;
}

const cancelled = { outcome: { outcome: 'cancelled' } };

/** Whether a call is allowed, refused, or a person is asked, or has answered already. */
function decide(call, isOnce) {
  const refused = (why) => ({ is: 'refused', why });
  const policy = refusal(turn.policy, call);
  if (policy !== null && (!policy.isOpen || turn.asking === null)) return refused(policy.why);
  if (!isOnce) return refused('it cannot be allowed just once');
  if (policy === null) return { is: 'allowed' };
  const { allowed, denied } = turn.asking;
  const { asked: question, unseen } = askedCall(call);
  if (question === undefined)
    return refused(`${policy.why}, and a person cannot be shown the whole of it: ${unseen}`);
  if (denied.includes(question.key)) return refused('a person has refused it');
  if (allowed.includes(question.key)) {
    allowed.splice(allowed.indexOf(question.key), 1);
    return { is: 'allowed' };
  }
  if (!isResumable)
    return refused(`${policy.why}, and nobody can be asked: this agent resumes no conversations`);
  return { is: 'asked', question };
}

/** Ends the turn soon, so that no process waits for the answer of a person. */
function ask(question) {
  return new Promise((resolve) => {
    if (questions.length === 0) setTimeout(stopToAsk, gatheringMs);
    questions.push({ question, answer: () => resolve(cancelled) });
  });
}

let stop = () => {};
/** Rejects when the agent leaves the mode in which it asks: nothing more of it is allowed. */
const strayed = new Promise((_, reject) => (stop = reject));
strayed.catch(() => {});

function stray(why) {
  if (!progress.cancelled) cancel();
  stop(new Failure('mode', why));
}

let askInstead = () => {};
/** Resolves if the agent has not ended its turn in time although a person must be asked. */
const unansweredPrompt = new Promise((resolve) => (askInstead = () => resolve({ stopReason: 'cancelled' })));

function stopToAsk() {
  cancel();
  for (const { answer } of questions) answer();
  setTimeout(askInstead, cancellingMs);
}

function selected({ optionId }) {
  return { outcome: { outcome: 'selected', optionId } };
}

async function introduce() {
  let timer;
  const late = new Promise((_, reject) => {
    const failure = new Failure(
      'silent',
      `it did not answer \`initialize\` within ${introductionMs / 1000} s`,
    );
    let left = introductionMs / 1000;
    // Of a time in which the machine was suspended, one second counts.
    timer = setInterval(() => (left -= 1) <= 0 && reject(failure), 1000);
  });
  const asked = connection.request('initialize', {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'mailroom', title: 'Mailroom', version: ourVersion },
  });
  const answer = await Promise.race([asked, late]).finally(() => clearInterval(timer));
  const { name = null, version = null } = answer.agentInfo ?? {};
  print({ type: 'agent', name, version, protocol: answer.protocolVersion });
  if (answer.protocolVersion !== 1) throw new Failure('version', String(answer.protocolVersion));
  quirks = effectsOf(String(name), String(version));
  asking = new AskingMode(turn.modes.find(({ agent }) => agent === name));
  return answer;
}

/** What the quirks of this agent change; src/providers/acp-quirks.ts has the table. */
function effectsOf(name, version) {
  const rows = turn.quirks.filter(
    ({ agent, from, before }) =>
      agent === name && !isBefore(version, from) && (before === null || isBefore(version, before)),
  );
  return Object.assign({}, ...rows.map(({ effect }) => effect));
}

function isBefore(version, other) {
  const [left, right] = [version, other].map((text) => text.split('.').map(Number));
  const place = left.findIndex((part, index) => part !== right[index]);
  return place !== -1 && left[place] < right[place];
}

/** Opens the conversation of the turn: the one to resume, or a new one. */
async function open({ agentCapabilities = {}, authMethods }) {
  const resumes = isObject(agentCapabilities.sessionCapabilities?.resume);
  const loads = agentCapabilities.loadSession === true;
  const base = { cwd: turn.workspace, mcpServers: turn.servers };
  if (
    turn.servers.some((server) => server.type === 'http') &&
    agentCapabilities.mcpCapabilities?.http !== true
  )
    throw new Failure('servers', 'it takes no MCP servers by address');
  try {
    if (turn.session === null) {
      const made = await connection.request('session/new', base);
      session = made.sessionId;
      isResumable = resumes || loads;
      print({ type: 'session', id: session, resumable: isResumable });
      return made;
    }
    if (!resumes && !loads) throw new Failure('session', 'it resumes no conversations');
    progress.loading = true;
    const method = resumes ? 'session/resume' : 'session/load';
    const resumed = await connection.request(method, { sessionId: turn.session, ...base });
    session = turn.session;
    isResumable = true;
    print({ type: 'session', id: session, resumable: true });
    return resumed;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    if (error.code === -32_000) throw new Failure('login', wordsOf(error, namesOf(authMethods)));
    throw turn.session === null ? error : new Failure('session', wordsOf(error));
  } finally {
    progress.loading = false;
  }
}

function namesOf(authMethods) {
  return (Array.isArray(authMethods) ? authMethods : []).map(({ name, id }) => name ?? id).join(', ');
}

/** Puts the conversation into the mode that asks, and gives it the model of the role. */
async function set(opened) {
  const request = (method, params) => connection.request(method, { sessionId: session, ...params });
  const problem = await asking.enter(opened ?? {}, request);
  if (problem !== null) throw new Failure('mode', problem);
  print({ type: 'mode', mode: asking.mode });
  if (turn.model === null) return;
  const { models, configOptions } = opened ?? {};
  const option = (configOptions ?? []).find(({ category }) => category === 'model');
  const values = (option?.options ?? []).flatMap((each) => each.options ?? [each]).map(({ value }) => value);
  const named = (models?.availableModels ?? []).map(({ modelId }) => modelId);
  if (values.includes(turn.model))
    await connection.request('session/set_config_option', {
      sessionId: session,
      configId: option.id,
      value: turn.model,
    });
  else if (named.includes(turn.model))
    await connection.request('session/set_model', { sessionId: session, modelId: turn.model });
  else throw new Failure('model', [...values, ...named].join(', '));
}

/** Prompts until the agent has come to its own end. Returns the reason of that end. */
async function work(prompt) {
  let text = prompt;
  for (let round = 0; ; round += 1) {
    progress.refused = [];
    const answered = connection.request('session/prompt', {
      sessionId: session,
      prompt: [{ type: 'text', text }],
    });
    const answer = await Promise.race([answered, unansweredPrompt, strayed]);
    print({ type: 'answer', stop: answer.stopReason, usage: answer.usage });
    if (questions.length > 0) {
      for (const { question } of questions) print({ type: 'asked', ...question });
      return 'asked';
    }
    const isActive = progress.usedSince || (progress.saidSince && !quirks.refusal_ends);
    const isStopped = progress.refused.length > 0 && !isActive;
    if (!isStopped || progress.cancelled || round === mostContinuations) return answer.stopReason;
    print({ type: 'continued', round: round + 1 });
    text = continuation(progress.refused);
  }
}

function continuation(refused) {
  const lines = refused.map(({ title, why }) => `- ${title}: ${why}`);
  return `Mailroom refused this, and everything else still holds:\n\n${lines.join('\n')}\n\nContinue with your task without it.\n`;
}

function wordsOf({ message, data }, more = '') {
  const told =
    data === undefined || data === null ? '' : typeof data === 'string' ? data : JSON.stringify(data);
  return [message, told, more].filter((words) => words !== '').join(': ');
}

function failureOf(error) {
  if (error instanceof Failure) return { kind: error.kind, message: error.message };
  if (error instanceof RequestError) return { kind: 'refused', code: error.code, message: wordsOf(error) };
  return { kind: 'ended', message: String(error?.message ?? error) };
}

/** Cancels the turn in the words of the protocol; the host ends the whole tree soon after. */
function cancel() {
  progress.cancelled = true;
  if (session !== null) connection.notify('session/cancel', { sessionId: session });
}

async function main() {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.once(signal, cancel);
  const prompt = readFileSync(0, 'utf8');
  const result = { type: 'result', stop: null, error: null };
  try {
    await set(await open(await introduce()));
    result.stop = await work(prompt);
  } catch (error) {
    result.error = failureOf(error);
  }
  print(result);
  connection.end();
  const kill = [
    setTimeout(() => child.kill('SIGTERM'), closingMs),
    setTimeout(() => child.kill('SIGKILL'), killingMs),
  ];
  await ended;
  for (const timer of kill) clearTimeout(timer);
  return result.error === null ? 0 : 1;
}

// What the agent started may still hold its streams open.
process.exit(await main());
