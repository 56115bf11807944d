"""The lab's hosts: network namespaces with real tools, behind network cards with real token buckets."""

from lab.hosts.fleet import HostFleet, UnknownHostError
from lab.hosts.profiles import Profile, Profiles, UnknownInstanceTypeError
from lab.hosts.settings import HostSettings

__all__ = ["HostFleet", "HostSettings", "Profile", "Profiles", "UnknownHostError", "UnknownInstanceTypeError"]
