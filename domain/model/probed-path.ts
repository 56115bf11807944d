/** How the account's own route between the hosts of a pair was before measuring; stored under `probedPathKey`. */
export interface ProbedPath {
  readonly runId: string;
  readonly pairId: string;
  /** ISO 8601, UTC. */
  readonly probedAt: string;
  readonly from: PathEnd;
  /** The server, at the port of its first measurement. */
  readonly to: PathEnd & { readonly port: number };
  /** How the server answered a TCP connection; null if nothing arrived. A refusal proves the route too. */
  readonly answer: 'accepted' | 'refused' | null;
  /** Connection attempts until the answer, or until the probe gave up. */
  readonly attempts: number;
  /** Seconds from the first attempt to the answer, or until the probe gave up. */
  readonly seconds: number;
  /** How the last attempt failed, in the words of the client's system; null if it was answered. */
  readonly problem: string | null;
  /** The largest packet that the route carries; absent if the server did not answer tracepath. */
  readonly pathMtuBytes?: number;
  /** The number of hops; absent if the server did not answer tracepath. */
  readonly hopCount?: number;
  /** The last hop that answered tracepath; absent if none did. */
  readonly lastHop?: { readonly hop: number; readonly address: string };
  /** The lines that tracepath printed. */
  readonly route: readonly string[];
  /** Why tracepath printed no route; null if it did. */
  readonly routeProblem: string | null;
}

interface PathEnd {
  readonly address: string;
  readonly subnetId: string;
}
