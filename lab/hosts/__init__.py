"""The lab's hosts: network namespaces with real tools, behind network cards with token buckets."""
