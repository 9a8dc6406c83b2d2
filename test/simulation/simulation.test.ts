import { playHalf } from './suite.ts';

playHalf(0);
