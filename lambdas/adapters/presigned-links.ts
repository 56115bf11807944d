/** Links to objects that whoever has them can read, without an account. Apart from `s3.ts`, because few bundles sign. */
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';

const client = new S3Client();

/**
 * A link to an object, signed by the caller's own credentials. Those of a function's role are temporary, and the link ends
 * with them if they end first. Nothing is sent to AWS; reading needs s3:GetObject of the signer when the link is opened.
 */
export function presignedLink(bucketName: string, key: string, hours: number): Promise<string> {
  const request = new GetObjectCommand({ Bucket: bucketName, Key: key });
  return getSignedUrl(client, request, { expiresIn: hours * 3600 });
}
