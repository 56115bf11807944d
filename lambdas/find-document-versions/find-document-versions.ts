/** Tells a deployment which version of each document has its content (docs/decisions/0017-pinned-versions.md). */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../domain/workflow/canonical-json';
import { answerWith, type CloudFormationRequest, type Outcome } from '../shared/custom-resource';

export interface DocumentVersion {
  readonly version: number;
  readonly content: unknown;
}

export interface FindDocumentVersionsDependencies {
  /** @param version a number, or `$LATEST` */
  readonly getDocument: (name: string, version: string) => Promise<DocumentVersion>;
  readonly answer: (request: CloudFormationRequest, outcome: Outcome) => Promise<void>;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
}

export interface DocumentVersionsProperties {
  /** The digest of each document's content, by the document's name. */
  readonly Digests: Readonly<Record<string, string>>;
}

/** A version may be readable some seconds after CloudFormation has made it. */
const ATTEMPTS = 12;
const PAUSE_MILLIS = 5_000;

/**
 * Responds with the version of each document, by the document's name. It is the latest one, except where CloudFormation
 * went back to an earlier content: Systems Manager refuses that as a duplicate, and CloudFormation goes on without a
 * new version.
 */
export function makeFindDocumentVersions({ getDocument, answer, sleep }: FindDocumentVersionsDependencies) {
  return async (request: CloudFormationRequest<DocumentVersionsProperties>): Promise<void> => {
    await answerWith(answer, request, async () => {
      const data: Record<string, string> = {};
      if (request.RequestType === 'Delete') return data;
      for (const [name, digest] of Object.entries(request.ResourceProperties.Digests)) {
        data[name] = String(await findVersion(name, digest));
      }
      return data;
    });
  };

  async function findVersion(name: string, digest: string): Promise<number> {
    for (let attempt = 1; ; attempt += 1) {
      let found = await getDocument(name, '$LATEST');
      const latest = found.version;
      while (contentDigest(found.content) !== digest && found.version > 1) {
        found = await getDocument(name, String(found.version - 1));
      }
      if (contentDigest(found.content) === digest) return found.version;
      if (attempt === ATTEMPTS) {
        throw new Error(`document ${name}: must have a version with the deployed content, got none of ${latest}`);
      }
      await sleep(PAUSE_MILLIS);
    }
  }
}

function contentDigest(content: unknown): string {
  return createHash('sha256').update(canonicalJson(content)).digest('hex');
}
