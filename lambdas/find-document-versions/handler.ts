import { setTimeout as sleep } from 'node:timers/promises';
import { getDocument } from '../adapters/ssm';
import { answerRequest } from '../shared/custom-resource';
import { makeFindDocumentVersions } from './find-document-versions';

export const handler = makeFindDocumentVersions({ getDocument, answer: answerRequest, sleep });
