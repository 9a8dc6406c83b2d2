import assert from 'node:assert/strict';
import { test } from 'node:test';

const calculator = await import('../src/calculator.mjs');

test('adds two numbers', () => {
  assert.equal(calculator.add(2, 3), 5);
  assert.equal(calculator.add(2, -3), -1);
});

test('multiplies two numbers', () => {
  assert.equal(calculator.multiply(2, 3), 6);
  assert.equal(calculator.multiply(2, -3), -6);
});

test('adds nothing but finite numbers', () => {
  assert.throws(() => calculator.add('2', 3), TypeError);
  assert.throws(() => calculator.add(2, Infinity), TypeError);
});

// Not there yet: this is the task.
test('subtracts two numbers', () => {
  assert.equal(calculator.subtract(5, 3), 2);
  assert.equal(calculator.subtract(2, -3), 5);
});
