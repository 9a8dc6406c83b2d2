// Keeps a conversation in the mode in which its agent asks for permission, and its options at the
// values with which it does.
import { isObject } from './acp-connection.mjs';

/** The modes of an agent that src/providers/acp-modes.ts does not have, in which it may ask. */
const usual = ['default', 'ask'];

export class AskingMode {
  /** @type {string | null} */
  #mode = null;
  #isEntered = false;
  #options;
  #known;

  /** `known`: what src/providers/acp.ts writes of this agent; undefined: nothing. */
  constructor(known) {
    this.#known = known;
    this.#options = known?.options ?? {};
  }

  /**
   * Makes it so. `opened`: what the agent answered when the conversation was opened; `request`: sends
   * a request of this conversation. Returns why it is not so; null: it is.
   */
  async enter({ modes, configOptions }, request) {
    const offered = list(modes?.availableModes).map((mode) => mode?.id);
    this.#mode = this.#known ? this.#known.mode : (usual.find((each) => offered.includes(each)) ?? null);
    const problem =
      (await this.#setOptions(list(configOptions), request)) ??
      (await this.#setMode(modes, offered, request));
    this.#isEntered = problem === null;
    return problem;
  }

  async #setMode(modes, offered, request) {
    const mode = this.#mode;
    if (mode === null || modes?.currentModeId === mode) return null;
    if (offered.length > 0 && !offered.includes(mode))
      return `it has the modes ${offered.join(', ')}, and not ${mode}`;
    try {
      await request('session/set_mode', { modeId: mode });
      return null;
    } catch (error) {
      return `it refused the mode ${mode}: ${error.message}`;
    }
  }

  async #setOptions(options, request) {
    for (const { id, type, currentValue } of options.filter(isObject)) {
      if (!Object.hasOwn(this.#options, id) || currentValue === this.#options[id]) continue;
      const value = this.#options[id];
      try {
        const given = type === 'boolean' ? { type, value } : { value };
        const answer = await request('session/set_config_option', { configId: id, ...given });
        const after = list(answer?.configOptions).find((each) => each?.id === id);
        if (after === undefined || after.currentValue === value) continue;
      } catch (error) {
        return `it refused ${value} for ${id}: ${error.message}`;
      }
      return `${id} is not ${value}`;
    }
    return null;
  }

  /** Why a session update means that the conversation has left its mode; null: it has not. */
  left(update) {
    if (!this.#isEntered) return null;
    if (update.sessionUpdate === 'current_mode_update') return this.#other(update.currentModeId);
    if (update.sessionUpdate !== 'config_option_update') return null;
    for (const { id, category, currentValue } of list(update.configOptions).filter(isObject)) {
      if (Object.hasOwn(this.#options, id) && currentValue !== this.#options[id])
        return `${id} became ${currentValue}`;
      if (category === 'mode') return this.#other(currentValue);
    }
    return null;
  }

  /** The mode that it is in; null: its agent has none. */
  get mode() {
    return this.#mode;
  }

  #other(mode) {
    return this.#mode === null || mode === this.#mode ? null : `it left the mode ${this.#mode} for ${mode}`;
  }
}

function list(value) {
  return Array.isArray(value) ? value : [];
}
