import { contextOfCommand } from '../../../../domain/tools/iperf3/command';

const WRAPPED = ['timeout', '-s', 'TERM', '-k', '5', '90', 'stdbuf', '-oL', '/usr/bin/iperf3'];

test.each([
  [
    ['-c', '10.0.0.2', '-t', '60'],
    { role: 'client', protocol: 'tcp', reverse: false, bidirectional: false, durationSeconds: 60 },
  ],
  [['-c', '10.0.0.2', '-u', '-R'], { role: 'client', protocol: 'udp', reverse: true, bidirectional: false }],
  [
    ['--bidir', '--time', '5', '-c', '10.0.0.2'],
    { role: 'client', protocol: 'tcp', reverse: false, bidirectional: true, durationSeconds: 5 },
  ],
  [['-s', '-1', '-i', '1'], { role: 'server' }],
])('%j', (options, expected) => {
  expect(contextOfCommand([...WRAPPED, ...options])).toEqual(expected);
});
