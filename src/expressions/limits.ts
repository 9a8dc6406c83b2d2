/** What an expression may cost. Texts come from files of people and values from agents: neither is trusted. */
export const expressionLimits = {
  /** Characters of one expression, as GitHub counts them. */
  text: 21_000,
  /** How deeply parentheses, calls, paths and choices may be nested in a text, as on GitHub. */
  depth: 50,
  /** How deep a tree may be that was built by other means than a text: conditions nested in YAML. */
  treeDepth: 1_000,
  /** Characters of a text that a function makes or reads, and of a rendered template. */
  resultText: 8 * 1024 * 1024,
  /** How deeply lists and maps may be nested in what is read from JSON, written as JSON or compared. */
  valueDepth: 200,
  /** Problems that are reported of one text: more would not help anybody. */
  problems: 20,
} as const;
