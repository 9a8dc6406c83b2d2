/**
 * How texts in YAML become nodes: every reader has the same schema, and reports duplicate keys in
 * its own words.
 */
export const composing = {
  schema: 'core',
  merge: false,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const;
