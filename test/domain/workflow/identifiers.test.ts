import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ID_PATTERN_TEXTS,
  measurementId,
  pairExecutionName,
  pairId,
  pairIdOf,
  parsePairExecutionName,
} from '../../../domain/workflow/identifiers';
import { parseRawChunkKey, rawChunkKey } from '../../../domain/workflow/object-keys';

const LONGEST_RUN_ID = 'r'.repeat(74);

test('a pair’s execution is named after its run and its pair, within 80 characters', () => {
  const name = pairExecutionName(LONGEST_RUN_ID, pairId(999));
  expect(name).toHaveLength(80);
  expect(parsePairExecutionName(name)).toEqual({ runId: LONGEST_RUN_ID, pairId: 'p1000' });
});

test.each(['run-1', '-run-p0001', 'run-p001', `${LONGEST_RUN_ID}r-p0001`, 'run-p0001-m01'])(
  '%s is not the name of a pair’s execution',
  (name) => {
    expect(parsePairExecutionName(name)).toBeUndefined();
  },
);

test("a run whose own name ends like a pair's keeps its name", () => {
  expect(parsePairExecutionName('run-p0001-p0002')).toEqual({ runId: 'run-p0001', pairId: 'p0002' });
});

test('a measurement’s id names its pair', () => {
  expect(pairIdOf(measurementId(pairId(11), 0))).toBe('p0012');
  expect(() => pairIdOf('p0012')).toThrow('measurement id: must match ^p[0-9]{4}-m[0-9]{2}$, got "p0012"');
});

test('the key of a chunk is parsed into what it was built from', () => {
  const stream = { userId: 'AROA:i-1', runId: LONGEST_RUN_ID, measurementId: 'p0001-m02', hostRole: 'server' } as const;
  const key = rawChunkKey(stream, 17);
  expect(parseRawChunkKey(key)).toEqual({ ...stream, sequence: 17 });
  expect(parseRawChunkKey(key.replace(LONGEST_RUN_ID, '-run'))).toBeUndefined();
  expect(parseRawChunkKey(key.replace('000017.ndjson.gz', '_COMPLETE.json'))).toBeUndefined();
});

test('no other source file has a copy of the pattern of a run’s id', () => {
  const root = join(__dirname, '../../..');
  const copies = ['bin', 'domain', 'lambdas', 'lib', 'ssm-documents', 'lab', 'scripts'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|py|sh|yaml)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => /\[A-Za-z0-9(?:\]\[A-Za-z0-9)?_-\]\{[01],7[0-9]\}/.test(readFileSync(path, 'utf8'))),
  );
  expect(copies.map((path) => path.slice(root.length + 1))).toEqual(['domain/workflow/identifiers.ts']);
  expect(ID_PATTERN_TEXTS.runId).toContain('[A-Za-z0-9_-]{0,73}');
});
