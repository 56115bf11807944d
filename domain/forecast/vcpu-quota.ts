/** EC2's quotas on the vCPUs of running On-Demand Instances, and which of them an instance type counts against. */

export interface VcpuQuota {
  /** The quota's code in Service Quotas, service `ec2`. */
  readonly code: string;
  readonly name: string;
}

/** By the letters at the start of a type's name. */
const QUOTAS: readonly (readonly [families: readonly string[], quota: VcpuQuota])[] = [
  [
    ['a', 'c', 'd', 'h', 'i', 'im', 'is', 'm', 'r', 't', 'z'],
    { code: 'L-1216C47A', name: 'Standard (A, C, D, H, I, M, R, T, Z) instances' },
  ],
  [['dl'], { code: 'L-6E869C2A', name: 'DL instances' }],
  [['f'], { code: 'L-74FC7D96', name: 'F instances' }],
  [['g', 'gr', 'vt'], { code: 'L-DB2E81BA', name: 'G and VT instances' }],
  [['hpc'], { code: 'L-F7808C92', name: 'HPC instances' }],
  [['inf'], { code: 'L-1945791B', name: 'Inf instances' }],
  [['p'], { code: 'L-417A185B', name: 'P instances' }],
  [['trn'], { code: 'L-2C3B7624', name: 'Trn instances' }],
  [['u'], { code: 'L-43DA4232', name: 'High Memory instances' }],
  [['x'], { code: 'L-7295265B', name: 'X instances' }],
];

/** @returns undefined for a family that counts against none of these quotas */
export function vcpuQuota(instanceType: string): VcpuQuota | undefined {
  const letters = /^[a-z]+/.exec(instanceType)?.[0] ?? '';
  return QUOTAS.find(([families]) => families.includes(letters))?.[1];
}
