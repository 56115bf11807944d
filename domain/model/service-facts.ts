/** The service's own figures that several parts depend on; tests hold the hosts' scripts and the documents to them. */

/** How often a host's streamer uploads a chunk of lines; `CHUNK_SECONDS` of ssm-documents/shared/tool_run.py. */
export const CHUNK_SECONDS = 9.5;

/** How long the buckets keep what is stored under each of these prefixes. All other results are kept for good. */
export const RETENTION_DAYS = {
  rawStreams: 90,
  liveSamples: 3,
  /** A run may take 60 days. These rows are removed when it ends; this is for those of a run that never did. */
  liveMeasurements: 61,
  queryResults: 7,
  payload: 1,
  incompleteUploads: 1,
} as const;

/** How long logs are kept. Those of the state machines outlive the 90 days of an execution's history. */
export const LOG_RETENTION_DAYS = { functions: 90, stateMachines: 180 } as const;

/** The root disk of every host. */
export const ROOT_DISK = { volumeType: 'gp3', gibibytes: 10 } as const;

/** Memory of the functions that compute most: Lambda gives a function one whole vCPU at this size. */
export const ONE_VCPU_MEBIBYTES = 1769;
