import { defaultConfig, providerNames } from '../../config/config.ts';
import type { Config } from '../../config/config.ts';
import type { Checked, Diagnostic } from '../../kernel/diagnostic.ts';
import { checkProtocol } from './check.ts';
import type { CheckContext, Problem } from './check.ts';
import type { Protocol } from '../format/protocol.ts';
import { isStrict } from '../../config/strict.ts';
import { inOrder } from '../../yaml/diagnostics.ts';
import { lower } from './lower.ts';
import { mergeFiles } from './merge.ts';
import type { Merged } from './merge.ts';

/** What a protocol cannot know by itself. */
export interface ProtocolOptions {
  /** Processes at once where mailroom.yaml does not say; the number of cores, for a host. */
  readonly cores?: number;
  /** By provider name: the rights that it gives an agent beyond these capabilities, in words. Not there: none. */
  readonly broaderThanRequested?: CheckContext['broaderThanRequested'];
  /** By provider name: why its agents can be given no MCP servers, in words. Not there: they can. */
  readonly withoutMcp?: CheckContext['withoutMcp'];
}

/**
 * All files of protocols/ as one protocol, with the defaults of mailroom.yaml filled in. Everything that is wrong in any of
 * them is reported at once, in the order of the files; warnings alone come with the value. No file is an empty protocol.
 */
export function parseProtocol(
  files: readonly { readonly file: string; readonly text: string }[],
  config: Config = defaultConfig,
  options: ProtocolOptions = {},
): Checked<Protocol> {
  const merged = mergeFiles(files);
  const { protocol, problems } = lower(merged, config, options.cores ?? 1);
  const checked = checkProtocol(protocol, {
    broken: merged.broken,
    providers: providerNames(config),
    broaderThanRequested: options.broaderThanRequested ?? new Map(),
    withoutMcp: options.withoutMcp ?? new Map(),
    strict: isStrict(config),
  });
  const located = [...problems, ...checked].map((problem) => locate(problem, merged));
  const names = files.map(({ file }) => file);
  const all = inOrder([...merged.problems, ...located], names);
  if (all.some((each) => each.severity === 'error')) return { ok: false, problems: all };
  return { ok: true, value: protocol, warnings: all };
}

function locate({ code, severity, path, message, hint }: Problem, merged: Merged): Diagnostic {
  return { code, severity, message, place: merged.place(path), hint };
}
