/** What DescribeInstanceTypes reports about a type. Figures are absent for old types, and absent does not mean 0. */
export interface InstanceTypeFacts {
  readonly instanceType: string;
  readonly architecture: 'x86_64' | 'arm64';
  readonly vcpuCount: number;
  readonly baselineBitsPerSecond?: number;
  readonly peakBitsPerSecond?: number;
  /** As EC2 words it: "Up to 10 Gigabit". */
  readonly networkPerformance?: string;
  /** Bare metal takes long to start and to stop. Absent for virtual hosts. */
  readonly isBareMetal?: boolean;
  readonly isBurstableCpu: boolean;
  readonly supportsClusterPlacement: boolean;
  readonly supportsEnaExpress: boolean;
  /** EC2's own word, `nitro` or `xen`; absent for bare metal. */
  readonly hypervisor?: string;
}
