/** Figures of the service that several parts depend on; tests check that the hosts' scripts and documents agree. */

/** Seconds between uploads of a host's streamer; `CHUNK_SECONDS` of ssm-documents/shared/tool_run.py. */
export const CHUNK_SECONDS = 9.5;

/** The longest that a measurement may be asked to last. */
export const LONGEST_MEASUREMENT_SECONDS = 7_200;

/** Days that the buckets keep objects under these prefixes. All other results are kept forever. */
export const RETENTION_DAYS = {
  rawStreams: 90,
  liveSamples: 3,
  /** A run removes its rows when it ends. This limit removes those of a run that never did; a run may take 60 days. */
  liveMeasurements: 61,
  queryResults: 7,
  payload: 1,
  incompleteUploads: 1,
} as const;

/** Days that logs are kept. Those of the state machines outlive the 90 days of an execution's history. */
export const LOG_RETENTION_DAYS = { functions: 90, stateMachines: 180 } as const;

export const ROOT_DISK = { volumeType: 'gp3', gibibytes: 10 } as const;

/** Memory of the functions that compute most; from this size on, Lambda gives a function one whole vCPU. */
export const ONE_VCPU_MEBIBYTES = 1769;
/** The most that a function may have in a young account. */
export const MAX_MEBIBYTES_OF_ANY_ACCOUNT = 3008;
