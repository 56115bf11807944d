/** Prints every name of an error that handlers decide on, and our own names, for the test that compares them with AWS. */
import { ErrorName } from '../../domain/workflow/error-names';
import { AWS_ERROR_NAMES } from '../../lambdas/errors/aws-errors';

process.stdout.write(JSON.stringify({ handlers: AWS_ERROR_NAMES, own: Object.values(ErrorName) }));
