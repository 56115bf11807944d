"""EC2: instances that are hosts of the lab, images, placement groups, security groups, interfaces, routes.

MiniStack keeps VPCs, subnets, routes, launch templates, placement groups, security groups and tags. All other records
are the lab's own. No host outlives the process, and so neither do they.
"""
