"""EC2's limit of a single flow, on the sending host's interface: more streams carry more, until the card is full.

The low bits of its ephemeral port assign a flow to a class. The streams of one tool have neighbouring ports, so two of
them seldom share a class; if they do, they share its rate. ICMP has no ports and is not limited.
"""

from lab.hosts.commands import tc

_CLASSES = 64
# At least one super-packet must fit.
_BURST_BYTES = 131072
# How much a class may send in its turn. The default depends on the rate, and the kernel warns that it is too large.
_QUANTUM_BYTES = 60000
_EPHEMERAL_PORT = "0x8000 0x8000"


def limit_flows(namespace: str, interface: str, bits_per_second: int) -> None:
    device = f"dev {interface}"
    numbers = range(_CLASSES)
    rate = f"htb rate {bits_per_second}bit burst {_BURST_BYTES} cburst {_BURST_BYTES} quantum {_QUANTUM_BYTES}"
    filters = f"filter add {device} parent 1: prio 1"
    by_source, by_destination = "10", "11"
    changes = [
        # Traffic in no class passes without a limit.
        f"qdisc replace {device} root handle 1: htb default 0",
        *(f"class add {device} parent 1: classid 1:{number + 1:x} {rate}" for number in numbers),
        *(f"{filters} handle {table}: protocol ip u32 divisor {_CLASSES}" for table in (by_source, by_destination)),
        *(
            f"{filters} protocol ip u32 ht {table}:{number:x}: match u32 0 0 flowid 1:{number + 1:x}"
            for table in (by_source, by_destination)
            for number in numbers
        ),
        # Both ports are in one 32-bit word, after a header without options.
        f"{filters} protocol ip u32 ht 800:: match ip sport {_EPHEMERAL_PORT}"
        f" hashkey mask 0x{_CLASSES - 1:x}0000 at 20 link {by_source}:",
        f"{filters} protocol ip u32 ht 800:: match ip dport {_EPHEMERAL_PORT}"
        f" hashkey mask 0x{_CLASSES - 1:x} at 20 link {by_destination}:",
    ]
    tc(*changes, namespace=namespace)
