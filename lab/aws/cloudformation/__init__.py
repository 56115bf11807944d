"""CloudFormation: resource types that MiniStack lacks, and the hosts' network, which follows what stacks change.

Every resource is created through the API of its service, so that a template meets the same refusals as a caller.
"""
