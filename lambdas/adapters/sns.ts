import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { REPEATED_BY_SDK } from './answers';

const client = new SNSClient(REPEATED_BY_SDK);

export async function publish(topicArn: string, message: { subject: string; body: string }): Promise<void> {
  await client.send(new PublishCommand({ TopicArn: topicArn, Subject: message.subject, Message: message.body }));
}
