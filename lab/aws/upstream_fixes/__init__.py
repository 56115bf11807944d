"""Plain defects of MiniStack 1.5.33, each mended in a module of its own that could be sent upstream.

Each module says what MiniStack does, what AWS does and where AWS says so, and has the smallest fix. The rest of the lab
does not import them; it relies on AWS's behaviour. docs/decisions/0002-embedded-aws.md lists them.
"""

from lab.aws.upstream_fixes import (
    cloudformation_bucket_lifecycle,
    cloudformation_schedule,
    cloudformation_vpc_cidr_block,
    lambda_node_errors,
    stepfunctions_integrations,
    stepfunctions_jsonata_fields,
    stepfunctions_nested_executions,
    stepfunctions_stopping,
)


def install() -> None:
    cloudformation_bucket_lifecycle.install()
    cloudformation_schedule.install()
    cloudformation_vpc_cidr_block.install()
    lambda_node_errors.install()
    stepfunctions_integrations.install()
    stepfunctions_jsonata_fields.install()
    stepfunctions_nested_executions.install()
    stepfunctions_stopping.install()
