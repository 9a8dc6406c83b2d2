import { expect, it } from 'vitest';
import { colouredParts } from '../../src/web/log-colours.ts';

const parts = (line: string) => colouredParts(line.replaceAll('^', '\u001b['));

it.each([
  ['plain', [['plain', '']]],
  [
    '^32m✓^0m done',
    [
      ['✓', 'ink-green'],
      [' done', ''],
    ],
  ],
  [
    '^1;31mbad^22;39m, ^4mnot^24m so',
    [
      ['bad', 'ink-red is-bold'],
      [', ', ''],
      ['not', 'is-underline'],
      [' so', ''],
    ],
  ],
  [
    '^2;3;9mall^m none',
    [
      ['all', 'is-dim is-italic is-strikethrough'],
      [' none', ''],
    ],
  ],
  [
    '^1;2mtwo^22mno',
    [
      ['two', 'is-bold is-dim'],
      ['no', ''],
    ],
  ],
  [
    '^96mbright^37mwhite',
    [
      ['bright', 'ink-cyan'],
      ['white', ''],
    ],
  ],
  [
    '^41;32mground^49mink',
    [
      ['ground', 'on-red'],
      ['ink', 'ink-green'],
    ],
  ],
  ['^103mbright', [['bright', 'on-yellow']]],
  [
    '^38;5;208morange^38;5;244mgrey^38;5;12mblue',
    [
      ['orange', 'ink-yellow'],
      ['grey', ''],
      ['blue', 'ink-blue'],
    ],
  ],
  ['^48;2;200;10;190;1mmagenta', [['magenta', 'on-magenta is-bold']]],
  ['^2K^1Acleared^?25l', [['cleared', '']]],
  [
    '^38;5mcut^38mcut^999mfar',
    [
      ['cut', ''],
      ['cut', ''],
      ['far', ''],
    ],
  ],
  ['^<script>', [['cript>', '']]],
])('%j', (line, expected) => {
  expect(parts(line)).toEqual(expected);
});
