import { parseToolOutput } from '../../../../domain/tools/parse-tool-output';
import { parseTracepathText } from '../../../../domain/tools/tracepath/text';
import { conditionsStatistics } from '../../../support/parsed-statistics';
import { readFixture } from '../../../support/fixtures';

const parse = (name: string) => parseTracepathText(readFixture(`tool-output/tracepath/20221126-${name}.out`));

describe('recordings', () => {
  test.each([
    ['two-hops', { pathMtuBytes: 9001, hopCount: 2 }],
    ['one-hop', { pathMtuBytes: 9001, hopCount: 1 }],
    ['smaller-mtu', { pathMtuBytes: 1500, hopCount: 2 }],
    ['loopback', { pathMtuBytes: 65535, hopCount: 1 }],
  ])('%s', (name, statistics) => {
    expect(conditionsStatistics(parse(name))).toEqual(statistics);
    expect(parse(name)).toMatchObject({ tool: 'tracepath', complete: true, warnings: [] });
    if (name === 'two-hops') expect(parse(name).toolVersion).toBe('20221126');
  });

  test('a silent server behind a hop that answered: the path MTU is known, the number of hops is not', () => {
    expect(conditionsStatistics(parse('silent-server'))).toEqual({ pathMtuBytes: 9001 });
    expect(parse('silent-server').complete).toBe(true);
    expect(parse('silent-server').warnings).toEqual([expect.stringMatching(/^the server did not answer/)]);
  });

  test.each([
    ['silent', 'no hop answered, the server neither'],
    ['no-route', 'send failed'],
  ])("%s: this host's own MTU is not the path's", (name, incompleteReason) => {
    expect(conditionsStatistics(parse(name))).toEqual({});
    expect(parse(name)).toMatchObject({ complete: false, incompleteReason });
  });
});

describe('other versions', () => {
  test('the own interface as the first hop, host names, and a way back of another length are read', () => {
    const output = parseToolOutput(`1:  srv3                                 0.104ms pmtu 1500
 1:  hub.example (10.0.0.1)               1.015ms asymm  3
 2:  srv1                                 1.267ms reached
     Resume: pmtu 1500 hops 2 back 63
`);
    expect(output).toMatchObject({ kind: 'conditions', tool: 'tracepath', pathMtuBytes: 1500, hopCount: 2 });
  });

  test('the own interface alone does not count as an answer', () => {
    const text = ` 1:  srv3                                 0.104ms pmtu 1500
 1:  no reply
     Too many hops: pmtu 1500
     Resume: pmtu 1500
`;
    expect(conditionsStatistics(parseTracepathText(text))).toEqual({});
  });

  test('an error on the way is the reason', () => {
    const output = parseTracepathText(` 1?: [LOCALHOST]                      pmtu 9001
 1:  10.0.0.1                                              1.015ms !H
     Resume: pmtu 9001
`);
    expect(output.hopCount).toBeUndefined();
    expect(output.warnings).toHaveLength(1);
  });

  test('an output without its summary is incomplete', () => {
    const output = parseTracepathText(' 1?: [LOCALHOST]                      pmtu 9001\n 1:  10.0.0.1     1.015ms \n');
    expect(output).toMatchObject({ complete: false, incompleteReason: 'no final summary' });
    expect(conditionsStatistics(output)).toEqual({});
  });
});
