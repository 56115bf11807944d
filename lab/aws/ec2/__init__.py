"""EC2, of which MiniStack keeps VPCs, subnets, routes, launch templates, placement groups, security groups and tags.
The lab keeps the rest (instances, images, interfaces) in memory, because no host outlives the process.
"""
