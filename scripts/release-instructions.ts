/** The README.md of a release's folder. */
export const STACK_NAME = 'NetworkBenchmark';
export const TEMPLATE = 'network-benchmark.template.json';

/** @param name the folder's name, which is also where its files are in the bucket */
export const instructions = (name: string) => `# ${name}

Deploys EC2 Network Bench with the AWS CLI alone. \`bucket\` is one of yours in the Region in which you measure:

\`\`\`
bucket=my-bucket region=us-east-1
sha256sum --check --quiet SHA256SUMS && aws s3 cp --recursive . "s3://$bucket/${name}/"
aws cloudformation create-stack --region "$region" --stack-name ${STACK_NAME} --capabilities CAPABILITY_IAM \\
  --template-url "https://s3.$region.amazonaws.com/$bucket/${name}/${TEMPLATE}" \\
  --parameters "ParameterKey=AssetsBucket,ParameterValue=$bucket"
aws cloudformation wait stack-create-complete --region "$region" --stack-name ${STACK_NAME}
\`\`\`

After the copy, this link opens the same in the console, where you fill in \`AssetsBucket\`; put your bucket and Region in it:

    https://console.aws.amazon.com/cloudformation/home?region=REGION#/stacks/create/review?stackName=${STACK_NAME}&templateURL=https://s3.REGION.amazonaws.com/BUCKET/${name}/${TEMPLATE}&param_AssetsBucket=BUCKET

The parameter \`NotifyAddress\` gets a message at the end of each run and for each alarm. Every other setting has its default, and
the stack must have the name above: who needs others deploys from the sources, with the CDK. A later release is deployed by
\`aws cloudformation update-stack\` with its own template and the same parameters. The outputs of the stack say how to start a run.
\`CHANGELOG.md\` has what is new. In a CDK app of yours, \`npm install\` of the .tgz has the stack as \`NetworkBenchmarkStack\`, with
all settings as properties.
`;
