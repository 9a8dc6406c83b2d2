/**
 * What an expression may cost. Its text comes from people's files and its values from agents:
 * neither is trusted.
 */
export const expressionLimits = {
  /** Characters of one expression, as GitHub counts them. */
  text: 21_000,
  /** Maximum nesting of parentheses, calls, paths and choices in a string, as on GitHub. */
  depth: 50,
  /** Maximum depth of a tree that was not parsed from a string: conditions nested in YAML. */
  treeDepth: 1_000,
  /** Characters of a string that a function returns or reads, and of a rendered template. */
  resultText: 8 * 1024 * 1024,
  /** Entries of a list that a string is split into. */
  parts: 100_000,
  /** Maximum nesting of lists and mappings that are read from JSON, written as JSON or compared. */
  valueDepth: 200,
  /** Maximum number of reported problems of one text. */
  problems: 20,
} as const;
