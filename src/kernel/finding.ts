/** One line of `doctor`. */
export interface Finding {
  readonly topic: string;
  readonly state: 'ok' | 'warning' | 'problem' | 'info';
  readonly text: string;
}
