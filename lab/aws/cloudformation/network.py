"""The hosts' network follows what a stack changes. MiniStack's provisioners change EC2's records without a request."""

from collections.abc import Callable
from typing import Any

from lab.aws import embedded
from lab.aws.data_paths import DataPaths

# A template could declare load balancers; they would be records that forward nothing.
WITHOUT_PATH = "AWS::ElasticLoadBalancingV2::"


def install(paths: DataPaths) -> None:
    """Call it after all types are registered."""
    handlers = embedded.CLOUDFORMATION_TYPES.value
    for resource_type in [name for name in handlers if name.startswith(WITHOUT_PATH)]:
        del handlers[resource_type]
    for resource_type, handler in handlers.items():
        if resource_type.startswith("AWS::EC2::"):
            handlers[resource_type] = handler | {
                verb: _then_apply(handler[verb], paths) for verb in ("create", "update", "delete") if verb in handler
            }


def _then_apply(original: Callable[..., Any], paths: DataPaths) -> Callable[..., Any]:
    def handle(*arguments: Any) -> Any:
        result = original(*arguments)
        paths.apply()
        return result

    return handle
