"""The network credits of one direction of a host, as a 64-bit account beside the kernel's token bucket.

The kernel's tbf limits a bucket to 32 bits of bytes. For a larger bucket, this account decides when the rate changes.
In both cases it determines when the credits are spent, from which time the counters count.
"""

from dataclasses import dataclass

from lab.hosts.profiles import Profile

# tbf's burst is an unsigned 32-bit number of bytes.
KERNEL_BUCKET_LIMIT_BYTES = 2**32 - 1
# Credits count as spent when fewer are left than the baseline earns in this time. The limit is above zero, because the
# account adds an interval's earnings when traffic starts to drain a full bucket within the interval, and is then ahead
# of the bucket by up to that much.
_SPENT_SECONDS = 0.5
# A busy machine calls late, and a full bucket earned nothing before traffic began to drain it.
_EARNED_WHILE_FULL_SECONDS = 0.25
_RECOVERED_SECONDS = 1.0


@dataclass
class CreditAccount:
    """A bucket's tokens, earned at the baseline rate and spent by traffic; full at launch, as on EC2."""

    baseline_bytes_per_second: float
    bucket_bytes: float
    balance_bytes: float
    is_spent: bool = False

    @staticmethod
    def for_profile(profile: Profile) -> "CreditAccount":
        """Returns the account of a type; a steady type's account is never spent."""
        bucket_bytes = float("inf") if profile.bucket_bits is None else profile.bucket_bits / 8
        return CreditAccount(profile.baseline_bits_per_second / 8, bucket_bytes, bucket_bytes)

    def pass_time(self, elapsed_seconds: float, sent_bytes: int) -> bool:
        """Accounts for the time since the last call; returns whether `is_spent` has changed."""
        is_full = self.balance_bytes >= self.bucket_bytes
        earning_seconds = min(elapsed_seconds, _EARNED_WHILE_FULL_SECONDS) if is_full else elapsed_seconds
        earned = self.baseline_bytes_per_second * earning_seconds
        self.balance_bytes = max(0.0, min(self.bucket_bytes, self.balance_bytes + earned - sent_bytes))
        was_spent, baseline = self.is_spent, self.baseline_bytes_per_second
        limit = baseline * _RECOVERED_SECONDS if was_spent else min(baseline * _SPENT_SECONDS, self.bucket_bytes / 2)
        self.is_spent = self.balance_bytes < limit
        return was_spent != self.is_spent


def fits_kernel_bucket(profile: Profile) -> bool:
    return profile.bucket_bits is not None and profile.bucket_bits // 8 <= KERNEL_BUCKET_LIMIT_BYTES
