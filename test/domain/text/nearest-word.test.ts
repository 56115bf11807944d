import { expect, test } from '@jest/globals';
import { nearestWord } from '../../../domain/text/nearest-word';

const KEYS = ['tool', 'mode', 'protocol', 'parallelStreams', 'direction', 'durationSeconds', 'dutyCycle'];
const TYPES = ['c5.large', 'c5.xlarge', 'c5.2xlarge', 'c5n.large', 'm5.2xlarge', 'm5.12xlarge', 't3.micro'];

test.each([
  ['durationSecond', KEYS, 'durationSeconds'],
  ['duration', KEYS, 'durationSeconds'],
  ['duration_seconds', KEYS, 'durationSeconds'],
  ['driection', KEYS, 'direction'],
  ['paralelStreams', KEYS, 'parallelStreams'],
  ['protcol', KEYS, 'protocol'],
  ['TOOL', KEYS, 'tool'],
  ['pign', ['ping', 'curl'], 'ping'],
  ['mim', ['min', 'max'], 'min'],
  ['same-zone', ['same_zone', 'other_zone'], 'same_zone'],
  ['c5.xlagre', TYPES, 'c5.xlarge'],
  ['c5.l', TYPES, 'c5.large'],
  ['M5.2xlarge', TYPES, 'm5.2xlarge'],
])('%s was meant as one of %j: %s', (written, words, meant) => {
  expect(nearestWord(written, words)).toBe(meant);
});

test.each([
  ['messageBytes', [...KEYS, 'mssBytes']],
  ['comment', KEYS],
  ['x', ['y', 'min']],
  ['', KEYS],
  ['__', KEYS],
  ['netperf', ['iperf3', 'sockperf', 'ping']],
  ['tool', KEYS],
  [`durationSeconds${'s'.repeat(100)}`, KEYS],
])('%s is near no other of %j', (written, words) => {
  expect(nearestWord(written, words)).toBeUndefined();
});
