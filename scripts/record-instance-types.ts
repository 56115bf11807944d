/**
 * Writes the recorded answer of DescribeInstanceTypes, which plans are checked against when there is no account:
 *   aws ec2 describe-instance-types --region us-east-1 |
 *     tsx scripts/record-instance-types.ts --date 2026-11-21 --source 'DescribeInstanceTypes, us-east-1'
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';

/** General purpose, compute and memory with their network variants; variants with disks have the same network. */
const FAMILIES = /^[acmrt]\d(a|g|gn|i|in|i-flex|n|zn|iz)?\./;

const path = join(__dirname, '../domain/forecast/recorded-instance-types.json');
const { date, source } = parseArgs({ options: { date: { type: 'string' }, source: { type: 'string' } } }).values;
if (date === undefined || source === undefined) throw new Error('--date and --source: must be given');

const { InstanceTypes } = JSON.parse(readFileSync(0, 'utf8')) as { InstanceTypes: InstanceTypeInfo[] };
const recorded = InstanceTypes.filter(({ InstanceType }) => FAMILIES.test(InstanceType ?? ''))
  .sort((one, other) => ((one.InstanceType ?? '') < (other.InstanceType ?? '') ? -1 : 1))
  .map((type) => ({
    InstanceType: type.InstanceType,
    ProcessorInfo: { SupportedArchitectures: type.ProcessorInfo?.SupportedArchitectures },
    VCpuInfo: { DefaultVCpus: type.VCpuInfo?.DefaultVCpus },
    MemoryInfo: { SizeInMiB: type.MemoryInfo?.SizeInMiB },
    BareMetal: type.BareMetal === true ? true : undefined,
    BurstablePerformanceSupported: type.BurstablePerformanceSupported,
    PlacementGroupInfo: type.PlacementGroupInfo,
    NetworkInfo: {
      NetworkPerformance: type.NetworkInfo?.NetworkPerformance,
      EnaSrdSupported: type.NetworkInfo?.EnaSrdSupported,
      DefaultNetworkCardIndex: type.NetworkInfo?.DefaultNetworkCardIndex,
      NetworkCards: type.NetworkInfo?.NetworkCards?.map((card) => ({
        NetworkCardIndex: card.NetworkCardIndex,
        NetworkPerformance: card.NetworkPerformance,
        BaselineBandwidthInGbps: card.BaselineBandwidthInGbps,
        PeakBandwidthInGbps: card.PeakBandwidthInGbps,
      })),
    },
  }));

// One line per type, so that a diff shows what changed in a family.
const lines = recorded.map((type) => `    ${JSON.stringify(type)}`).join(',\n');
writeFileSync(
  path,
  `{\n  "date": ${JSON.stringify(date)},\n  "source": ${JSON.stringify(source)},\n  "InstanceTypes": [\n${lines}\n  ]\n}\n`,
);
process.stdout.write(`${recorded.length} types, ${path}\n`);
