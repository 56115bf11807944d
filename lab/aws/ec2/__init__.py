"""EC2: instances that are hosts of the lab, placement groups, security groups, interfaces, peerings.

MiniStack keeps VPCs, subnets, routes and launch templates. Security groups and tags are in its tables, because a stack
creates groups there; all other records are the lab's own. No host outlives the process, and so neither do they.
"""
