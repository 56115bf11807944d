/**
 * How the way between the hosts of a pair was before anything was measured, for a way that is the account's own. Stored
 * as a document of the pair (`probedPathKey`).
 */
export interface ProbedPath {
  readonly runId: string;
  readonly pairId: string;
  /** ISO 8601, UTC. */
  readonly probedAt: string;
  /** The client. */
  readonly from: PathEnd;
  /** The server, at the port of its first measurement. */
  readonly to: PathEnd & { readonly port: number };
  /**
   * How the server answered a TCP connection. A refused one proves the way too, because nothing listens yet. null:
   * nothing arrived.
   */
  readonly answer: 'accepted' | 'refused' | null;
  /** Connections until the answer, or until the probe gave up. */
  readonly attempts: number;
  /** From the first connection to the answer, or until the probe gave up. */
  readonly seconds: number;
  /** How the last connection failed, in the words of the client's system; null for one that was answered. */
  readonly problem: string | null;
  /** The largest packet that the way carries. Absent where the server did not answer tracepath. */
  readonly pathMtuBytes?: number;
  /** Absent where the server did not answer tracepath. */
  readonly hopCount?: number;
  /** The last hop that answered tracepath; absent where none did. */
  readonly lastHop?: { readonly hop: number; readonly address: string };
  /** The lines of tracepath. */
  readonly route: readonly string[];
  /** Why there is no route; null where there is one. */
  readonly routeProblem: string | null;
}

interface PathEnd {
  readonly address: string;
  readonly subnetId: string;
}
