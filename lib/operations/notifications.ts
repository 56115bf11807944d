import { Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Notify } from '../context';

export interface NotificationsProps {
  readonly notify: Notify;
}

/**
 * Where the messages about runs and the alarms go: a topic of the stack with its e-mail subscriptions, each of which its
 * owner must confirm, or a topic that is there already and whose owner decides who may publish.
 */
export class Notifications extends Construct {
  readonly topicArn: string;

  constructor(scope: Construct, id: string, props: NotificationsProps) {
    super(scope, id);
    const { notify } = props;
    this.topicArn = 'topicArn' in notify ? notify.topicArn : this.topicWith(notify.addresses).topicArn;
  }

  private topicWith(addresses: readonly string[]): Topic {
    const topic = new Topic(this, 'Topic', { displayName: 'EC2 Network Bench', enforceSSL: true });
    for (const address of addresses) topic.addSubscription(new EmailSubscription(address));
    const { account } = Stack.of(this);
    // A topic with a policy of its own has lost the one that lets the account's services publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsOfThisAccount',
        actions: ['sns:Publish'],
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': account } },
      }),
    );
    Validations.of(topic).acknowledge({
      id: 'AwsSolutions-SNS2',
      reason:
        'alarms cannot publish to a topic that is encrypted with alias/aws/sns, whose key policy cannot be changed, and ' +
        "a customer's key costs 1 USD a month; what is published leaves as plain e-mail and contains no secrets",
    });
    return topic;
  }
}
